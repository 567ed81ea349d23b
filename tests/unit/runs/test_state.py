"""What a state of a mirror starts from, and what is asked for it."""

from types import SimpleNamespace

import pytest

from lakemirror.layers import PLAIN
from lakemirror.runs.mirror_plan import unsent_columns
from lakemirror.runs.model import Model
from lakemirror.runs.state import Mirror, States
from lakemirror.state.table_schema import SchemaChange, TableSchema
from lakemirror.state.tombstones import Memory
from lakemirror.state.window import (
    BASE_TAG,
    BOOKMARK,
    LAYOUT,
    LAYOUT_PROPERTY,
    NEWEST_EVENT,
    Snapshot,
    Window,
)

MIDNIGHT = "2026-01-03 00:00:00"


def commit(number, parent, day):
    return Snapshot(
        number, parent, "append", {BOOKMARK: "1", NEWEST_EVENT: f"2026-01-0{day} 12:00:00"}
    )


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


class Asked:
    """A warehouse that answers a query by a word in it."""

    layers = PLAIN

    def __init__(self, **answers):
        self.answers, self.queries = answers, []
        self.sources = SimpleNamespace(
            records_sql=lambda raw, clause="": f"{raw} {clause}".strip(),
            landing_of=lambda raw, own: own,
        )

    def rows(self, query):
        self.queries.append(query)
        return next(rows for word, rows in self.answers.items() if word in query)

    def columns_of(self, query):
        self.queries.append(query)
        return self.answers["columns"]

    def sql(self, macro, *arguments):
        return f"{macro} {arguments}"

    def refuse(self, problem):
        raise RefusedError(problem)


@pytest.fixture
def states():
    def make(snapshots, memory=None, **answers):
        table = SimpleNamespace(head=snapshots[0].id if snapshots else None, snapshots=snapshots)
        model = SimpleNamespace(name="daily_t", var=lambda name, default: default)
        mirror = Mirror("mirror.t", "stg", "raw.t", ["id"])
        made = States(Asked(**answers), model, mirror, table)
        made.memory = memory or Memory("deletes", None)
        return made

    return make


def test_the_newest_commit_before_a_time(states):
    """A whole history has all that tags could name: they are not asked for."""
    found = states([commit(3, 2, 3), commit(2, 1, 2), commit(1, None, 1)])
    assert found.base_of(MIDNIGHT).id == 2
    assert found.base_of("2026-01-01 00:00:00") is None
    assert found.warehouse.queries == []


def test_what_a_newer_package_has_written(states):
    newer = Snapshot(1, None, "append", {BOOKMARK: "1", LAYOUT_PROPERTY: str(LAYOUT + 1)})
    with pytest.raises(RefusedError, match=r"a newer lakemirror has written mirror\.t"):
        states([newer])


def test_what_a_state_has_a_null_in_is_required_no_more(states):
    """The key stays; so does what has none; nothing is asked where nothing is required."""
    found, changes = states([], null_counts_sql=[(0, 2)]), []
    schema = {name: {"required": name != "free"} for name in ("free", "id", "v", "w")}
    warehouse = found.warehouse
    warehouse.change_schema = lambda relation, change: changes.append(change)
    warehouse.schema_of = lambda relation: TableSchema(schema, ["id"])
    found.model.with_staging = lambda query: query
    found.pinned = lambda query, clause: f"{query} {clause}"
    assert found.relax("(rows)", "of raw")
    assert warehouse.queries == ["null_counts_sql ('(rows)', ['v', 'w']) of raw"]
    assert changes == [SchemaChange(optional=["w"])]
    warehouse.answers["null_counts_sql"] = [(0, 0)]
    assert not found.relax("(rows)", "of raw")
    warehouse.schema_of = lambda relation: TableSchema({"id": {"required": True}}, ["id"])
    assert not found.relax("(rows)", "of raw")
    assert (len(changes), len(warehouse.queries)) == (1, 2)


def test_a_base_whose_parents_have_expired(states):
    """F48, F49: a tag keeps it."""
    history = [commit(3, 2, 3), commit(1, None, 1)]
    found = states(history, refs=[(f"{BASE_TAG}2026_01_01", "1")])
    assert found.base_of(MIDNIGHT).id == 1
    assert len(found.warehouse.queries) == 1


def test_a_mirror_without_a_commit(states):
    assert states([]).base_of(MIDNIGHT) is None


def test_changes_that_a_forgotten_delete_may_outdate(states):
    """F06: since which commits they have come is one question."""
    bases = [commit(1, None, 1), commit(2, 1, 2)]
    prune = Snapshot(9, None, "delete", {"lakemirror.pruned-until": "2026-01-02 00:00:00"})
    rows = [
        {"base": "1", "changed_from": "2026-01-01 06:00:00"},
        {"base": "2", "changed_from": "2026-01-02 06:00:00"},
    ]
    found = states(bases, Memory("deletes", prune), changed_from_sql=rows)
    found.since = lambda base: Window(1, 2, 3)
    assert found.forgotten(bases) == {1}
    assert len(found.warehouse.queries) == 1

    remembers_all = states(bases)
    remembers_all.since = found.since
    assert remembers_all.forgotten(bases) == set()
    assert remembers_all.warehouse.queries == []


def test_the_columns_of_commits_are_asked_at_once(states):
    columns = ["_base_id", "id", "v", "_base_id", "id"]
    rows = [{"name": name, "data_type": "int"} for name in columns]
    found = states([], columns=rows)
    then = found.columns_then([7, 9])
    assert {base: [c["name"] for c in of] for base, of in then.items()} == {
        7: ["id", "v"],
        9: ["id"],
    }
    assert found.columns_then([]) == {}
    assert len(found.warehouse.queries) == 1


def test_from_when_on_a_table_is_known(states):
    """Cases 23, 69: the later of the first heartbeat and the snapshot's end; days carry it on."""
    found = states([])
    assert found.known_from("2026-01-29 00:08:00", "2026-01-30 10:00:00") == "2026-01-30 10:00:00"
    assert found.known_from("2026-01-30 10:00:00.5", "2026-01-30 10:00:00").endswith(".5")
    assert found.known_from(None, "2026-01-30 10:00:00") is None


@pytest.mark.parametrize(
    ("ctes", "query"),
    [
        ((), "select * from b"),
        (
            ("a as (select 1)", "b as (select 2)"),
            "with a as (select 1), b as (select 2) select * from b",
        ),
    ],
)
def test_a_query_has_the_staging_of_its_model(ctes, query):
    assert Model.with_staging(SimpleNamespace(ctes=ctes), "select * from b") == query


def test_columns_are_filled_where_some_were_not_sent():
    assert unsent_columns(["id", "v", "_unsent"], ["id"]) == ["v"]
    assert unsent_columns(["id", "v"], ["id"]) == []
