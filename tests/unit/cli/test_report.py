"""What the page takes from the tables of ops, of a lake that PyIceberg writes."""

from datetime import UTC, date, datetime, timedelta

import pyarrow as pa

from lakemirror.cli.report import Day, days, held, report, rows, runs_of, spent
from lakemirror.cli.status import Daily
from support.small_lake import small_lake

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
MODEL = "mirror_shop__t"
COUNTS = {"read": 3, "applied": 2, "stale": 1, "duplicate": 0, "ignored": None, "quarantined": 0}


def run(at, status="success", seconds=2.0):
    return {"model": MODEL, "started_at": at, "status": status, "seconds": seconds} | COUNTS


def record(reason, settled_at=None):
    times = {"quarantined_at": NOW, "settled_at": settled_at}
    return {"model": MODEL, "reason": reason, "key": "k", "value": "v"} | times


QUARANTINE = pa.Table.from_pylist(
    [record("few"), record("many"), record("many"), record("settled", NOW)],
    schema=pa.schema(
        [
            *((name, pa.string()) for name in ("model", "reason", "key", "value")),
            *((name, pa.timestamp("us", "UTC")) for name in ("quarantined_at", "settled_at")),
        ]
    ),
)


def test_a_lake_without_tables_of_ops(tmp_path):
    found = report(small_lake(tmp_path, {}), {}, NOW, has_examples=True)
    assert (found.mirrors, found.daily, found.quarantine, found.conflicts) == ([], [], [], [])
    assert found.light.colour == "grey"


def test_what_is_settled_is_not_held(tmp_path):
    """The most first; keys and values only where they are asked for."""
    catalog = small_lake(tmp_path, {"ops.quarantine": QUARANTINE})
    many, few = held(catalog, has_examples=False)
    assert [(each.reason, each.records) for each in (many, few)] == [("many", 2), ("few", 1)]
    assert many.examples == few.examples == []
    assert held(catalog, has_examples=True)[1].examples == ["k v"]


def test_runs_are_the_newest_at_the_end(tmp_path):
    """Those of long ago are left out, and a count that is not there is none."""
    ages = (1, 2, 25, 24 * 91)
    known = [run(NOW - timedelta(hours=age)) | {"ignored": 0} for age in ages[:1]]
    schema = pa.Table.from_pylist(known).schema
    table = pa.Table.from_pylist([run(NOW - timedelta(hours=age)) for age in ages], schema=schema)
    found = runs_of(small_lake(tmp_path, {"ops.runs": table}), NOW)[MODEL]
    assert [NOW - each.started_at for each in found] == [timedelta(hours=n) for n in (25, 2, 1)]
    assert (found[0].read, found[0].ignored) == (3, 0)
    assert [(day.ds, day.seconds, day.core_seconds) for day in spent(found)] == [
        *((date(2026, 1, 31), 2.0, None), (date(2026, 2, 1), 4.0, None)),
    ]


def test_core_seconds_are_of_the_runs_that_tell_them(tmp_path):
    """A table of an older lake has none of the runs from before."""
    told = [run(NOW) | {"core_seconds": seconds} for seconds in (1.5, None, 2.0)]
    known = [each | {"ignored": 0} for each in told[:1]]
    table = pa.Table.from_pylist(told, schema=pa.Table.from_pylist(known).schema)
    found = runs_of(small_lake(tmp_path, {"ops.runs": table}), NOW)[MODEL]
    assert {each.core_seconds for each in found} == {1.5, None, 2.0}
    assert [day.core_seconds for day in spent(found)] == [3.5]


def test_a_day_has_its_state():
    """A day whose late changes were only reported is as it was published."""
    first, last = date(2026, 1, 1), date(2026, 1, 5)
    daily = Daily(
        *("daily.shop__t", [(first, date(2026, 1, 3))], [(date(2026, 1, 4),) * 2]),
        late=[(last, last)],
    )
    late = {first: (2, True), date(2026, 1, 2): (3, False), last: (1, True)}
    assert days(daily, late) == [
        Day(first, "restated", 2),
        Day(date(2026, 1, 2), "published", 3),
        Day(date(2026, 1, 3), "published", 0),
        Day(date(2026, 1, 4), "missing", 0),
        Day(last, "late", 1),
    ]


def test_columns_that_an_older_table_lacks(tmp_path):
    catalog = small_lake(tmp_path, {"ops.some": pa.table({"a": [1]})})
    assert rows(catalog, "some", ("a", "b")) == [{"a": 1}]
    assert rows(catalog, "other", ("a",)) == []
