"""Landing: every Kafka record in raw once and untouched, whoever delivers it and how often."""

import gzip
import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.exceptions import NoSuchNamespaceError

from support.dbt_process import DbtProcess, committed
from support.depth import deep_only, whole_only
from support.lake import Lake, messages
from support.recordings import assert_landed, demo_lines, raw_rows, record, write

LAND = ("run", "--select", "landing")
ITEMS = "shop__order_items"
HOUR = datetime(2026, 1, 29, 1, 0, tzinfo=UTC)


def rows(lake: Lake, relation: str) -> list[dict[str, Any]]:
    return lake.catalog.load_table(relation).scan().to_arrow().to_pylist()


def raw_tables(lake: Lake) -> set[str]:
    try:
        return {name for _, name in lake.catalog.list_tables("raw")} - {"schema_history"}
    except NoSuchNamespaceError:
        return set()


def report(lake: Lake, file: Path) -> list[tuple]:
    """What landing said about a file: topic, partition, from, to, records, rows."""
    names = ("topic", "partition", "from_offset", "to_offset", "records", "rows")
    return sorted(
        tuple(row[name] for name in names)
        for row in rows(lake, "ops.landing")
        if row["file"] == f"file:{file}"
    )


def at(moment: datetime) -> int:
    """Microseconds since 1970."""
    return round(moment.timestamp() * 1_000_000)


def test_a_file_that_is_mended_settles_its_lines(lake: Lake) -> None:
    """G2: what it still has stays open, and what comes back is open again."""
    file = lake.recordings / "shop.jsonl"
    (lake.recordings / "other.jsonl").write_text("neither\n")
    states = []
    for text in ("one\ntwo\n", "two\n", "one\n", ""):
        file.write_text(text)
        lake.dbt("run", "--select", "landing")
        states.append({row["value"]: row["settled_as"] for row in rows(lake, "ops.quarantine")})
    assert [(s.pop("neither"), s) for s in states] == [
        (None, {"one": None, "two": None}),
        (None, {"one": "taken in", "two": None}),
        (None, {"one": None, "two": "taken in"}),
        (None, {"one": None, "two": "taken in"}),
    ]


def test_a_file_that_has_landed_is_not_read_again(lake: Lake) -> None:
    """Its bytes are others meanwhile, and nothing else of it: reading them would fail."""
    first = lake.recordings / "first.jsonl.gz"
    first.write_bytes(gzip.compress(record(0).encode()))
    lake.dbt(*LAND)
    was = first.stat()
    first.write_bytes(bytes(was.st_size))
    os.utime(first, ns=(was.st_atime_ns, was.st_mtime_ns))
    write(lake.recordings, "second", [record(1)])
    lake.dbt(*LAND)
    assert_landed(lake.catalog, [record(0), record(1)])


def test_lines_that_are_no_records_are_quarantined_once(lake: Lake) -> None:
    """F13: each with its file and the reason, and the rest of the file lands; blank lines do."""
    bad = [
        "no record",
        '{"topic": "shop.shop.orders", "partition": 0, "key": null, "value": "{}"}',
        record(1)[:-9],
        record(2, topic=None),
        record("third"),
        '{"topic": "shop.shop.orders", "partition": 0, "offset": 9, "key": null, "payload": "{}"}',
    ]
    good = [record(0), record(3)]
    file = write(lake.recordings, "a", [good[0], "", *bad, bad[0], good[1]])
    lake.dbt(*LAND)
    assert_landed(lake.catalog, good)
    kept = rows(lake, "ops.quarantine")
    assert sorted((row["key"], row["value"]) for row in kept) == sorted(
        (f"file:{file}", line) for line in bad
    )
    assert {row["model"] for row in kept} == {"landing"}
    assert all("not a Kafka record" in row["reason"] for row in kept)
    assert [row["rejected"] for row in rows(lake, "ops.landing")] == [len(bad)]
    with file.open("a") as more:
        more.write(record(4) + "\n")
    lake.dbt(*LAND)
    assert_landed(lake.catalog, [*good, record(4)])
    assert rows(lake, "ops.quarantine") == kept


def test_files_that_spark_leaves_out_are_said(lake: Lake) -> None:
    write(lake.recordings, "a", [record(0)])
    hidden = write(lake.recordings, "__heartbeat", [record(1)])
    said = messages(lake.dbt(*LAND))
    assert f"{hidden}: is not landed, since Spark leaves out files" in said.replace("file:", "")
    assert_landed(lake.catalog, [record(0)])


def test_one_bad_line_in_two_files_is_kept_for_each(lake: Lake) -> None:
    """F13: whoever reads ops.quarantine finds every file that has to be repaired."""
    files = [write(lake.recordings, name, ["no record", record(0)]) for name in ("a", "b")]
    lake.dbt(*LAND)
    assert_landed(lake.catalog, [record(0)])
    kept = [(row["key"], row["value"]) for row in rows(lake, "ops.quarantine")]
    assert sorted(kept) == [(f"file:{file}", "no record") for file in files]
    assert {row["file"]: row["rejected"] for row in rows(lake, "ops.landing")} == {
        f"file:{file}": 1 for file in files
    }


def test_what_follows_a_record_on_its_line_is_not_lost(lake: Lake) -> None:
    """Two records whose line end is missing: both land, or the line is kept in quarantine."""
    line = record(1) + record(2)
    write(lake.recordings, "a", [record(0), line])
    lake.dbt(*LAND)
    assert_landed(lake.catalog, [record(0)])
    assert [row["value"] for row in rows(lake, "ops.quarantine")] == [line]


def test_a_rerun_lands_nothing_and_a_file_that_grew_what_is_new(lake: Lake) -> None:
    """F23, F05: the report says what each file held, and how much of it was new."""
    orders, other = "shop.shop.orders", "shop.shop.customers"
    lines = [
        record(7),
        record(5),
        record(6, partition=1),
        record(0, topic=other),
    ]
    file = write(lake.recordings, "a", lines)
    lake.dbt(*LAND)
    assert_landed(lake.catalog, lines)
    first = [(other, 0, 0, 0, 1, 1), (orders, 0, 5, 7, 2, 2), (orders, 1, 6, 6, 1, 1)]
    assert report(lake, file) == first
    before = {table: lake.snapshots(f"raw.{table}") for table in raw_tables(lake)}
    lake.dbt(*LAND)
    assert report(lake, file) == first
    assert {table: lake.snapshots(f"raw.{table}") for table in raw_tables(lake)} == before

    lines += [record(8), record(6)]
    write(lake.recordings, "a", lines)
    lake.dbt(*LAND)
    assert_landed(lake.catalog, lines)
    second = [(other, 0, 0, 0, 1, 0), (orders, 0, 5, 8, 4, 2), (orders, 1, 6, 6, 1, 0)]
    assert report(lake, file) == sorted(first + second)
    assert lake.snapshots("raw.shop__customers") == before["shop__customers"]
    assert len(lake.snapshots("raw.shop__orders")) == 2


def test_a_repeated_delivery_adds_nothing(lake: Lake) -> None:
    """Case 12, F01, F05: twice in a file, twice at once, and again later by another name."""
    lines = [record(0), record(1, None), record(2, key=None)]
    write(lake.recordings, "a", lines + lines)
    write(lake.recordings, "b", lines)
    lake.dbt(*LAND)
    assert_landed(lake.catalog, lines)
    assert sum(row["rows"] for row in rows(lake, "ops.landing")) == len(lines)
    before = lake.snapshots("raw.shop__orders")
    again = write(lake.recordings, "c", lines)
    lake.dbt(*LAND)
    assert_landed(lake.catalog, lines)
    assert report(lake, again) == [("shop.shop.orders", 0, 0, 2, 3, 0)]
    assert lake.snapshots("raw.shop__orders") == before


@pytest.mark.parametrize("other", [{"value": None}, {"key": None}])
def test_two_records_at_one_place_are_refused(lake: Lake, other: dict[str, Any]) -> None:
    """F02: an offset of a partition is one record, in one run and in two."""
    lines = [record(0), record(1)]
    write(lake.recordings, "a", lines)
    clash = write(lake.recordings, "b", [record(2), record(1, **other)])
    refused = messages(lake.dbt(*LAND, fails=True))
    assert "RawConflictError: shop.shop.orders: partition 0 offset 1 has two" in refused
    assert raw_tables(lake) == set()

    clash.rename(lake.folder / "b")
    lake.dbt(*LAND)
    landed = lake.snapshots("raw.shop__orders"), lake.snapshots("ops.landing")
    (lake.folder / "b").rename(clash)
    refused = messages(lake.dbt(*LAND, fails=True))
    assert "RawConflictError: raw.shop__orders: partition 0 offset 1 has two" in refused
    assert (lake.snapshots("raw.shop__orders"), lake.snapshots("ops.landing")) == landed
    assert_landed(lake.catalog, lines)


def proposed(said: str) -> str:
    return re.search(r"(?:for example|says so:) (\{.+?\})", said)[1]


@pytest.mark.parametrize("at_once", [True, False])
def test_two_topics_of_one_raw_table_wait_alone(lake: Lake, at_once: bool) -> None:
    """The warning names both, and what it proposes gives each a table of its own."""
    first, second = record(0, topic="eu.shop.orders"), record(0)
    other = record(0, topic="shop.crm.people")
    file = write(lake.recordings, "a", [first])
    if not at_once:
        lake.dbt(*LAND)
    write(lake.recordings, "b", [second, other])
    said = messages(lake.dbt(*LAND))
    assert "the topics eu.shop.orders and shop.shop.orders would both land in raw.shop__or" in said
    assert_landed(lake.catalog, [other] if at_once else [first, other])
    assert report(lake, lake.recordings / "b.jsonl") == []
    assert len(report(lake, file)) == (0 if at_once else 1)
    lake.dbt("--warn-error", *LAND, fails=True)
    lake.dbt("--warn-error", *LAND, "--vars", f"{{topic_sources: {proposed(said)}}}")
    assert raw_tables(lake) == {"crm__people", "shop__orders", "other_source__orders"}
    assert_landed(lake.catalog, [first, second, other])
    assert len(report(lake, lake.recordings / "b.jsonl")) == 2


def test_two_tables_of_one_raw_table_wait_with_their_schema_changes(lake: Lake) -> None:
    """Schema changes name both, and would say of the one what the other has."""
    topics = ["p.shop.Orders", "p.shop.orders", "p.shop.lines", "p", "q.crm.people"]
    lines = [record(0, topic=topic) for topic in topics]
    write(lake.recordings, "a", lines)
    said = messages(lake.dbt(*LAND))
    assert_landed(lake.catalog, lines[-1:])
    assert proposed(said) == "{p.shop.orders: other_source}"
    lake.dbt("--warn-error", *LAND, "--vars", f"{{topic_sources: {proposed(said)}}}")
    assert_landed(lake.catalog, lines)


def test_a_table_whose_name_has_a_dot(lake: Lake) -> None:
    """Its topic has a part more: the warning's entry puts it beside the others, from the start."""
    topics = ["p.shop.orders", "p.shop.order.items"]
    write(lake.recordings, "a", [record(0, topic=topic) for topic in topics])
    said = messages(lake.dbt(*LAND))
    assert raw_tables(lake) == {"shop__orders", "order__items"}
    write(lake.recordings, "b", [record(1, topic=topics[1])])
    mended = ("--full-refresh", "--vars", f"{{topic_sources: {proposed(said)}}}")
    lake.dbt("--warn-error", *LAND, *mended)
    found = {(row["_kfk_topic"], row["_kfk_offset"]) for row in raw_rows(lake.catalog, ITEMS)}
    assert found == {(topics[1], 0), (topics[1], 1)}


def test_values_tell_what_a_topic_is_whose_name_does_not(lake: Lake) -> None:
    """A table may be called transaction, and a topic.prefix may have dots."""
    begun = {"status": "BEGIN", "id": "1", "event_count": None, "data_collections": None}
    row = {"op": "c", "after": {"id": 1, "status": "BEGIN"}, "source": {"connector": "mariadb"}}
    change = {"source": {"connector": "mariadb"}, "tableChanges": [], "ddl": "create"}
    wrapped = {"schema": {}, "payload": begun}
    values = {
        "p.shop.transaction": row,
        "q.crm.transaction": begun,
        "eu.west.transaction": wrapped,
        "a.b.c": change,
    }
    lines = [record(0, json.dumps(value), topic=topic) for topic, value in values.items()]
    write(lake.recordings, "a", lines)
    lake.dbt(*LAND, "--vars", "{topic_sources: {p.shop: x, q.crm: y, a.b.c: z}}")
    assert raw_tables(lake) == {
        "x__transaction",
        "y__connector_transaction",
        "west__connector_transaction",
        "z__connector_schema_change",
    }
    assert_landed(lake.catalog, lines)


def test_odd_records_land_untouched(lake: Lake) -> None:
    """Cases 18, 29, F18, F19: whatever is on the topic, with a source time only where one is."""
    lines = [
        record(0, None),
        record(1, key=None),
        record(2, "", key=""),
        record(3, "no JSON"),
        record(4, '["a JSON", "of another kind"]'),
        record(5, "\u0000 \t\r\n \u2028 " + "caf\u00e9 \U0001f600", key="\U0001f600"),
        record(6, json.dumps({"after": {"note": "x" * 16_000_000}})),
        record(7, '{"source": {"ts_ms": 9223372036854775807}}'),
        record(8, '{"source": {"ts_ms": "soon"}, "ts_ms": null}'),
        record(9, timestamp=None),
    ]
    write(lake.recordings, "a", lines)
    lake.dbt(*LAND)
    assert_landed(lake.catalog, lines)
    assert {row["_src_ts"] for row in raw_rows(lake.catalog, "shop__orders")} == {None}
    assert rows(lake, "ops.quarantine") == []


def test_raw_is_partitioned_by_the_hour_of_the_source_time(lake: Lake) -> None:
    """Cases 24, 66, 75: the source's microseconds first, the connector's clock last; 0 is none."""
    late = HOUR.replace(minute=59, second=59, microsecond=999_999)
    ms, second = at(HOUR) // 1000, HOUR.replace(minute=30, second=1)
    events = {
        HOUR: {"source": {"ts_ms": ms}, "ts_ms": ms + 7_200_000},
        late: {"source": {"ts_ms": ms, "ts_us": at(late)}, "ts_ms": ms + 7_200_000},
        second: {"schema": {}, "payload": {"source": {"ts_ms": at(second) // 1000}}},
        HOUR.replace(hour=2): {"ts_ms": ms + 3_600_000},
        None: {"source": {"ts_ms": 0}, "ts_ms": ms},
    }
    write(lake.recordings, "a", [record(n, json.dumps(e)) for n, e in enumerate(events.values())])
    lake.dbt(*LAND)
    found = sorted(raw_rows(lake.catalog, "shop__orders"), key=lambda row: row["_kfk_offset"])
    assert [row["_src_ts"] for row in found] == list(events)
    table = lake.catalog.load_table("raw.shop__orders")
    (field,) = table.spec().fields
    assert str(field.transform) == "hour"
    assert table.schema().find_column_name(field.source_id) == "_src_ts"
    hours = {task.file.partition[0] for task in table.scan().plan_files()}
    assert hours == {time and at(time) // 3_600_000_000 for time in events}


def test_side_topics_have_tables_of_their_own(lake: Lake) -> None:
    """The connector's own topics: cases 69, 70 and 77 read them."""
    lines = [
        line
        for topic in ("vt", "vt.transaction", "__debezium-heartbeat.vt", "vt.commerce.heartbeat")
        for line in demo_lines("commerce", topic)[:2]
    ]
    write(lake.recordings, "a", lines)
    lake.dbt(*LAND)
    assert_landed(lake.catalog, lines)
    sides = ("connector_schema_change", "connector_transaction", "connector_heartbeat", "heartbeat")
    assert raw_tables(lake) == {f"commerce__{side}" for side in sides}
    for side in sides:
        assert len(raw_rows(lake.catalog, f"commerce__{side}")) == 2
        assert all(row["_src_ts"] for row in raw_rows(lake.catalog, f"commerce__{side}"))


@pytest.mark.parametrize(
    ("slices", "tables"),
    [
        pytest.param(1, 1, id="a first table", marks=deep_only),
        pytest.param(1, 4, id="all tables, and no report", marks=whole_only),
        pytest.param(2, 2, id="two tables of a later slice", marks=deep_only),
    ],
)
def test_killed_landing_lands_each_record_once(lake: Lake, slices: int, tables: int) -> None:
    """F32: SIGKILL of dbt and its JVM when a number of raw tables have this slice's commit."""
    topics = ("vt.transaction", *(f"vt.commerce.{t}" for t in ("heartbeat", "messages", "users")))
    lines = [line for topic in topics for line in demo_lines("commerce", topic)]
    if slices == 2:
        write(lake.recordings, "a", lines[0::2])
        lake.dbt(*LAND)
    reports = committed(lake, "ops", slices)
    write(lake.recordings, "b", lines)
    with DbtProcess(lake, "killed", *LAND) as run:
        run.kill_when(lambda: len(committed(lake, "raw", slices)) >= tables)
    assert committed(lake, "ops", slices) == reports, "the landing was over"
    lake.dbt(*LAND)
    assert_landed(lake.catalog, lines)
    before = {table: lake.snapshots(f"raw.{table}") for table in raw_tables(lake)}
    assert len(before) == len(topics)
    lake.dbt(*LAND)
    assert {table: lake.snapshots(f"raw.{table}") for table in raw_tables(lake)} == before


def test_no_folder_and_no_files(lake: Lake) -> None:
    """F24: a folder that is not there is an error, an empty one is nothing to do."""
    lake.dbt(*LAND)
    assert raw_tables(lake) == set()
    lake.recordings.rmdir()
    refused = messages(lake.dbt(*LAND, fails=True))
    assert f"recordings of the model landing: there is no {lake.recordings}" in refused


def test_a_folder_is_called_as_it_is(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """No part of its name is a pattern."""
    folder = lake.recordings / "a [1] {b,c} $x *"
    folder.mkdir()
    write(folder, "first", [record(0)])
    monkeypatch.setenv("LAKEMIRROR_RECORDINGS", str(folder))
    lake.dbt(*LAND)
    assert raw_tables(lake) == {"shop__orders"}


def test_a_variable_that_nobody_reads_is_refused(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """G8: a misspelt or an empty broker lands no other files."""
    lake.land_demo()
    for name, value, problem in (
        ("LAKEMIRROR_KAFKA_BOOTSTRAP_SERVER", "x:1", "did you mean LAKEMIRROR_KAFKA_BOOTSTRAP_SER"),
        ("LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS", "", "is set, and empty"),
    ):
        with monkeypatch.context() as patched:
            patched.setenv(name, value)
            said = messages(lake.dbt(*LAND, fails=True))
        assert problem in said
        assert "Traceback" not in said
    assert raw_tables(lake) == set()
