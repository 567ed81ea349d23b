"""A key in a lake that PyIceberg has written: what is found, whatever its records are like."""

import json
import sys
from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from pyiceberg.table import Table

from lakemirror.cli import key_records as records
from lakemirror.cli.main import main
from support.small_lake import add_table, small_lake

TIME = pa.timestamp("us", "UTC")
RAW = pa.schema(
    [
        *(("key", pa.string()), ("value", pa.string()), ("_kfk_topic", pa.string())),
        *(("_kfk_partition", pa.int32()), ("_kfk_offset", pa.int64()), ("_src_ts", TIME)),
    ]
)
COORDINATES = [("topic", pa.string()), ("partition", pa.int32()), ("offset", pa.int64())]
SINK = pa.schema([("value", pa.string()), ("_kafka_metadata", pa.struct(COORDINATES))])
ORDER = [
    *(("_tx_log", pa.string()), ("_tx_epoch", pa.int64()), ("_tx_rank", pa.int64())),
    *(("_tx_order", pa.int64()), ("_kfk_partition", pa.int32()), ("_kfk_offset", pa.int64())),
]
KEY = [("day", pa.date32()), ("code", pa.string())]
MIRROR = pa.schema([*KEY, ("v", pa.int32()), *ORDER])
TOMBSTONES = pa.schema([*KEY, *ORDER])
QUARANTINE = pa.schema(
    [
        *(("model", pa.string()), ("reason", pa.string()), ("key", pa.string())),
        *(("value", pa.string()), ("_kfk_partition", pa.int32()), ("_kfk_offset", pa.int64())),
        ("quarantined_at", TIME),
    ]
)
DAYS = {20484: date(2026, 1, 31), 20485: date(2026, 2, 1)}
NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)
AT = {"_tx_log": "1", "_tx_epoch": 0, "_tx_order": 1, "_kfk_partition": 0}


def event(op, pos, day, code="a", v=None, before=None):
    image = {"day": day, "code": code, "v": v}
    source = {"connector": "mariadb", "server_id": 1, "file": "b.1", "pos": pos, "row": 0}
    was = None if before is None else image | {"v": before}
    return {"op": op, "before": was, "after": None if op == "d" else image, "source": source}


def record(offset, value, key=True, **more):
    """A row of the raw table, keyed by its event's day and code, or by what ``key`` is."""
    if key is True:
        image = value["after"] or value["before"]
        key = json.dumps({"day": image["day"], "code": image["code"]})
    text = None if value is None else json.dumps(value)
    place = {"_kfk_topic": "s.s.t", "_kfk_partition": 0, "_kfk_offset": offset}
    return {"key": key, "value": text, **place, "_src_ts": NOON, **more}


HISTORY = [
    record(0, event("c", 10, 20484, v=1)),
    record(1, event("c", 12, 20484, code="b", v=5)),
    record(2, event("u", 30, 20484, v=3, before=2)),
    record(3, event("u", 20, 20484, v=2, before=1)),  # came late
    record(4, event("u", 20, 20484, v=2, before=1)),  # and again
    record(5, event("d", 40, 20485, before=7)),
    record(6, None, key='{"day":20485,"code":"a"}'),
    record(7, event("u", 50, 20484, v=4, before=3)),  # in quarantine
]


def row(schema, **values):
    return pa.Table.from_pylist([AT | values], schema=schema)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fill(folder, history=HISTORY, schema=RAW):
    """A lake of these records, all merged, and some that landed afterwards."""
    lake = small_lake(folder, {})
    raw = add_table(lake, "raw.s__t", pa.Table.from_pylist(history, schema=schema))
    bookmark = {"lakemirror.raw-snapshot-id": str(raw.current_snapshot().snapshot_id)}
    stands = row(MIRROR, day=DAYS[20484], code="a", v=3, _tx_rank=30, _kfk_offset=2)
    add_table(lake, "mirror.s__t", stands, **bookmark)
    deleted = row(TOMBSTONES, day=DAYS[20485], code="a", _tx_rank=40, _kfk_offset=5)
    add_table(lake, "mirror.s__t__tombstones", deleted)
    apart = {"model": "mirror_s__t", "reason": "undecodable: v", "quarantined_at": NOON}
    apart |= {"_kfk_partition": 0, "_kfk_offset": 7}
    apart |= {name: history[-1].get(name) for name in ("key", "value")}
    add_table(lake, "ops.quarantine", pa.Table.from_pylist([apart], schema=QUARANTINE))
    return lake


@pytest.fixture
def show(folder, monkeypatch, capsys):
    def call(*arguments, code=0):
        monkeypatch.setattr(sys, "argv", ["lakemirror", "show", *arguments])
        capsys.readouterr()
        assert main() == code
        out, error = capsys.readouterr()
        return json.loads(out) if "--json" in arguments and not error else out + error

    return call


ASKED = ("s.t", "--key", '{"day": "2026-01-31", "code": "a"}')


def test_a_row_and_its_history_in_the_order_of_the_source(folder, show):
    """The records encode the key's date as a number, which the mirror's own record tells."""
    found = (fill(folder), show(*ASKED, "--json"))[1]
    assert [(c["offset"], c["op"], c["outcome"]) for c in found["history"]] == [
        (0, "c", "is older"),
        (3, "u", "is older"),
        (4, "u", "came again"),
        (2, "u", "is the row"),
        (7, "u", "in quarantine: undecodable: v"),
    ]
    assert found["history"][1]["changed"] == {"v": [1, 2]}
    assert found["history"][1]["order"] == "b.1:20:0"
    assert (found["row"]["v"], found["tombstone"], found["records"]) == (3, None, 5)
    assert [(q["_kfk_offset"], q["reason"]) for q in found["quarantine"]] == [(7, "undecodable: v")]
    assert found["verdict"] == "mirror.s__t has the row."


@pytest.mark.parametrize(
    ("state", "reason", "outcome"),
    [
        (None, None, "in quarantine: undecodable: v"),
        ("left out", "a test of the till", "left out: a test of the till"),
        ("taken in", None, "is older"),
    ],
)
def test_a_settled_record_of_the_quarantine(folder, show, state, reason, outcome):
    """What was taken in is in the quarantine no more, and it is said what is settled, and why."""
    lake = fill(folder)
    names = {"settled_at": TIME, "settled_as": pa.string(), "settled_reason": pa.string()}
    [kept] = lake.load_table("ops.quarantine").scan().to_arrow().to_pylist()
    kept |= {"settled_at": NOON if state else None, "settled_as": state, "settled_reason": reason}
    lake.drop_table("ops.quarantine")
    schema = pa.schema([*QUARANTINE, *names.items()])
    add_table(lake, "ops.quarantine", pa.Table.from_pylist([kept], schema=schema))
    found = show(*ASKED, "--json")
    assert found["history"][-1]["outcome"] == outcome
    [told] = found["quarantine"]
    assert (told["state"], told["settled_reason"]) == (state or "open", reason)
    assert (reason or state or "open") in show(*ASKED)


def test_what_has_landed_since_is_not_merged_yet(folder, show):
    lake = fill(folder)
    raw = lake.load_table("raw.s__t")
    late = record(8, event("u", 60, 20484, v=9, before=3))
    raw.append(pa.Table.from_pylist([late], schema=RAW))
    last = show(*ASKED, "--json")["history"][-1]
    assert (last["offset"], last["outcome"]) == (8, "not merged yet")


def test_a_delete_that_is_remembered(folder, show):
    fill(folder)
    key = '{"day": "2026-02-01", "code": "a"}'
    found = show("mirror_s__t", "--key", key, "--json")
    assert [(c["offset"], c["op"], c["outcome"]) for c in found["history"]] == [
        (5, "d", "is the delete that is remembered"),
        (6, "tombstone", "ignored"),
    ]
    assert (found["row"], found["tombstone"]["_tx_rank"]) == (None, 40)
    assert "it was deleted, and the delete is remembered" in show("s__t", "--key", key)


def test_a_key_that_nobody_knows(folder, show):
    fill(folder)
    said = show("mirror.s__t", "--key", '{"day": "2026-01-01", "code": "a"}', code=1)
    assert "No record of it is in raw.s__t.\n" in said
    assert said.endswith("Neither mirror.s__t nor raw.s__t has this key.\n")


@pytest.mark.parametrize("key", [None, '{"other": 1}', "no json"])
def test_records_without_their_key_are_found_by_their_rows(folder, show, key):
    fill(folder, [{**r, "key": key} for r in HISTORY if r["value"]])
    found = show(*ASKED, "--json")
    assert [c["offset"] for c in found["history"]] == [0, 3, 4, 2, 7]


def test_records_with_their_connect_schemas(folder, show):
    def wrapped(text):
        fields = [{"field": "day", "type": "int32"}, {"field": "code", "type": "string"}]
        return text and json.dumps({"schema": {"fields": fields}, "payload": json.loads(text)})

    fill(folder, [{**r, "key": wrapped(r["key"]), "value": wrapped(r["value"])} for r in HISTORY])
    assert [c["offset"] for c in show(*ASKED, "--json")["history"]] == [0, 3, 4, 2, 7]


def test_records_that_icebergs_sink_has_written(folder, show):
    """Their coordinates are a struct, and no key is there."""
    sunk = [
        {"value": r["value"], "_kafka_metadata": {"partition": 0, "offset": r["_kfk_offset"]}}
        for r in HISTORY
        if r["value"]
    ]
    fill(folder, sunk, SINK).drop_table("ops.quarantine")
    assert [c["offset"] for c in show(*ASKED, "--json")["history"]] == [0, 3, 4, 2, 7]


def test_the_newest_of_many(folder, show):
    fill(folder)
    found = show(*ASKED, "--last", "2", "--json")
    assert ([c["offset"] for c in found["history"]], found["records"]) == ([4, 7], 5)
    said = show(*ASKED, "--last", "2")
    assert "These are the newest 2 of 5 records; --last shows more.\n" in said


def test_it_is_read_batch_by_batch(folder, show, monkeypatch):
    fill(folder)
    monkeypatch.setattr(records, "ROWS", 2)
    sizes = []
    batches = records.batches

    def counted(*arguments):
        for batch in batches(*arguments):
            sizes.append(len(batch))
            yield batch

    monkeypatch.setattr(records, "batches", counted)
    assert [c["offset"] for c in show(*ASKED, "--json")["history"]] == [0, 3, 4, 2, 7]
    assert (max(sizes), sum(sizes)) == (2, len(HISTORY))


def test_values_are_read_of_found_records_alone(folder, show, monkeypatch):
    fill(folder)
    asked = []
    scan = Table.scan
    monkeypatch.setattr(Table, "scan", lambda *a, **k: asked.append((a, k)) or scan(*a, **k))
    show(*ASKED)
    read = [(a[1:], k) for a, k in asked if "value" in k.get("selected_fields", ())]
    assert read
    assert all(filters or keywords.get("row_filter") for filters, keywords in read)


@pytest.mark.parametrize(
    ("table", "key", "problem"),
    [
        ("s.x", "1", "no mirror s.x is in the project or the lake; did you mean s.t?"),
        ("s.t", "1", 'give a JSON object, such as \'{"day": "...", "code": "..."}\''),
        ("s.t", '{"day": "2026-01-31"}', "the key has the columns day, code, and not day."),
        ("s.t", '{"day": "soon", "code": "a"}', "'soon' is no value of the key column day, a date"),
    ],
)
def test_a_wrong_call(folder, show, table, key, problem):
    fill(folder)
    assert problem in show(table, "--key", key, code=2)


def test_a_mirror_that_is_not_built(folder, show):
    small_lake(folder, {"raw.s__t": pa.Table.from_pylist(HISTORY, schema=RAW)})
    model = folder / "models/mirror/mirror_s__t.sql"
    model.parent.mkdir(parents=True)
    model.write_text("select 1")
    found = show("s.t", "--key", '{"day": 20484, "code": "b"}', "--json")
    assert [(c["offset"], c["outcome"]) for c in found["history"]] == [(1, "not merged yet")]
    assert found["verdict"] == "mirror.s__t is not built yet: dbt run --select mirror_s__t."


def test_a_key_that_was_changed_without_a_rebuild(folder, show):
    fill(folder)
    (folder / "models").mkdir()
    (folder / "models/mirror_s__t.sql").write_text("select 1")
    (folder / "target").mkdir()
    node = {"name": "mirror_s__t", "schema": "mirror", "alias": "s__t"}
    node |= {"original_file_path": "models/mirror_s__t.sql"}
    for key, code in ((["v"], 1), (["code", "day"], 0)):
        node["config"] = {"materialized": "mirror", "unique_key": key}
        (folder / "target/manifest.json").write_text(json.dumps({"nodes": {"m": node}}))
        said = show(*ASKED, code=code)
        assert ("has the key (day, code), and the project says (v). Set unique" in said) == code
        assert not code or said.count("\n") == 1


@pytest.mark.parametrize("is_sinks", [False, True])
def test_a_mirror_that_is_not_built_and_has_no_key(folder, show, is_sinks):
    keyless, sunk = [record(0, event("c", 10, 20484, v=1), key=None)], [{"value": "{}"}]
    raw = (SINK, sunk) if is_sinks else (RAW, keyless)
    add_table(small_lake(folder, {}), "raw.s__t", pa.Table.from_pylist(raw[1], schema=raw[0]))
    (folder / "models").mkdir()
    (folder / "models/mirror_s__t.sql").write_text("select 1")
    said = show("s.t", "--key", "1", code=1)
    assert said.startswith("mirror.s__t is not built yet, and no record of raw.s__t tells its key")
    assert said.count("\n") == 1


def test_a_mirror_whose_topic_has_not_landed(folder, show):
    lake = fill(folder)
    lake.drop_table("raw.s__t")
    assert "raw.s__t, which mirror_s__t reads, is not there" in show(*ASKED, code=2)
