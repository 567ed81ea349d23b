"""The rows that runs write to the tables of ops."""

from types import SimpleNamespace

import pytest

from lakemirror.runs.daily import DailyRun
from lakemirror.runs.lake import run_row
from lakemirror.runs.maintenance import advice_row
from lakemirror.state.ops_tables import (
    BUCKET_ADVICE,
    COUNTED,
    LATE_EVENTS,
    NOW,
    RUNS,
    OpsTable,
    values_of,
)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("string", "it's", r"'it\'s'"),
        ("string", "C:\\lake\\'s", r"'C:\\lake\\\'s'"),
        ("string", NOW, "'current_timestamp()'"),
        ("date", "2026-01-31", "date '2026-01-31'"),
        ("timestamp", "2026-01-31 00:00:00.5", "timestamp '2026-01-31 00:00:00.5'"),
        ("timestamp", NOW, "current_timestamp()"),
        ("bigint", 2**62, str(2**62)),
        ("double", 1.5, "1.5"),
        ("bigint", 0, "0"),
        ("string", None, "null"),
        ("timestamp", None, "null"),
    ],
)
def test_a_value_as_sql_has_it(kind, value, expected):
    assert values_of({"a": kind}, {"a": value}) == f"({expected})"


def test_a_column_that_a_row_lacks_is_null():
    assert values_of({"a": "int", "b": "string"}, {"b": "x"}) == "(null, 'x')"
    with pytest.raises(KeyError, match="no column c"):
        values_of({"a": "int"}, {"c": 1})


def test_a_statement_names_the_columns():
    table = OpsTable("seen", {"a": "int", "b": "string"}, "A row per thing.")
    assert table.insert_sql("dev_ops", [{"a": 1, "b": "x"}, {"a": 2}]) == (
        "insert into dev_ops.seen (a, b) values (1, 'x'), (2, null)"
    )


def late(*changes):
    run = SimpleNamespace(model=SimpleNamespace(invocation_id="i", name="daily_o"))
    return DailyRun.late_row(run, "2026-01-31", 3, *changes)


def test_a_row_for_a_published_day():
    assert values_of(LATE_EVENTS.columns, late("reported")) == (
        "('i', 'daily_o', date '2026-01-31', 3, 'reported', null, null, current_timestamp())"
    )
    assert "'restated', 2, 0, current" in values_of(LATE_EVENTS.columns, late("restated", 2, 0))


def test_a_row_for_what_a_model_did():
    project = SimpleNamespace(invocation_id="i", started_at="2026-01-31 00:00:00")
    node = SimpleNamespace(name="mirror_o")
    result = SimpleNamespace(node=node, status="error", message="it's late", execution_time=0.1)
    row = run_row(project, result, {"merged_by": "broadcast", "read": 3, "unguarded": 1})
    assert [*row] == [*RUNS.columns]
    assert values_of(RUNS.columns, row) == (
        r"('i', 'mirror_o', 'error', 'it\'s late', timestamp '2026-01-31 00:00:00', 0.1, "
        "'broadcast', 3, null, null, null, null, null, null)"
    )


def test_what_is_counted_has_a_column_of_ops_runs():
    assert {name: RUNS.columns[name] for name in COUNTED} == dict.fromkeys(COUNTED, "bigint")


def test_a_row_of_advice():
    advice = SimpleNamespace(buckets=None, bucket_by="it's", reason="small")
    settings = SimpleNamespace(buckets=4, bucket_by="id")
    row = advice_row("m", settings, {"live_rows": 0, "size": None}, advice)
    assert [*row] == [*BUCKET_ADVICE.columns]
    assert values_of(BUCKET_ADVICE.columns, row) == (
        r"('m', 0, 0, 4, 'id', null, 'it\'s', 'small', current_timestamp())"
    )
