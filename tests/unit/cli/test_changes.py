"""The order of events and what each has changed, as their envelopes say it."""

import json
from datetime import UTC, datetime

import pytest

from lakemirror.cli.changes import differences, in_order, order_of
from lakemirror.cli.key_records import Record, same


def binlog(pos, row=0, op="u", file="binlog.000002", server=1, **images):
    source = {"connector": "mysql", "server_id": server, "file": file, "pos": pos, "row": row}
    return {"op": op, "source": source, **images}


def postgresql(sequence, op="u"):
    return {"op": op, "source": {"connector": "postgresql", "sequence": sequence}}


def vitess(gtid, order=1, epoch=2, **source):
    vgtid = json.dumps([{"shard": "80-", "gtid": "x:1-9"}, {"shard": "-80", "gtid": gtid}])
    block = {"connector": "vitess", "shard": "-80", "vgtid": vgtid, "ts_ms": 5} | source
    return {
        "op": "u",
        "source": block,
        "transaction": {"transaction_epoch": epoch, "total_order": order},
    }


def record(offset, event, time=None):
    at = datetime(2026, 1, time, tzinfo=UTC) if time else None
    return Record(0, offset, None, None if event is None else json.dumps(event), at)


@pytest.mark.parametrize(
    ("event", "numbers", "text"),
    [
        (binlog(10, 3), (2, 10, 7), "binlog.000002:10:3"),
        (binlog(10, 3, "d"), (2, 10, 6), "binlog.000002:10:3"),
        (binlog(10, 3, "r"), (2, 10, -1), "binlog.000002:10:3"),
        (postgresql('["7","9"]'), (7, 9), "7:9"),
        (postgresql('[null,"9"]'), (9, 9), "9:9"),
        (postgresql('["7","9"]', "r"), (7, -1), "7:9"),
        (vitess("MySQL56/a:1-7000:7002-7006", 3), (2, 7005, 3), "-80 2:7005:3"),
        (vitess("MySQL56/a:1", 3, ts_ms=0), (2, 1, -1), "-80 2:1:3"),
    ],
)
def test_orders_are_those_of_the_mirrors(event, numbers, text):
    found = order_of(event)
    assert (found.numbers, found.text) == (numbers, text)


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"source": "shop"},
        {"source": {"connector": "mysql"}, "op": "c"},
        binlog(1, file="binlog"),
        postgresql(None),
        postgresql("soon"),
        vitess("a:1-2", shard="40-80"),
        {"source": {"connector": "db2"}},
    ],
)
def test_an_envelope_without_an_order(event):
    assert order_of(event) is None


def test_a_kafka_tombstone_stays_behind_its_delete():
    late = record(9, binlog(5))
    found = in_order([record(1, binlog(10)), record(2, binlog(20, op="d")), record(3, None), late])
    assert [r.offset for r in found] == [9, 1, 2, 3]


def test_two_logs_are_brought_together_by_time():
    found = in_order([record(1, binlog(99), 3), record(2, binlog(1, server=2), 2)])
    assert [r.offset for r in found] == [2, 1]


def test_without_orders_time_decides():
    plain = {"op": "u", "after": {"id": 1}}
    history = [record(1, plain, 3), record(2, None), record(3, plain, 2)]
    assert [r.offset for r in in_order(history)] == [3, 1, 2]


def test_what_changed():
    history = [
        record(1, {"op": "c", "before": None, "after": {"id": 1, "v": 1, "w": None}}),
        record(2, {"op": "u", "before": None, "after": {"id": 1, "v": 2, "w": None}}),
        record(3, {"op": "u", "before": {"id": 1, "v": 3}, "after": {"id": 1, "v": 4, "n": 0}}),
        record(4, {"op": "u", "after": {"id": 1, "v": "__debezium_unavailable_value"}}),
        record(5, {"op": "d", "before": {"id": 1, "v": 4}, "after": None}),
        record(6, None),
        record(7, {"op": "c", "after": {"id": 1}}),
    ]
    assert [(found.columns, found.knows_before) for found in differences(history)] == [
        ({"id": (None, 1), "v": (None, 1), "w": (None, None)}, False),
        ({"v": (1, 2)}, True),
        ({"v": (3, 4), "n": (None, 0)}, True),
        ({}, True),
        ({}, True),
        ({}, False),
        ({"id": (None, 1)}, False),
    ]


@pytest.mark.parametrize(
    ("value", "text", "is_same"),
    [
        (7, "7", True),
        ("7", "7", True),
        ("07", "7", False),
        (1.5, "1.50", True),
        (7, "seven", False),
        (True, "true", True),
        (True, "1", False),
        (None, "null", False),
        ([1], "[1]", True),
    ],
)
def test_a_value_is_what_a_text_says(value, text, is_same):
    assert same(value, text) is is_same
