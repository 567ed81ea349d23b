"""Which tables are cared for, when, and what becomes of an action. F36, F38; case 82."""

from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from lakemirror.layers import Layers
from lakemirror.runs.batch import carried_on
from lakemirror.runs.cared import CaredTables, Declared
from lakemirror.runs.maintain import (
    RUNS_BRANCH,
    InFlightError,
    Limits,
    Maintain,
    Plan,
    carried,
    done_line,
    step_line,
)
from lakemirror.runs.project import Project, ProjectModel
from lakemirror.runs.warehouse import OvertakenError
from lakemirror.state.care import Figures, Step
from lakemirror.state.window import Snapshot

TABLES = {"raw": ["shop__t"], "ops": ["runs", "maintenance"], "mirror": ["t"], "daily": []}
LONG_AGO = [("mirror.t", "compact", 7200.0), ("mirror.t", "remove orphans", 600.0)]


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


@dataclass(frozen=True)
class Relation:
    """A table's name, as dbt has it."""

    schema: str
    identifier: str

    def incorporate(self, path):
        return Relation(self.schema, path["identifier"])

    def __str__(self):
        return f"{self.schema}.{self.identifier}"


READS = ("model.p.stg_t",)
STAGING = ProjectModel(
    "stg_t", "model.p.stg_t", "ephemeral", Relation("s", "stg_t"), {}, ["source.p.shop.t"]
)


class Lake:
    """A warehouse of a few tables, cared for before; each lies in a folder of its name."""

    def __init__(self, places=(), prefix="", others=None):
        self.places, self.lines, self.layers = dict(places), [], Layers(prefix)
        self.there = {f"{prefix}{schema}": found for schema, found in TABLES.items()}
        self.there |= others or {}

    def schemas(self):
        return [*self.there]

    def tables(self, schema):
        return self.there[schema]

    def sql(self, macro, *arguments):
        return macro

    def rows(self, query):
        if query.startswith("describe extended"):
            name = query.removeprefix("describe extended ").replace("`", "")
            return [("id", "int", None), ("Location", self.places.get(name, f"/lake/{name}"), "")]
        assert query == "maintained_sql"
        return LONG_AGO

    def say(self, line):
        self.lines.append(line)

    def refuse(self, problem):
        raise RefusedError(problem)


def cared(lake=None, policies=None, others=None, **maintenance):
    config = {"unique_key": ["id", "day"], "maintenance": maintenance}
    models = [
        ProjectModel(
            "mirror_t", "model.p.mirror_t", "mirror", Relation("mirror", "t"), config, READS
        ),
        STAGING,
        ProjectModel("gone", "model.p.gone", "table", Relation("marts", "gone"), {}, ()),
    ]
    project = Project(models, lambda relation: relation.schema != "marts", "run-1", "2026-01-03")
    sources = {"raw.shop__t": ["source.p.shop.t"]}
    return CaredTables(lake or Lake(), project, Declared(policies or {}, sources, others or {}))


def names(tables, *select):
    return [table.name for table in tables.chosen(select)]


def test_all_tables_that_are_there():
    every = ["mirror.t", "mirror.t__tombstones", "ops.maintenance", "ops.runs", "raw.shop__t"]
    assert names(cared()) == every
    assert names(cared(), "mirror_t") == every[:2]
    assert names(cared(), "raw.shop__t", "mirror.t") == ["mirror.t", "raw.shop__t"]
    with pytest.raises(RefusedError, match=r"no model or table mirror_s; did you mean mirror_t\?"):
        names(cared(), "mirror_s")


def test_a_pattern_leaves_other_environments_alone():
    """But for a schema that it names whole."""
    others = {"dev_ops": ["runs"], "dev_marts": ["t"], "prod_ops": [], "prod_marts": ["t"]}
    own = {"prod_lab": ["t"], "lab": ["t"]}

    def found(pattern, prefix):
        lake = Lake(prefix=prefix, others=others | own)
        names = {table.name for table in cared(lake, others={pattern: {}}).all}
        return {name for name in names if name.startswith(("dev_", "prod_", "lab"))}

    assert found("*.*", "") == {"lab.t"}
    assert found("*.t", "prod_") >= {"prod_marts.t", "prod_lab.t"}
    assert "dev_marts.t" not in found("*.t", "prod_")
    assert found("dev_marts.*", "") == {"dev_marts.t"}


def test_each_has_its_layer_and_its_policy():
    found = cared(policies={"raw.shop__t": {"snapshot_age": "9d"}}, min_input_files=7)
    by_name = {table.name: table for table in found.all}
    assert {name: table.layer for name, table in by_name.items()} == {
        "mirror.t": "mirror",
        "mirror.t__tombstones": "tombstones",
        "ops.maintenance": "ops",
        "ops.runs": "ops",
        "raw.shop__t": "raw",
    }
    assert by_name["raw.shop__t"].policy.snapshot_age == "9d"
    assert by_name["mirror.t__tombstones"].policy.min_input_files == 7
    assert by_name["ops.runs"].policy.min_input_files == 5


def test_a_mirror_is_sorted_by_its_key():
    def sorted_by(**maintenance):
        return [table.sort_by for table in cared(**maintenance).chosen(["mirror_t"])]

    assert sorted_by() == [("id", "day"), ()]
    assert sorted_by(sort_by=["day"]) == [("day",), ()]
    assert sorted_by(sort_by=[]) == [(), ()]


def test_files_in_an_order_of_several_columns():
    [mirror, kept] = cared(z_order_by=["day", "id"]).chosen(["mirror_t"])
    assert (mirror.sort_by, kept.sort_by) == (("day", "id"), ())
    assert (mirror.policy.clustering, kept.policy.clustering) == ("zorder(day, id)", "")


def test_tables_of_others_by_a_pattern():
    """The first pattern that names a table counts, and none goes over what the project makes."""
    others = {"da*.x": {"min_snapshots": 3}, "dai?y.*": None, "mirror.*": {"enabled": False}}
    lake = Lake()
    lake.tables = lambda schema: {**TABLES, "daily": ["x", "y"]}[schema]
    found = {table.name: table for table in cared(lake, others=others).all}
    assert [found[f"daily.{name}"].policy.min_snapshots for name in ("x", "y")] == [3, 1]
    assert found["daily.x"].layer == "table"
    assert found["mirror.t"].policy.enabled
    for wrong, problem in (
        ({"daily": {}}, "a pattern such as marts"),
        ({"daily.*": {"readerz": "1h"}}, "did you mean readers"),
        ({"daily.*": {"retention": "9d"}}, "only a raw table has one"),
    ):
        with pytest.raises(RefusedError, match=problem):
            names(cared(lake, others=wrong))


def test_who_reads_a_raw_table():
    """Through views, and no further than what is made of them."""
    tables = cared()
    assert [model.name for model in tables.readers_of("raw.shop__t")] == ["mirror_t"]
    assert tables.readers_of("raw.other") == []


def test_a_policy_that_is_wrong_stops_all():
    tables = cared(policies={"raw.shop__t": {"readers": 1}}, snapshot_ages="1d")
    with pytest.raises(RefusedError) as refused:
        names(tables, "ops.runs")
    assert "- mirror.t: maintenance.snapshot_ages: " in str(refused.value)
    assert "- raw.shop__t: maintenance.readers: a duration" in str(refused.value)


@pytest.mark.parametrize(
    ("maintenance", "is_due"),
    [
        ({"interval": "9m"}, True),
        ({"interval": "11m"}, False),
        ({"enabled": False}, False),
        ({"earliest": "00:00"}, True),
    ],
)
def test_when_a_table_is_due(maintenance, is_due):
    assert ("mirror.t" in names(cared(**maintenance), "mirror.t")) is is_due


def test_orphans_are_remembered():
    tables = cared()
    assert tables.since("mirror.t", "remove orphans") == 600
    assert tables.since("mirror.t") == 600
    assert tables.since("ops.runs", "remove orphans") is None
    tables.looked_for_orphans("ops.runs")
    assert tables.since("ops.runs", "remove orphans") == 0


@pytest.mark.parametrize(
    ("place", "sharing"),
    [
        ("/lake/other", []),
        ("/lake/mirror.t2", []),
        ("/lake/mirror.t/", ["ops.runs"]),
        ("/lake/mirror.t/data", ["ops.runs"]),
        ("/lake", ["ops.runs"]),
    ],
)
def test_a_location_that_two_tables_have(place, sharing):
    """F38: what one of them does not know is no orphan."""
    tables = cared(Lake({"ops.runs": place}))
    [mirror] = tables.chosen(["mirror.t"])
    assert tables.sharing(mirror) == sharing


# -- what becomes of an action ---------------------------------------------------------------


STEP = Step("compact", "9 of 9 data files are small", 1.8, 5000, 4000)


@pytest.mark.parametrize(
    ("errors", "status"),
    [
        ([], "done"),
        ([OvertakenError("moved"), OvertakenError("moved")], "done"),
        ([OvertakenError("moved")] * 3, "waits"),
        ([RuntimeError("x ValidationException: Cannot commit, found new delete for y")], "done"),
        ([RuntimeError("Cannot expire 7. Still referenced by refs: [b]")] * 3, "waits"),
        ([InFlightError("a run is under way")] * 2, "done"),
        ([InFlightError("a run is under way")] * 3, "waits"),
        ([RuntimeError("no space left on device")], "failed"),
    ],
)
def test_a_lost_race_is_tried_again(monkeypatch, errors, status):
    """F36."""
    left = list(errors)

    def act(run, plan, step, until, insists):
        assert insists is (len(errors) - len(left) == 2)
        if left:
            raise left.pop(0)
        return "done", None

    monkeypatch.setattr(Maintain, "act", act)
    run = Maintain(Lake(), SimpleNamespace(models=[]), Declared())
    found, detail = run.outcome(Plan(None, Figures(), [STEP]), STEP)
    assert (found, left) == (status, [])
    assert bool(detail) is (status != "done")


def test_a_budget_of_bytes(monkeypatch):
    """What does not fit waits, and the rest is done."""
    done = []
    big, small = replace(STEP, reads=10**9), replace(STEP, action="expire", reads=0, writes=0)
    run = Maintain(Lake(), SimpleNamespace(models=[]), Declared())
    plan = Plan(None, Figures(), [big, small])
    monkeypatch.setattr(run, "perform", lambda plan, step: done.append(step) or plan)
    assert run.care_for(plan, Limits(bytes=10**9)) is False
    assert done == [small]
    assert run.care_for(plan, Limits(bytes=2 * 10**9)) is True
    assert done == [small, big, small]
    assert run.care_for(plan, Limits(bytes=2 * 10**9)) is False


def test_until_nothing_has_lost_a_race(monkeypatch):
    run = Maintain(Lake(), SimpleNamespace(models=[]), Declared())
    races = [2, 1, 0]

    def a_round(names, dry_run, limits):
        run.raced = races.pop(0)
        return 0

    monkeypatch.setattr(run, "round", a_round)
    monkeypatch.setattr("lakemirror.runs.maintain.LOOK", 0)
    run.maintain(None, False, None)
    assert races == [1, 0]
    run.maintain(None, False, None, until_done=True)
    assert races == []
    assert run.warehouse.lines == ["maintain: 1 actions had to wait, and are tried again"]


def test_what_a_compaction_carries_on():
    """Case 82: all that the table knows beside its rows, and no count of events."""
    summary = {"added-records": "3", "lakemirror.raw-snapshot-id": "7", "lakemirror.read": "9"}
    summary |= {"lakemirror.taken-in": "1", "lakemirror.ds": "2026-01-01", "lakemirror.floor": "{}"}
    found = carried(Snapshot(3, None, "append", summary), "run-2")
    assert found == {
        "raw-snapshot-id": "7",
        "read": 0,
        "floor": "{}",
        "maintains": 3,
        "merged-by": "maintenance",
        "invocation-id": "run-2",
    }
    again = Snapshot(4, 3, "append", {f"lakemirror.{name}": value for name, value in found.items()})
    assert carried(again, "run-3")["maintains"] == 3
    assert "maintains" not in carried_on(again, "repair", "run-4")


@pytest.mark.parametrize(
    ("name", "is_runs"),
    [
        ("lakemirror_12345678_1234_1234_1234_123456789abc", True),
        ("lakemirror_rollback_12345678_1234_1234_1234_123456789abc", True),
        ("lakemirror_maintain_12345678_1234_1234_1234_123456789abc", False),
        ("lakemirror_cut_0123456789abcdef0123456789abcdef", False),
        ("ds_2026_01_01", False),
        ("mine", False),
    ],
)
def test_whose_branch_it_is(name, is_runs):
    assert bool(RUNS_BRANCH.fullmatch(name)) is is_runs


def test_lines():
    assert step_line("raw.t", Step("expire", "why", 1)) == "raw.t: expire: why"
    assert done_line("raw.t", STEP, "waits", "a run", 1.25) == (
        "raw.t: compact: waits in 1.2 s (a run)"
    )
