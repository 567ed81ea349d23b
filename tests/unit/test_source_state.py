import base64
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.expressions import EqualTo

from support.source_state import (
    COMMERCE_TYPES,
    SHOP_KEYS,
    assert_commerce_daily,
    assert_commerce_mirrors,
    assert_shop_daily,
    assert_shop_mirrors,
    commerce_moved_keys,
    commerce_rows,
    commerce_state,
    differences,
    filled_by_alter,
    fixture_lines,
    lake_rows,
    shop_state,
    source_value,
)

DUMPS = ["2026-01-30", "2026-01-31", "2026-02-01", "final"]
EPOCH = datetime(1970, 1, 1)


@pytest.mark.parametrize(
    ("source_type", "text", "value"),
    [
        ("int(11)", "-39856", -39856),
        ("int unsigned", "4294967293", 4294967293),
        ("tinyint(1)", "1", 1),
        ("year", "2029", 2029),
        ("bigint(20)", "300", 300),
        ("bigint(20) unsigned", "18446744073709551615", Decimal("18446744073709551615")),
        ("decimal(12,2)", "3764000.00", Decimal("3764000.00")),
        ("enum('new','paid')", "new", "new"),
        ("set('red','green')", "", ""),
        ("longtext", '{"emoji": "☕"}', '{"emoji": "☕"}'),
        ("char(2)", None, None),
        ("date", "1990-02-03", date(1990, 2, 3)),
        ("datetime(3)", "2026-01-31 23:48:41.879", datetime(2026, 1, 31, 23, 48, 41, 879000)),
        ("timestamp", "2026-02-01 00:17:00", datetime(2026, 2, 1, 0, 17, tzinfo=UTC)),
        ("time(3)", "07:02:00.250", 25_320_250_000),
        ("time(3)", "-12:30:00.001", -45_000_001_000),
        ("time", "838:59:59", 3_020_399_000_000),
        ("double", "0.2857142857142857", 2 / 7),
        ("varbinary(16)", {"b64": "AgD/"}, b"\x02\x00\xff"),
        ("binary(3)", "0200ff", b"\x02\x00\xff"),
        ("bit(1)", "1", True),
        ("bit(10)", "682", 682),
        ("bit(64)", "18446744073709551615", Decimal("18446744073709551615")),
        ("decimal(65,1)", "1.0", "1.0"),
        ("float", "3.4028234663852886e38", 3.4028234663852886e38),
        ("datetime", "0000-00-00 00:00:00", None),
    ],
)
def test_source_value(source_type, text, value):
    parsed = source_value(source_type, text)
    assert (type(parsed), parsed) == (type(value), value)


def test_unknown_source_type():
    with pytest.raises(ValueError, match="geometry"):
        source_value("geometry", "00")


@pytest.mark.parametrize(
    ("dump", "customers", "orders", "order_items", "products"),
    [
        ("2026-01-30", 243, 357, 757, 77),
        ("2026-01-31", 311, 527, 1152, 77),
        ("2026-02-01", 377, 694, 1556, 77),
        ("final", 377, 695, 1560, 77),
    ],
)
def test_shop_counts(dump, customers, orders, order_items, products):
    state = shop_state(dump)
    assert [len(state[table]) for table in SHOP_KEYS] == [
        customers,
        orders,
        order_items,
        products,
        1,
    ]


def test_shop_keys_are_the_primary_keys():
    lines = fixture_lines("shop/state_final.jsonl.gz")
    assert {line["table"]: line["pk"] for line in lines if "pk" in line} == SHOP_KEYS


def test_shop_rows():
    assert shop_state("final")["orders"][Decimal(50355),] == {
        "id": Decimal(50355),
        "customer_id": None,
        "status": "delivered",
        "total": Decimal("108.00"),
        "note": "just before midnight 🕛",
        "placed_at": datetime(2026, 1, 29, 21, 2, 30, 612000),
        "updated_at": datetime(2026, 1, 31, 19, 5, 34, tzinfo=UTC),
        "coupon_code": None,
    }
    # at this midnight the order has changed and the customer, earlier in the binlog, has not
    midnight = shop_state("2026-01-31")
    assert midnight["orders"][Decimal(50355),]["note"] == "just before midnight 🕛"
    assert midnight["customers"][1149,]["name"] == "Priya Meyer"
    assert "coupon_code" not in midnight["orders"][Decimal(50355),]


def test_filled_by_alter():
    filled = {dump: filled_by_alter(dump) for dump in DUMPS}
    tier, coupon = ("customers", "loyalty_tier"), ("orders", "coupon_code")
    assert [len(filled[dump].get(tier, ())) for dump in DUMPS] == [0, 160, 136, 135]
    assert [len(filled[dump].get(coupon, ())) for dump in DUMPS] == [0, 0, 304, 301]
    assert [(1181,) in filled[dump].get(tier, ()) for dump in DUMPS] == [False, True, True, False]
    for dump in DUMPS:
        state = shop_state(dump)
        for (table, column), keys in filled[dump].items():
            values = {state[table][key][column] for key in keys}
            assert values == {"basic" if column == "loyalty_tier" else None}


@pytest.mark.parametrize("moment", ["midnight", "final"])
def test_commerce_counts(moment):
    counts = {table: len(rows) for table, rows in commerce_state(moment).items()}
    assert counts == {"users": 45, "messages": 174, "channels": 6}
    assert commerce_moved_keys(moment) == {
        "users": set(),
        "messages": set(),
        "channels": {(1,), (2,)},
    }


def test_commerce_row():
    assert commerce_state("midnight")["users"][9,] == {
        "id": 9,
        "team_id": 104,
        "name": "pre-9--5.4",
        "balance": Decimal("52200.62"),
        "points": Decimal("9223372036854775808"),
        "is_admin": 1,
        "tiny_u": 209,
        "quota": 4294967286,
        "ratio": 9 / 7,
        "created": datetime(2026, 11, 19, 23, 57, 2),
        "last_seen": datetime(2026, 11, 20, 23, 57, 2, 9009),
        "updated_at": datetime(2026, 11, 20, 23, 59, 54, tzinfo=UTC),
        "profile": '{"a": null, "b": [1, 2.50, "x"], "c": {"d": "世"}}',
        "birthday": date(1990, 2, 10),
        "wake": -45_000_001_000,
        "role": "member",
        "tags": "red,blue",
        "avatar": b"\x09\x00\xff",
        "grade": 2009,
    }


@pytest.mark.parametrize("moment", ["midnight", "final"])
def test_commerce_rows_agree_with_the_connector(moment):
    """The recording also has each row in the connector's own form: the types are right."""
    decode = {
        "balance": Decimal,
        "points": Decimal,
        "created": lambda ms: EPOCH + timedelta(milliseconds=ms),
        "last_seen": lambda us: EPOCH + timedelta(microseconds=us),
        "updated_at": lambda text: datetime.fromisoformat(text).replace(tzinfo=UTC),
        "birthday": lambda days: (EPOCH + timedelta(days=days)).date(),
        "avatar": base64.b64decode,
    }
    events = {table: [] for table in COMMERCE_TYPES}
    for line in fixture_lines(f"commerce/main.expected_{moment}.jsonl.gz"):
        if line["table"] in events:
            events[line["table"]].append(
                {
                    column: value if value is None else decode.get(column, lambda same: same)(value)
                    for column, value in line["after"].items()
                }
            )
    for table, rows in events.items():
        parsed = commerce_state(moment)[table] | commerce_rows(moment, moved=True)[table]
        assert sorted(map(repr, parsed.values())) == sorted(map(repr, rows))


EXPECTED = {(1,): {"id": 1, "name": "ä"}, (2,): {"id": 2, "name": None}}


@pytest.mark.parametrize(
    ("actual", "lines"),
    [
        (EXPECTED, []),
        ({(1,): EXPECTED[1,]}, ["(2,): missing"]),
        (EXPECTED | {(3,): {"id": 3, "name": "c"}}, ["(3,): unexpected"]),
        (EXPECTED | {(1,): {"id": 1, "name": "Ä"}}, ["(1,): name is 'Ä', expected 'ä'"]),
        (EXPECTED | {(1,): {"id": 1, "name": None}}, ["(1,): name is None, expected 'ä'"]),
        (EXPECTED | {(2,): {"id": 2, "name": ""}}, ["(2,): name is '', expected None"]),
        (EXPECTED | {(2,): {"id": 2}}, ["(2,): no column name, expected None"]),
        (EXPECTED | {(1,): {"id": True, "name": "ä"}}, ["(1,): id is True, expected 1"]),
        (EXPECTED | {(1,): {"id": 1, "name": "ä", "later": "x"}}, []),
    ],
)
def test_differences(actual, lines):
    assert differences(EXPECTED, actual) == lines


def test_differences_between_close_values():
    def found(expected, actual):
        return len(differences({(1,): {"x": expected}}, {(1,): {"x": actual}}))

    noon = datetime(2026, 1, 31, 12)
    assert found(noon, noon.replace(tzinfo=UTC)) == 1
    assert found(noon, noon + timedelta(microseconds=1)) == 1
    assert found(0.3, 0.1 + 0.2) == 1
    assert found(Decimal(50355), 50355) == 1
    assert found("a", "a ") == 1


def test_skipped_cells_may_be_null_and_nothing_else():
    def found(name, cells):
        return differences(EXPECTED, EXPECTED | {(1,): {"id": 1, "name": name}}, cells)

    assert found(None, {((1,), "name")}) == []
    assert found("ä", {((1,), "name")}) == []
    assert found("x", {((1,), "name")}) == ["(1,): name is 'x', expected 'ä'"]
    assert found(None, {((2,), "name"), ((1,), "id")}) == ["(1,): name is None, expected 'ä'"]


def test_skipped_keys_are_skipped_on_both_sides():
    other = {(1,): {"id": 1, "name": "x"}, (3,): {"id": 3}}
    assert differences(EXPECTED, other, skipped_keys={(1,), (2,), (3,)}) == []
    assert differences(EXPECTED, other, skipped_keys={(1,), (2,)}) == ["(3,): unexpected"]


@pytest.fixture
def catalog(tmp_path):
    uri = f"sqlite:///{tmp_path}/catalog.db"
    return SqlCatalog("lake", uri=uri, warehouse=f"file://{tmp_path}")


def write(catalog, relation, rows):
    data = pa.Table.from_pylist(rows)
    catalog.create_namespace_if_not_exists(relation.split(".")[0])
    if catalog.table_exists(relation):
        catalog.drop_table(relation)
    catalog.create_table(relation, data.schema).append(data)


@pytest.mark.parametrize("day", ["2026-01-29", date(2026, 1, 29)], ids=["text", "date"])
def test_lake_rows(catalog, day):
    other = date(2026, 1, 30) if isinstance(day, date) else "2026-01-30"
    rows = [
        {"id": 1, "x": "a", "_op": "c", "ds": day},
        {"id": 1, "x": "b", "_op": "u", "ds": other},
    ]
    write(catalog, "daily.shop__t", rows)
    for ds, value in [("2026-01-29", "a"), ("2026-01-30", "b")]:
        read = lake_rows(catalog, "daily.shop__t", ["id"], EqualTo("ds", ds))
        assert read == {(1,): {"id": 1, "x": value}}
    with pytest.raises(
        AssertionError, match=r"daily\.shop__t: more than one row has the key \(1,\)"
    ):
        lake_rows(catalog, "daily.shop__t", ["id"])


def test_assert_shop_mirrors(catalog):
    state = shop_state("final")
    for table, rows in state.items():
        write(catalog, f"mirror.shop__{table}", list(rows.values()))
    assert_shop_mirrors(catalog)

    customers = state["customers"]
    filled = filled_by_alter("final")["customers", "loyalty_tier"]
    for key in filled:
        customers[key]["loyalty_tier"] = None
    write(catalog, "mirror.shop__customers", list(customers.values()))
    with pytest.raises(AssertionError) as failure:
        assert_shop_mirrors(catalog)
    first, *lines = str(failure.value).splitlines()
    assert first == "mirror.shop__customers has 135 differences, the first:"
    assert len(lines) == 10
    assert lines[0] == "  (1002,): loyalty_tier is None, expected 'basic'"


def test_assert_shop_daily(catalog):
    days = {"2026-01-29": "2026-01-30", "2026-01-30": "2026-01-31", "2026-01-31": "2026-02-01"}
    states = {ds: shop_state(dump) for ds, dump in days.items()}
    for table in ["customers", "orders", "order_items", "products"]:
        # newest first: PyArrow takes the columns from the first row
        rows = [row | {"ds": ds} for ds in reversed(days) for row in states[ds][table].values()]
        write(catalog, f"daily.shop__{table}", rows)
    for ds in days:
        assert_shop_daily(catalog, ds)
    rows[0]["stock"] += 1
    write(catalog, "daily.shop__products", rows)
    assert_shop_daily(catalog, "2026-01-30")
    with pytest.raises(AssertionError, match=r"daily\.shop__products has 1 differences"):
        assert_shop_daily(catalog, "2026-01-31")


@pytest.mark.parametrize(
    ("schema", "moment", "check"),
    [("mirror", "final", assert_commerce_mirrors), ("daily", "midnight", assert_commerce_daily)],
)
def test_assert_commerce(catalog, schema, moment, check):
    moved = [{"id": 1, "team_id": 0, "name": "either shard's", "archived": 1}]
    for table, rows in commerce_state(moment).items():
        held = [*rows.values(), *(moved if table == "channels" else [])]
        write(catalog, f"{schema}.commerce__{table}", [row | {"ds": "2026-11-20"} for row in held])
    check(catalog)
    held = [row | {"ds": "2026-11-20"} for row in held if row["id"] != 8]
    write(catalog, f"{schema}.commerce__channels", held)
    with pytest.raises(
        AssertionError, match=r"commerce__channels has 1 diff[^\n]*\n  \(8,\): missing"
    ):
        check(catalog)
