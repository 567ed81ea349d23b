"""What a mirror's run decides and asks for, with a warehouse that keeps what it is told."""

import json
from dataclasses import dataclass, replace
from types import SimpleNamespace

import pytest

from lakemirror.class_data import JAVA_OPTIONS
from lakemirror.layers import PLAIN
from lakemirror.runs.batch import Batch, Counts
from lakemirror.runs.evolve import Updates
from lakemirror.runs.mirror import ABSENT, ORDER_COLUMNS, MirrorRun, absent_property
from lakemirror.runs.mirror_plan import Known, Place, Plan, Shape, unsent_columns
from lakemirror.runs.route import Facts, choose_route
from lakemirror.runs.settings import MirrorSettings
from lakemirror.runs.warehouse import SHUFFLE, TASK_BYTES, Table
from lakemirror.source import evolution
from lakemirror.source.evolution import Evolution, Rules
from lakemirror.state.table_metadata import TableMetadata
from lakemirror.state.table_schema import SchemaChange, TableSchema
from lakemirror.state.tombstones import Memory
from lakemirror.state.window import HEAD, Snapshot, Window

FLOOR = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
START = {"_tx_epoch": 1, "_tx_rank": 7, "_src_ts": "2026-01-01 00:00:00"}
SHAPE = Shape(["id"], ["id", "v"], [], "hard")
PLACE = Place(None, False, None, {}, None, None)
PLAN = Plan(SHAPE, Evolution(), Evolution(), False, {}, [], [], frozenset())


class RefusedError(Exception):
    """What a warehouse that refuses raises."""


@dataclass(frozen=True)
class Relation:
    schema: str | None
    identifier: str

    def create(self, schema, identifier):
        return Relation(schema, identifier)

    def __str__(self):
        return f"{self.schema}.{self.identifier}"


MIRROR, TOMBSTONES = Relation("m", "o"), Relation("m", "o__tombstones")


class Recording:
    """A warehouse that keeps what it is told, and answers queries by how they begin."""

    layers = PLAIN

    def __init__(self, **answers):
        of_tombstones = {f"show tblproperties {TOMBSTONES}": [["current-snapshot-id", "71"]]}
        self.answers, self.did = {**answers, **of_tombstones}, []
        self.statements, self.configured = [], {}
        self.sources = SimpleNamespace(
            records_sql=lambda raw, clause="": f"{raw} {clause}".rstrip(),
            changed_key=lambda raw, key: self.answers.get("changed_key"),
            has_keys=lambda raw: True,
            known_key=lambda raw: self.answers.get("known_key", []),
            columns=lambda raw: self.answers.get("columns", []),
        )

    def rows(self, query):
        return next(rows for start, rows in self.answers.items() if query.startswith(start))

    def metadata(self, relation):
        return None

    def stage(self, stage, query, settings):
        self.run(query)

    def run(self, statement):
        self.statements.append(statement)

    retry = run

    def configure(self, settings):
        self.configured |= settings

    def setting(self, name, default=None):
        return self.answers.get(name, default)

    def sql(self, macro, *arguments):
        if macro == "properties_clause":
            return f"properties {sorted(arguments[0].items())}"
        return ", ".join(arguments[0]) if macro == "key_columns" else (macro, *arguments)

    def say(self, line):
        self.did.append("said")

    def warn(self, line):
        self.did.append("warned")

    def refuse(self, problem):
        raise RefusedError(problem)


def run_of(warehouse=None, previous=None, is_rebuild=False, is_first=False, records=9, **config):
    """A run that has begun, with a batch up to snapshot 7 of raw."""
    run = MirrorRun.__new__(MirrorRun)
    run.warehouse = warehouse or Recording()
    run.settings = MirrorSettings.read({"unique_key": ["id"], **config})
    run.has_buckets = bool(run.settings.buckets)
    run.target, run.tombstones, run.table, run.branch = MIRROR, TOMBSTONES, None, None
    run.model = SimpleNamespace(
        name="mirror_o",
        sql="select * from /* changes(raw.o) */raw.o/* changes(raw.o) */",
        existing=MIRROR,
        invocation_id="run-1",
        has_days=True,
    )
    columns = [{"name": n, "data_type": "int"} for n in ("id", "v", *ORDER_COLUMNS)]
    window = Window(None, 7, records)
    run.batch = Batch("raw.o", window, columns, True, False, previous, is_rebuild, is_first)
    run.memory = Memory("m.t", None)
    return run


def facts(**given):
    known = {
        **{"records": 9, "bytes": 1, "stage_from": 10, "merge_mode": "merge-on-read"},
        **{"deletes": "hard", "buckets": None, "has_buckets": False, "fills": False},
        **{"is_rebuild": False, "is_first": False},
    }
    return Facts(**known | given)


CACHED = choose_route(facts(changed=1))
STAGED = choose_route(facts(changed=1, records=99))


def commit(**summary):
    return Snapshot(7, None, "append", {f"lakemirror.{n}": v for n, v in summary.items()})


# -- the tables and their settings -----------------------------------------------------------


@pytest.mark.parametrize("create", ["create table if not exists", "create or replace table"])
def test_tombstones_have_the_key_and_the_order(create):
    run = run_of(buckets=2)
    macro, table, columns, settings, properties, verb = run.tombstones_sql(create)
    assert (macro, table, settings, verb) == ("create_mirror_sql", TOMBSTONES, run.settings, create)
    assert [column["name"] for column in columns] == ["id", *ORDER_COLUMNS]
    assert properties["write.merge.mode"] == "copy-on-write"
    assert properties == run.settings.properties | {"write.merge.mode": "copy-on-write"}


def followed(partitioning, shown=None, **config):
    """What is run and said of a table with these properties beside those it is made with."""
    run = run_of(unique_key="a`b", buckets=4, **config)
    made = {name: str(value) for name, value in run.settings.properties.items()}
    warehouse = run.warehouse = Recording(
        describe=[
            ("a`b", "int", None),
            ("# Partitioning", "", ""),
            *((f"Part {n}", text, "") for n, text in enumerate(partitioning)),
        ]
    )
    run.table = Table(MIRROR, made | (shown or {}), warehouse)
    run.follow_settings()
    return warehouse.statements, warehouse.did, run.has_buckets


def test_nothing_has_changed():
    properties = {"x": "a,b=c", "y": 1}
    done = followed(["bucket(4, `a``b`)"], {"z": "theirs"}, table_properties=properties)
    assert done == ([], [], True)


def with_properties(table, properties):
    return f"alter table {table} set properties {sorted(properties.items())}"


def test_the_table_is_changed_last():
    """F32: a run that dies in between finds the same to do."""
    shown = {"x": "1", "y": "10", "write.merge.mode": "copy-on-write"}
    done, said, has_buckets = followed(["bucket(4, a`b)"], shown, table_properties={"y": 1})
    changed = {"y": "1", "write.merge.mode": "merge-on-read"}
    assert done == [
        with_properties(TOMBSTONES, changed | {"write.merge.mode": "copy-on-write"}),
        with_properties(MIRROR, changed),
    ]
    assert (said, has_buckets) == (["said"], True)


@pytest.mark.parametrize("partitioning", [["bucket(2, a`b)"], []])
def test_other_buckets_are_told(partitioning):
    assert followed(partitioning) == ([], ["warned"], False)


def test_no_version_goes_back():
    with pytest.raises(RefusedError, match="configure format_version=3"):
        followed([], {"format-version": "3"})


def test_a_rebuild_takes_the_settings_as_they_are():
    run = run_of(is_rebuild=True, buckets=4)
    run.table = Table(MIRROR, {}, Recording(describe=[]))
    run.follow_settings()
    assert run.warehouse.statements == run.warehouse.did == []


# -- the key ---------------------------------------------------------------------------------


def key_run(known=None, source_key=None, is_rebuild=False, newest=None, moved=0, **answers):
    previous = commit(**({"key": known} if known else {}))
    rows = {"newest_key_sql": [(newest,)], "moved_rows_sql": [(moved, newest)]}
    warehouse = Recording(changed_key=source_key, **rows, **answers)
    warehouse.sql = lambda macro, *arguments: macro
    return run_of(warehouse, previous, is_rebuild, unique_key=["part", "id"])


def test_a_key_that_is_the_same():
    key_run().refuse_key()
    key_run(known='["id", "part"]').refuse_key()
    key_run(known='["id"]', is_rebuild=True).refuse_key()


def test_a_key_that_has_changed():
    """Case 61."""
    with pytest.raises(RefusedError) as raised:
        key_run(known='["id"]').refuse_key()
    assert str(raised.value) == (
        "mirror_o: unique_key has changed: it was id and is part, id. Nothing was written. Rebuild "
        "the mirror from raw: dbt run --full-refresh --select mirror_o --vars "
        "'{allow_full_refresh: true}'"
    )
    with pytest.raises(RefusedError, match="the source has another key: it was part, id and is x"):
        key_run(source_key=["x"], is_rebuild=True).refuse_key()


@pytest.mark.parametrize(
    ("newest", "schema"),
    [
        (None, []),
        ('{"ID": 1, "part": 2}', []),
        ('{"old_id": 1, "part": 2}', []),
        ('{"schema": {}, "payload": {"id": 1, "part": 2}}', ["id"]),
        ('{"id": 1}', ["id", "part"]),
        ("7", ["part", "id"]),
    ],
)
def test_a_key_that_the_records_or_the_schema_have(newest, schema):
    """G1: a record from before an ALTER TABLE has the former key, and a rename the former name."""
    columns = [{"name": "id", "former": ["old_id"]}, {"name": "part", "former": []}]
    key_run(newest=newest, known_key=schema, columns=columns).refuse_key()


@pytest.mark.parametrize(
    ("newest", "moved", "is_told"),
    [
        ('{"id": 1}', 2, True),
        ('{"id": 1}', 0, False),
        ('{"id": 1, "part": 2, "more": 3}', 2, False),
        (None, 2, False),
    ],
)
def test_rows_that_their_records_key_does_not_follow(newest, moved, is_told):
    """B18: it is looked for where the records' key lacks a part of the mirror's."""
    columns = [{"name": "id", "former": []}, {"name": "part", "former": []}]
    run = key_run(newest=newest, moved=moved, known_key=["id", "part"], columns=columns)
    run.refuse_key()
    assert run.warehouse.did == (["warned"] if is_told else [])


@pytest.mark.parametrize(
    ("newest", "schema", "found"),
    [
        ('{"id": 1}', [], "and the records' key is id: rows"),
        ("7", ["id"], "and raw.schema_history has id: rows"),
        (None, ["id"], "and raw.schema_history has id: rows"),
        ('{"id": 1}', ["x"], "and the records' key is id and raw.schema_history has x: rows"),
        ('{"id": 1, "part": 2, "more": 3}', [], "and the records' key is id, part, more: rows"),
    ],
)
def test_a_key_that_is_not_the_sources(newest, schema, found):
    with pytest.raises(RefusedError) as raised:
        key_run(newest=newest, known_key=schema).refuse_key()
    assert f"mirror_o: unique_key is part, id, {found} that share" in str(raised.value)


def test_the_columns_beside_the_key():
    assert unsent_columns(["id", "v", "_op", "_unsent"], ["id"]) == ["v"]


def test_none_where_every_change_is_a_whole_row():
    assert unsent_columns(["id", "v", "_op"], ["id"]) == []


# -- what the batch is compared with ---------------------------------------------------------


def known(run, start=None, route=STAGED, **plan):
    return run.known("s", replace(PLAN, **plan), replace(PLACE, start=start), route)


def test_a_batch_is_judged_by_what_may_be_newer():
    rows = ("rows_to_judge", "m.o", START, False)
    assert known(run_of(), START) == Known(rows, ("rows_to_judge", "m.t", START))
    assert known(run_of()) == Known("m.o", "m.t")


def test_a_small_batch_reads_the_mirror_as_it_was():
    """Decision 10: a cached batch may be computed again."""
    run = run_of()
    run.table = Table(MIRROR, {"current-snapshot-id": "5"}, run.warehouse)
    assert known(run, route=CACHED).rows == "m.o version as of 5"


def test_a_column_that_the_mirror_is_to_get_is_asked_for():
    added = Evolution(added=["n", "_unsent"])
    assert known(run_of(), mirror=added).rows == ("rows_to_judge", "m.o", None, True)
    assert known(run_of(), mirror=Evolution(added=["n"])).rows == "m.o"


def test_a_rebuild_is_judged_by_no_row_and_by_no_delete_of_another_key():
    for run in (run_of(is_rebuild=True), run_of(is_first=True)):
        found = known(run, START)
        assert found.rows == "(select * from s where false)"
        assert found.deletes == ("rows_to_judge", "m.t", START)
    none = f"(select {', '.join(['id', *ORDER_COLUMNS])} from s where false)"
    assert known(run_of(is_rebuild=True), START, has_new_key=True).deletes == none
    run = run_of(is_first=True)
    run.memory = Memory("m.t", None, is_unwritten=True)
    assert known(run).deletes == none


@pytest.mark.parametrize(("records", "tasks"), [(9_999, "1"), (10_000, "2")])
def test_few_records_are_one_task(records, tasks):
    run, staged = run_of(records=records), []
    route = choose_route(facts(changed=1, records=records, stage_from=400_000))
    stage = run.stage(PLAN, route, staged)
    assert run.warehouse.configured["spark.sql.shuffle.partitions"] == tasks
    assert (stage.schema, staged) == (None, [stage])


@pytest.mark.parametrize(
    ("size", "beside", "buckets", "known", "tasks"),
    [
        (1, 0, None, 2, None),
        (5 * TASK_BYTES + 1, 0, None, 2, 6),
        (5 * TASK_BYTES + 1, 0, None, 8, None),
        (TASK_BYTES, 9 * TASK_BYTES, None, 2, 10),
        (TASK_BYTES, 9 * TASK_BYTES, 4, 2, None),
        (10**15, 0, None, 2, 10_000),
    ],
)
def test_a_staged_batch_has_tasks_by_its_size(size, beside, buckets, known, tasks):
    """And by the mirror's, where that is shuffled too; the session's own, where it has more."""
    warehouse = Recording(**{SHUFFLE: str(known)})
    run = run_of(warehouse, buckets=buckets)
    run.batch = replace(run.batch, window=Window(None, 7, 9, size))
    sizes = {7: 10**12, 8: beside, 9: 10**12}  # of the main branch, and of another
    snapshots = [
        Snapshot(n, None, "append", {"total-files-size": str(size)}) for n, size in sizes.items()
    ]
    metadata = TableMetadata({HEAD: "8"}, snapshots, [], [])
    run.table = Table(MIRROR, metadata.properties, warehouse, metadata)
    assert run.stage(PLAN, STAGED, []).schema == "stage"
    joined = warehouse.configured.keys() - {SHUFFLE}
    assert (warehouse.configured.get(SHUFFLE), bool(joined)) == (tasks, bool(buckets))


@pytest.mark.parametrize(
    ("records", "options", "said"),
    [
        (1_000_000, "-Xmn1g -XX:TieredStopAtLevel=1", ["said"]),
        (999_999, "-XX:TieredStopAtLevel=1", []),
        (1_000_000, "-Xmn1g", []),
    ],
)
def test_a_large_batch_by_the_quick_compiler_says_so(records, options, said):
    warehouse = Recording(**{SHUFFLE: "2", JAVA_OPTIONS: options})
    run = run_of(warehouse, records=records)
    run.stage(PLAN, STAGED, [])
    assert warehouse.did == said


def test_a_table_without_rows_has_no_bytes():
    metadata = TableMetadata({HEAD: "none"}, [], [], [])
    assert Table(MIRROR, metadata.properties, Recording(), metadata).bytes == 0


# -- what the table's metadata says ----------------------------------------------------------


def schema_of(key=(), **required):
    columns = {name: {"name": name, "type": "int", "required": r} for name, r in required.items()}
    return TableSchema(columns, key)


def planned(there, wanted, **rules):
    """A plan for these columns, name and type, of a table that has others."""
    columns = [[{"name": n, "data_type": k} for n, k in c.items()] for c in (there, wanted)]
    found = evolution.plan(*columns, [], Rules(**rules))
    return replace(PLAN, shape=replace(SHAPE, columns=found.names), mirror=found)


def test_a_required_column_that_is_renamed_is_looked_for_by_its_former_name():
    run = run_of(previous=commit())
    run._schema = [schema_of(id=True, old=True, w=False)]
    kinds = {"id": "int", "w": "int"}
    plan = planned(kinds | {"old": "int"}, kinds | {"new": "int"}, renamed={"new": ["old"]})
    assert run.needed(plan) == ["new"]


def source_column(name, **more):
    default = {"text": "7", "lake": "int"}
    known = {"is_dropped": False, "is_required": True, "added": None}
    return {"name": name, "write_default": default, "write_default_problem": None, **known, **more}


def test_what_the_source_says_is_of_the_tables_columns():
    """Another case of a name is none; a column that a type conflict has made has the new values."""
    columns = [source_column("ID"), source_column("tier"), source_column("v")]
    run = run_of(Recording(columns=columns), previous=commit(), format_version=3)
    run._schema = [schema_of(id=False, Tier=False, v=False, v__v2=False)]
    there = {"id": "int", "Tier": "int", "v": "int"}
    plan = planned(
        there, {"ID": "int", "tier": "int", "v": "string"}, on_type_conflict="new_column"
    )
    assert [*run.placed(plan)] == ["id", "Tier", "v__v2"]
    assert run.required(plan) == {"Tier", "v__v2"}
    assert run.source_defaults(plan) != run.source_defaults(PLAN)


@pytest.mark.parametrize("on_type_conflict", ["new_column", "string"])
def test_what_a_type_conflict_has_made_reads_no_default(on_type_conflict):
    run = run_of(Recording(), previous=commit(), format_version=3)
    run._schema = [schema_of(id=True, v=False)]
    there = [{"name": name, "data_type": "int"} for name in ("id", "v")]
    run.table = SimpleNamespace(names=["id", "v"], as_of_now=lambda: "m.o")
    wanted = {"id": "int", "v": "string"}
    plan = planned(
        {column["name"]: "int" for column in there}, wanted, on_type_conflict=on_type_conflict
    )
    assert plan.mirror.added
    assert run.literals(replace(plan, defaults={"v": "'7'"})) == {}


@pytest.mark.parametrize(
    ("required", "schema", "foreign", "change"),
    [
        ('["v"]', schema_of(id=False, v=False), [], SchemaChange(key=["id"], required=["v"])),
        ('["v"]', schema_of(id=False, v=False), ["theirs"], None),
        ('["v"]', schema_of(["id"], id=True, v=False), [], None),  # a day has relaxed it since
        (None, schema_of(id=False, v=False), [], None),
        ('["v"]', None, [], None),
    ],
)
def test_what_a_rebuild_that_died_has_left(required, schema, foreign, change):
    run, changes = run_of(), []
    run.warehouse.schema_of = lambda relation: schema
    run.warehouse.change_schema = lambda relation, given: changes.append(given)
    run.table, run._schema = SimpleNamespace(foreign_commits=foreign), []
    run.agree_anew(required)
    assert [(c.key, c.required) for c in changes] == ([(change.key, ["v"])] if change else [])


# -- what is outdated, and what is not known -------------------------------------------------


def test_what_lies_below_a_floor_leaves_the_stage():
    """Cases 33, 34: where a delete outdates some of it, too."""
    run, place = run_of(), replace(PLACE, floor=FLOOR)
    both = replace(STAGED, cuts_truncated=True, cuts_outdated=True)
    run.cut("s", Known("m.o", "m.t"), place, both)
    below = ("floor_condition", "stage", "<", FLOOR)
    assert run.warehouse.statements == [
        f"delete from s as stage where stage._outcome = 'change' and {below}",
        ("drop_outdated_sql", "s", "m.t", ["id"]),
    ]
    run.cut("s", Known("m.o", "m.t"), place, CACHED)
    assert len(run.warehouse.statements) == 2


@pytest.mark.parametrize(("deletes", "outdated"), [("hard", " and not _is_outdated"), ("soft", "")])
def test_what_a_judged_batch_still_tells(deletes, outdated):
    """A row that is deleted softly keeps what older changes know of it."""
    run = run_of(deletes=deletes)
    told = f"(select * from s where not _is_truncated{outdated})"
    assert run.remaining("s", replace(CACHED, keeps_verdicts=True)) == told
    assert run.remaining("s", STAGED) == "s"


def test_live_rows_with_a_column_that_has_no_order_are_told():
    completed = "completed__s"
    query = (
        f"select count(*) as unknown from None.{completed} where _op <> 'd' and "
        "exists(_unsent, unsent -> unsent._tx_epoch is null)"
    )
    run, staged = run_of(Recording(**{query: [(2,)]})), []
    run.table = Table(MIRROR, {"current-snapshot-id": "5"}, run.warehouse)
    stage, unknown = run.complete(Relation(None, "s"), PLAN, Updates(), PLACE, CACHED, staged)
    assert (stage, unknown) == (Relation(None, completed), 2)
    assert run.warehouse.did == ["warned"]


def test_rows_that_a_snapshot_lacks_are_counted_and_kept():
    """A row that it lists has its order by now, or a newer one."""
    order = {"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 7, "_tx_order": -1}
    older = ("before_snapshot", "target", order)
    query = f"select count(*) as absent from m.o as target where {older}"
    run = run_of(Recording(**{query: [(3,)]}))
    run.table = Table(MIRROR, {}, run.warehouse)
    run.check_snapshot(json.dumps(order))
    found = {ABSENT: absent_property(json.dumps(order), 3)}
    assert run.warehouse.statements == [with_properties(MIRROR, found)]
    assert run.warehouse.did == ["warned"]


# -- the commit ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "newest", "has_days", "is_kept"),
    [
        ("2026-01-31 23:59:59", "2026-02-02 00:00:00", True, True),
        ("2026-01-31 00:00:00", "2026-01-31 23:59:59", True, False),
        ("2026-01-31 23:59:59", "2026-02-02 00:00:00", False, False),
        ("2026-01-31 23:59:59", None, True, False),
        (None, "2026-01-31 23:59:59", True, False),
    ],
)
def test_when_a_base_is_kept(before, newest, has_days, is_kept):
    """F49: where the first change of another day comes, and there are days to publish."""
    previous = commit(**({"max-src-ts": before} if before else {}))
    run = run_of(previous=previous)
    run.model.has_days = has_days
    run.keep_base(Counts(max_src_ts=newest))
    wanted = (
        [("tag_sql", MIRROR, "lakemirror_base_2026_01_31", previous.id, "7 days")]
        if is_kept
        else []
    )
    assert run.warehouse.statements == wanted


def test_a_rebuilt_mirror_was_no_base_of_a_day():
    warehouse = Recording(**{"select name, snapshot_id": [("lakemirror_base_2026_01_31", 7)]})
    run = run_of(warehouse, commit(**{"max-src-ts": "2026-01-31 23:59:59"}), is_rebuild=True)
    run.keep_base(Counts(max_src_ts="2026-02-02 00:00:00"))
    dropped = "alter table m.o drop tag if exists `lakemirror_base_2026_01_31`"
    assert warehouse.statements == [dropped]


def test_a_truncate_removes_what_lies_below_it():
    """Cases 33, 34; and nothing is deleted where nothing has changed."""
    run = run_of(buckets=16)
    unchanged = choose_route(facts(follows=True))
    run.remove_replaced("m.o", "batch", PLACE, unchanged, "")
    assert run.warehouse.statements == []
    place = replace(PLACE, floor=FLOOR)
    run.remove_replaced("m.o", "batch", place, CACHED, "and b")
    applied = "(select * from batch where _is_applied)"
    assert run.warehouse.statements == [
        f"delete from m.o as target where {('floor_condition', 'target', '<', FLOOR)}",
        ("remove_replaced_sql", "m.o", applied, ["id"], "broadcast", "and b"),
    ]


@pytest.mark.parametrize(
    ("given", "has_verdicts"),
    [
        ({}, True),
        ({"follows": True}, False),
        ({"follows": True, "fills": True, "partial": 1}, True),
        ({"records": 99, "follows": True}, False),
    ],
)
def test_only_what_is_applied_is_written(given, has_verdicts):
    applied = run_of().applied("batch", choose_route(facts(**given)))
    assert applied == ("(select * from batch where _is_applied)" if has_verdicts else "batch")


def test_each_way_has_its_statement():
    run, place = run_of(), replace(PLACE, floor=FLOOR)

    def statement(**given):
        route = choose_route(facts(**given))
        return run.statement("m.o", "s", PLAN, place, route, "t", "rows")

    assert statement(is_rebuild=True) == ("rebuild_sql", "m.o", "rows", run.settings)
    assert statement(records=99) == ("merge_sql", "m.o", "s", SHAPE, FLOOR, "t")
    first = {"records": 99, "is_first": True, "buckets": 4, "has_buckets": True}
    assert statement(**first) == ("insert_rows_sql", "m.o", "s", SHAPE, False)
    assert statement(follows=True) == ("insert_rows_sql", "m.o", "s", SHAPE, False)
    moved = {"follows": True, "records": 99}
    assert statement(**moved) == ("insert_rows_sql", "m.o", "s", SHAPE, True)


def test_what_a_mirrors_commit_knows_of_the_order():
    place = Place(None, False, {}, {"1": {"0": "2026"}}, None, None)
    found = run_of().commit_properties(PLAN, place, STAGED, Counts(read=9))
    own = ("epochs", "floor", "end", "returned", "key", "merged-by", "raw-snapshot-id", "read")
    assert {name: found[name] for name in own} == {
        "epochs": '{"1": {"0": "2026"}}',
        "floor": None,
        "end": "{}",
        "returned": None,
        "key": '["id"]',
        "merged-by": "shuffle",
        "raw-snapshot-id": 7,
        "read": 9,
    }
    floored = replace(PLACE, floor=FLOOR)
    found = run_of().commit_properties(PLAN, floored, CACHED, Counts())
    assert found["floor"] == '{"_tx_epoch": 0, "_tx_order": 3, "_tx_rank": 10}'
    assert (found["epochs"], found["end"], found["merged-by"]) == (None, None, "broadcast")


def test_what_was_renewed():
    """Case 61."""
    column = {"name": "n", "until": {"src_ts": "2026-01-01", "file": "a.1", "pos": 7}}
    plan = replace(PLAN, returned=[column])
    found = run_of().commit_properties(plan, PLACE, STAGED, Counts())
    assert found["returned"] == '[["n", "2026-01-01", "a.1", 7]]'
