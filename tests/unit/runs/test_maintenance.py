"""What operations advise, refuse and keep."""

from types import SimpleNamespace

import pytest

from lakemirror.layers import PLAIN
from lakemirror.runs import messages
from lakemirror.runs.maintenance import Maintenance, advised
from lakemirror.runs.mirror import with_bucket_column
from lakemirror.runs.project import Project, ProjectModel
from lakemirror.runs.settings import MirrorSettings
from lakemirror.state.buckets import TASK, are_as_configured, kept_column
from lakemirror.state.table_metadata import TableMetadata

BRANCH = "alter table d.t create or replace branch lakemirror_run_1 as of version 7 retain 1 days"


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


class Recording:
    """A warehouse that keeps what it is told, and whose tables have three days."""

    layers = PLAIN

    def __init__(self):
        self.statements, self.lines = [], []

    def metadata(self, relation):
        return TableMetadata({"current-snapshot-id": "7"}, [], [], [])

    def rows(self, query):
        assert query.endswith(".partitions")
        return [["2025-12-31"], ["2026-01-01"], ["2026-01-02"]]

    def run(self, statement):
        self.statements.append(statement)

    retry = run

    def sql(self, macro, *arguments):
        return (macro, *arguments)

    def say(self, line):
        self.lines.append(line)

    def refuse(self, problem):
        raise RefusedError(problem)


def maintenance(exists=True, **config):
    mirror = ProjectModel("mirror_t", "model.p.mirror_t", "mirror", "m.t", {}, ())
    given = {"unique_key": ["id"], "keep_days": 1, **config}
    daily = ProjectModel("daily_t", "model.p.daily_t", "daily", "d.t", given, [mirror.unique_id])
    project = Project([mirror, daily], lambda relation: exists, "run-1", "2026-01-03")
    return Maintenance(Recording(), project)


def test_advice_is_of_the_keys_columns_by_their_places():
    facts = {"size": 5 * TASK, "key_1": 3, "key_2": 10**6}
    found = advised(facts, ["id", "a`b"])
    assert (found.buckets, found.bucket_by) == (8, "a`b")
    assert advised(facts | {"key_2": 2}, ["id", "a`b"]).bucket_by == "id"
    assert found.reason.endswith("a`b has about 1000000 values")
    assert advised(facts | {"size": None}, ["id", "a`b"]).buckets is None


@pytest.mark.parametrize(
    ("buckets", "configured", "there", "expected"),
    [
        (4, "part", "id", "part"),
        (4, None, "id", "id"),
        (4, None, None, "part"),
        (4, None, "gone", "part"),
        (None, None, "id", "part"),
    ],
)
def test_the_configured_column_then_the_tables_own(buckets, configured, there, expected):
    partitioning = [f"bucket(4, `{there}`)"] if there else []
    assert kept_column(partitioning, ["part", "id"], buckets, configured) == expected
    settings = MirrorSettings.read(
        {"unique_key": ["part", "id"], "buckets": buckets, "bucket_by": configured}
    )
    assert with_bucket_column(settings, partitioning).bucket_by == expected


def test_a_table_has_the_buckets_of_its_configuration():
    assert are_as_configured(["bucket(4, `a``b`)"], 4, "a`b")
    assert are_as_configured([], None, "id")
    assert not are_as_configured(["bucket(4, id)"], 8, "id")
    assert not are_as_configured(["bucket(4, id)"], 4, "part")
    assert not are_as_configured(["bucket(4, id)"], None, "id")


def test_other_buckets_name_the_remedy():
    assert messages.other_buckets("mirror.t", "mirror_t") == (
        "mirror_t: mirror.t has other buckets than its configuration says, so that a merge moves "
        "all of it. To change the table: dbt run-operation rebucket --args '{model: mirror_t}'"
    )


@pytest.mark.parametrize(
    ("exists", "model", "problem"),
    [
        (True, None, "it rewrites a table, and needs a model: dbt run-operation rebucket"),
        (True, "mirror_u", "mirror_u is no mirror of this project; did you mean mirror_t?"),
        (False, "mirror_t", "mirror_t has no table yet"),
    ],
)
def test_what_is_not_rebucketed(exists, model, problem):
    """G7: no first mirror of the project is taken for the one that is meant."""
    run = maintenance(exists)
    with pytest.raises(RefusedError) as refused:
        run.rebucket(model)
    assert f"rebucket: {problem}" in str(refused.value)
    assert run.warehouse.statements == []


def dropped(warehouse, table, branch, delete, properties, name):
    warehouse.run(delete(f"{table.relation}.branch_{branch}"))


def test_a_dry_run_only_says_which_days_would_go():
    run = maintenance()
    run.prune_days()
    assert run.warehouse.statements == []
    assert run.warehouse.lines == ["daily_t: 1 days would go: 2026-01-01"]


def test_days_go_with_their_branches(monkeypatch):
    monkeypatch.setattr("lakemirror.runs.maintenance.drop_whole_files", dropped)
    run = maintenance(publish="branch")
    run.prune_days("daily_t", dry_run=False)
    assert run.warehouse.statements == [
        BRANCH,
        "delete from d.t.branch_lakemirror_run_1 where ds in (date '2026-01-01')",
        "alter table m.t drop branch if exists ds_2026_01_01",
    ]
    assert run.warehouse.lines == ["daily_t: 1 days are gone: 2026-01-01"]
    copies = maintenance()
    copies.prune_days(dry_run=False, everything=True)
    assert copies.warehouse.statements == [
        BRANCH,
        "delete from d.t.branch_lakemirror_run_1 where ds in (date '2026-01-01')",
    ]


@pytest.mark.parametrize(("exists", "keep_days"), [(False, 1), (True, None)])
def test_no_day_goes(exists, keep_days):
    run = maintenance(exists, keep_days=keep_days)
    run.prune_days(dry_run=False, everything=True)
    assert run.warehouse.statements == []
    assert run.warehouse.lines == ["daily_t: 0 days are gone"]


@pytest.mark.parametrize(
    ("operation", "model", "problem"),
    [
        ("prune_days", None, "it changes tables, and needs a model, or all: true"),
        ("prune_tombstones", None, "it changes tables, and needs a model, or all: true"),
        ("prune_days", "dayly_t", "dayly_t is no daily of this project; did you mean daily_t?"),
        ("prune_tombstones", "mirror_u", "mirror_u is no mirror of this project; did you mean mi"),
    ],
)
def test_what_changes_tables_needs_its_model(operation, model, problem):
    """One that is not named, or misspelt, does not become all of the project."""
    run = maintenance()
    with pytest.raises(RefusedError) as refused:
        getattr(run, operation)(model, dry_run=False)
    assert f"{operation}: {problem}" in str(refused.value)
    assert run.warehouse.statements == []


def test_a_mirror_without_a_change_has_no_horizon():
    run = maintenance(exists=False)
    assert run.horizon(SimpleNamespace(relation="m.t"), "m.t__tombstones", 7) is None
