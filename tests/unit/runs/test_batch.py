"""What every run of changes refuses, makes and carries, with a warehouse that keeps what it is
told."""

import json
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from lakemirror.layers import PLAIN
from lakemirror.runs import batch
from lakemirror.runs.batch import Batch, BatchRun, Counts
from lakemirror.runs.warehouse import OvertakenError
from lakemirror.state.window import LAYOUT, Snapshot, Window

MARKED = "select * from /* changes(raw.t) */raw.t/* changes(raw.t) */"
COUNTS = Counts(read=9, applied=4, stale=1, duplicate=2, ignored=1, quarantined=1)


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


@dataclass(frozen=True)
class Relation:
    schema: str | None
    identifier: str
    is_view: bool = False

    def create(self, schema, identifier):
        return Relation(schema, identifier)

    def incorporate(self, path):
        return replace(self, **path)

    def __str__(self):
        return f"{self.schema}.{self.identifier}"


MIRROR = Relation("mirror", "shop__orders")


class Recording:
    """A warehouse that keeps what it is told, and answers queries by how they begin."""

    layers = PLAIN

    def __init__(self, **answers):
        self.answers, self.statements, self.warnings = answers, [], []
        self.sources = SimpleNamespace(
            records_sql=lambda raw, clause="": f"{raw} {clause}".rstrip(),
            is_told=lambda raw: self.answers.get("is_told", False),
            quarantined=lambda model: self.answers.get("quarantined", {}),
        )

    def metadata(self, relation):
        return None

    def tables(self, schema):
        return self.answers[f"tables of {schema}"]

    def columns_of(self, query):
        return self.answers["columns"]

    def rows(self, query):
        return next(rows for start, rows in self.answers.items() if query.startswith(start))

    def run(self, statement):
        self.statements.append(statement)

    retry = run

    def sql(self, macro, *arguments):
        return (macro, *arguments)

    def warn(self, line):
        self.warnings.append(line)

    def refuse(self, problem):
        raise RefusedError(problem)


def model(existing=MIRROR, sql=MARKED, is_full_refresh=False, **given):
    return SimpleNamespace(
        name="mirror_o",
        sql=sql,
        target=MIRROR,
        existing=existing,
        is_full_refresh=is_full_refresh,
        invocation_id="0123456789-ab",
        var=lambda name, default: given.get(name, default),
    )


def run_of(warehouse=None, settings=None, previous=None, is_rebuild=False, **given):
    """A run that has begun, with a batch up to snapshot 7 of raw."""
    run = BatchRun.__new__(BatchRun)
    run.warehouse, run.settings = warehouse or Recording(), settings
    run.model, run.target, run.table, run.branch = model(**given), MIRROR, None, None
    run.batch = Batch("raw.t", Window(None, 7, 9), [], True, False, previous, is_rebuild, False)
    return run


def lenient(policy="quarantine", percent=100):
    return SimpleNamespace(on_bad_rows=policy, max_bad_rows_percent=percent, key=["id"])


# -- what there is to read -------------------------------------------------------------------


def test_what_a_table_does_not_keep():
    names = ["id", "_undecodable", "_undeclared", "_op", "_src_snapshot"]
    warehouse = Recording(
        **{
            "tables of raw": ["t"],
            "show tblproperties raw.t": [("current-snapshot-id", "none")],
            "columns": [{"name": name, "data_type": "int"} for name in names],
        }
    )
    found = BatchRun(warehouse, model(existing=None), lenient()).batch
    assert [column["name"] for column in found.columns] == ["id", "_op"]
    assert found.tells_undeclared
    assert (found.window, found.previous, found.is_first) == (None, None, True)


def test_a_model_reads_one_raw_table():
    with pytest.raises(RefusedError) as raised:
        BatchRun(Recording(), model(existing=None, sql="select 1"), lenient())
    assert str(raised.value) == (
        "mirror_o reads no raw table by changes(): its staging model must read one raw table by "
        "changes(source(...))."
    )


def test_a_full_refresh_names_the_command_that_is_meant():
    command = "dbt run --full-refresh --select mirror_o --vars '{allow_full_refresh: true}'"
    with pytest.raises(
        RefusedError, match=r"would rebuild mirror\.shop__orders from raw"
    ) as raised:
        run_of(is_full_refresh=True).refuse_to_lose(False)
    assert command in str(raised.value)


def test_a_view_is_left():
    view = replace(MIRROR, is_view=True)
    with pytest.raises(RefusedError, match=r"mirror_o: mirror\.shop__orders is a view"):
        run_of(existing=view).refuse_to_lose(False)


@pytest.mark.parametrize(
    ("existing", "is_full_refresh", "is_rebuild"),
    [(None, True, False), (MIRROR, False, False), (MIRROR, True, True)],
)
def test_a_first_run_and_a_rebuild_are_let_through(existing, is_full_refresh, is_rebuild):
    run_of(existing=existing, is_full_refresh=is_full_refresh).refuse_to_lose(is_rebuild)


@pytest.mark.parametrize(("raw", "is_there"), [("raw.`t`", True), ("raw.`t`", False)])
def test_a_topic_without_a_record_is_told(raw, is_there):
    warehouse = Recording(**{"tables of raw": ["t"] if is_there else []})
    run_of(warehouse).await_raw(raw)
    made = [text for text in warehouse.statements if text.startswith("create table")]
    assert len(made) == len(warehouse.warnings) == (not is_there)
    assert [text.split(" yet.")[0] for text in warehouse.warnings] == [
        "mirror_o: no record has landed in raw.`t`"
    ] * (not is_there)


def test_a_raw_table_elsewhere_is_not_made():
    warehouse = Recording()
    run_of(warehouse).await_raw("other.t")
    assert warehouse.statements == warehouse.warnings == []


# -- what it makes ---------------------------------------------------------------------------


@pytest.mark.parametrize("schema", ["dev_stage", None])
def test_every_run_has_a_batch_of_its_own(monkeypatch, schema):
    class Clock(batch.datetime):
        @classmethod
        def now(cls, tz=None):
            return cls(2026, 1, 31, 23, 59, 5, tzinfo=tz)

    monkeypatch.setattr(batch, "datetime", Clock)
    made = batch.stage_relation(MIRROR, "0123456789abcdef", schema)
    assert made == Relation(schema, "mirror__shop__orders__20260131t235905_01234567")


def test_a_branch_of_the_runs_own():
    warehouse = Recording()
    assert batch.begin_branch(warehouse, "mirror.o", "01-ab") == "lakemirror_01_ab"
    assert warehouse.statements == [
        "alter table mirror.o create or replace branch lakemirror_01_ab retain 1 days"
    ]
    run = run_of(warehouse)
    assert run.begin_branch() == "mirror.shop__orders.branch_lakemirror_0123456789_ab"
    assert run.branch == "lakemirror_0123456789_ab"


def test_tombstones_stand_beside_the_mirror():
    assert batch.tombstones_of(MIRROR) == Relation("mirror", "shop__orders__tombstones")


def test_pruning_rewrites_files():
    properties = {"write.merge.mode": "merge-on-read", "a": "b"}
    found = batch.tombstone_properties(properties)
    assert found == {"write.merge.mode": "copy-on-write", "a": "b"}
    assert properties["write.merge.mode"] == "merge-on-read"


# -- what it tells ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "is_told", "is_refused"),
    [("wait", True, True), ("wait", False, False), ("fail", False, True), ("warn", True, False)],
)
def test_columns_that_nobody_declares(policy, is_told, is_refused):
    """F17: a schema that is on its way is waited for."""
    warehouse = Recording(is_told=is_told)
    run = run_of(warehouse, SimpleNamespace(on_undeclared=policy))
    run.report_undeclared(Counts())
    assert warehouse.warnings == []
    if is_refused:
        with pytest.raises(RefusedError, match=r"lost: a, b\. Land the schema-change topic"):
            run.report_undeclared(Counts(undeclared=["a", "b"]))
    else:
        run.report_undeclared(Counts(undeclared=["a", "b"]))
        assert "their values are lost: a, b. " in warehouse.warnings[0]


@pytest.mark.parametrize("policy", ["quarantine", "fail"])
def test_records_that_cannot_be_used_are_kept_before_anything_is_refused(policy):
    warehouse = Recording()
    run = run_of(warehouse, lenient(policy))
    run.quarantine("s", Counts())
    assert warehouse.statements == warehouse.warnings == []
    if policy == "fail":
        with pytest.raises(RefusedError, match="3 events cannot be used"):
            run.quarantine("s", Counts(quarantined=3))
    else:
        run.quarantine("s", Counts(quarantined=3))
        assert "mirror_o: 3 records are in the quarantine, 3 new" in warehouse.warnings[0]
    records = "raw.t version as of 7"
    assert warehouse.statements == [("quarantine_batch_sql", "s", records, "mirror_o", "")]


@pytest.mark.parametrize(
    ("start", "open_before", "taken", "new", "left"),
    [(3, 5, 2, 1, 4), (None, 5, 2, 3, 3), (3, 2, 2, 0, 0), (3, 2, 0, 0, 2)],
)
def test_what_is_open_is_said_by_each_run(start, open_before, taken, new, left):
    """What reads all of raw meets all of it again."""
    warehouse = Recording()
    run = run_of(warehouse, lenient())
    run.batch = replace(run.batch, open=open_before, window=Window(start, 7, 9))
    run.taken = taken
    run.warn_of_quarantine(new)
    said = f"{left} records are in the quarantine, {new} new"
    assert [said in line for line in warehouse.warnings] == [True] * bool(left)


def test_too_many_bad_records_are_refused_and_not_kept():
    row = {"reason": "no key", "records": 40, "_kfk_topic": "t", "_kfk_partition": 0}
    warehouse = Recording(**{"examples": [row | {"_kfk_offset": 7, "value": "{}"}]})
    warehouse.sources.columns = lambda raw: []
    warehouse.sql = lambda macro, *arguments: "examples"
    with pytest.raises(RefusedError) as raised:
        run_of(warehouse, lenient(percent=1)).quarantine("s", Counts(read=50, quarantined=40))
    assert str(raised.value) == (
        "mirror_o: 40 of 50 records cannot be used, which is more than max_bad_rows_percent (1) "
        "allows:\n  - 40 records: no key, such as t 0:7\nThe next run reads all of them again. If "
        "they are to go to the quarantine, configure a higher max_bad_rows_percent. Nothing was "
        "written."
    )
    assert warehouse.statements == []


def test_what_is_read_beside_the_window():
    run = run_of()
    run.again = "(select again)"
    run.batch = replace(run.batch, window=Window(3, 7, 9))
    window = "raw.t with ('start-snapshot-id' = '3', 'end-snapshot-id' = '7')"
    assert run.records == f"(select * from {window} union all select * from (select again))"
    run.batch = replace(run.batch, window=Window(7, 7, 1))
    assert run.records == "(select again)"


def test_a_table_of_a_newer_package_is_left(monkeypatch):
    commits = SimpleNamespace(own_commit=commit(6, layout=LAYOUT + 1))
    monkeypatch.setattr(batch.Table, "read", lambda *read: commits)
    with pytest.raises(RefusedError, match=r"a newer lakemirror has written mirror\.shop__orders"):
        BatchRun(Recording(), model(existing=MIRROR), lenient())


# -- what the commit carries -----------------------------------------------------------------


def commit(number, **summary):
    return Snapshot(number, None, "append", {f"lakemirror.{n}": v for n, v in summary.items()})


def properties(before, max_src_ts=None, undeclared=(), is_rebuild=False, unguarded=0):
    previous = None if before is None else commit(6, **before)
    run = run_of(previous=previous, is_rebuild=is_rebuild)
    counts = replace(COUNTS, max_src_ts=max_src_ts, undeclared=[*undeclared], unguarded=unguarded)
    return run.properties(counts, "buckets", more=1)


def test_the_bookmark_and_the_counts():
    assert properties(None, "2026-01-02 00:00:00") == {
        "raw-table": "raw.t",
        "raw-snapshot-id": 7,
        "merged-by": "buckets",
        "max-src-ts": "2026-01-02 00:00:00",
        "read": 9,
        "applied": 4,
        "stale": 1,
        "duplicate": 2,
        "ignored": 1,
        "quarantined": 1,
        "unknown": None,
        "taken-in": None,
        "unguarded": None,
        "undeclared": None,
        "foreign-commits": None,
        "more": 1,
        "layout": LAYOUT,
        "invocation-id": "0123456789-ab",
    }
    assert properties(None, unguarded=2)["unguarded"] == 2


@pytest.mark.parametrize(
    ("before", "in_window", "newest"),
    [
        ("2026-01-02", "2026-01-01", "2026-01-02"),
        ("2026-01-02", "2026-01-03", "2026-01-03"),
        ("2026-01-02", None, "2026-01-02"),
    ],
)
def test_the_newest_source_time_never_goes_back(before, in_window, newest):
    assert properties({"max-src-ts": before}, in_window)["max-src-ts"] == newest


def test_without_a_change_there_is_no_newest_source_time():
    assert properties(None)["max-src-ts"] is None
    assert properties({})["max-src-ts"] is None
    assert properties({}, "2026-01-01")["max-src-ts"] == "2026-01-01"


def test_what_was_lost_once_is_told_until_a_rebuild():
    """F17."""
    before = {"undeclared": '["b"]'}
    assert properties(before)["undeclared"] == '["b"]'
    assert properties(before, undeclared=["b", "a"])["undeclared"] == '["a", "b"]'
    assert properties(before, undeclared=["a"], is_rebuild=True)["undeclared"] == '["a"]'


# -- another run -----------------------------------------------------------------------------


def overtaken(before, now):
    """Let a run that began after the commit ``before`` look at a table whose own is ``now``."""
    own = (now, None, "append", '{"lakemirror.raw-snapshot-id": "1"}')
    maintained = (9, now, "replace", "{}")
    warehouse = Recording(
        **{
            "show tblproperties mirror.shop__orders": [("current-snapshot-id", "9")],
            "select snapshot_id": [maintained, own] if now else [maintained],
        }
    )
    previous = commit(before) if before else None
    run = run_of(warehouse, previous=previous)
    run.branch = "b"
    return run, warehouse


@pytest.mark.parametrize(("before", "now"), [(None, 7), (6, 7), (7, None)])
def test_another_runs_commit_is_seen(before, now):
    """F34, F35: the bookmark never goes back."""
    run, warehouse = overtaken(before, now)
    with pytest.raises(OvertakenError, match=r"another run has merged into mirror\.shop__orders"):
        run.refuse_overtaken()
    assert warehouse.statements == ["alter table mirror.shop__orders drop branch b"]


def test_maintenance_that_carries_the_bookmark_on_is_no_other_run():
    """F36: it may end while a run judges its batch."""
    carried = '{"lakemirror.raw-snapshot-id": "1", "lakemirror.maintains": "7"}'
    run, warehouse = overtaken(7, 7)
    warehouse.answers["select snapshot_id"] = [(9, 8, "append", carried), (8, 7, "replace", "{}")]
    run.refuse_overtaken()
    assert warehouse.statements == []


@pytest.mark.parametrize(
    ("since", "tries"),
    [
        ([(8, 7, "replace", "{}")], 2),
        ([(9, 8, "append", '{"lakemirror.maintains": "7"}'), (8, 7, "replace", "{}")], 2),
        ([(8, 7, "append", "{}")], 1),
        ([(8, 6, "replace", "{}")], 1),
        ([], 1),
    ],
)
def test_a_run_commits_anew_behind_maintenance_alone(since, tries):
    """F36: what it has compared its batch with is the same."""
    run, warehouse = overtaken(7, 7)
    own = (7, None, "append", '{"lakemirror.raw-snapshot-id": "1"}')
    head = str((since or [own])[0][0])
    warehouse.answers["show tblproperties mirror.shop__orders"] = [("current-snapshot-id", head)]
    warehouse.answers["select snapshot_id"] = [*since, own]
    tried = []

    def commit():
        tried.append(1)
        if len(tried) == 1:
            raise OvertakenError("moved")
        return "done"

    if tries == 1:
        with pytest.raises(OvertakenError):
            run.until_committed(commit)
    else:
        assert run.until_committed(commit) == "done"
    assert len(tried) == tries


@pytest.mark.parametrize("number", [7, None])
def test_an_unchanged_mirror_is_not(number):
    """Maintenance may have committed meanwhile: it carries no bookmark."""
    run, warehouse = overtaken(number, number)
    run.refuse_overtaken()
    assert warehouse.statements == []


class Tables(Recording):
    """A warehouse that answers by the table that a query names: its snapshots, the newest last."""

    def rows(self, query):
        [snapshots] = [rows for table, rows in self.answers.items() if table in query]
        newest = [("current-snapshot-id", str(snapshots[-1][0]))]
        return newest if query.startswith("show tblproperties") else snapshots


@pytest.mark.parametrize(
    ("bookmark", "is_rebuild", "is_done"),
    [(5, False, False), (7, False, True), (8, False, True), (6, False, False), (8, True, False)],
)
def test_another_run_may_have_merged_all(bookmark, is_rebuild, is_done):
    """F34: by the history of raw, and not by the size of a number."""
    merged = (99, None, "append", f'{{"lakemirror.raw-snapshot-id": "{bookmark}"}}')
    raw = [(5, None, "append", "{}"), (7, 5, "append", "{}"), (8, 7, "append", "{}")]
    warehouse = Tables(**{"mirror.shop__orders": [merged], "raw.t": raw})
    assert run_of(warehouse, is_rebuild=is_rebuild).is_done() is is_done


def row_of_counts(**given):
    numbers = dict.fromkeys(batch.NUMBERS, 0)
    return {**numbers, "undeclared": "[]", "max_src_ts": None, "snapshot": None, **given}


def test_the_counts_of_all_logs_are_one():
    """A batch that follows is counted log by log."""
    end, later = ({"_tx_epoch": 0, "_tx_rank": n, "_tx_order": -1, "_tx_log": "1"} for n in (9, 10))
    one = {"read": 3, "applied": 2, "undeclared": '["b", "a"]', "snapshot": json.dumps(end)}
    two = {"read": 4, "max_src_ts": "2026-01-02", "undeclared": '["c", "a"]'}
    rows = [
        row_of_counts(**one, max_src_ts="2026-01-01"),
        row_of_counts(**two, snapshot=json.dumps(later)),
        row_of_counts(quarantined=1, snapshot=json.dumps({**end, "_tx_rank": None})),
    ]
    assert Counts.of(rows) == Counts(
        read=7,
        applied=2,
        quarantined=1,
        max_src_ts="2026-01-02",
        snapshot=json.dumps(later),
        undeclared=["a", "b", "c"],
    )
    assert Counts.of([]) == Counts()
