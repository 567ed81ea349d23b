"""What the source databases held, from their own dumps, and how a lake differs from it.

The oracle of the functional tests. It shares no code with the project: the dumps are the
databases' texts, parsed here by the source's types, and the lake is read with PyIceberg alone.
A value matches only with the same Python type: ``1`` is not ``Decimal("1")``.
"""

import base64
import gzip
import json
import re
import struct
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyiceberg.catalog import Catalog
from pyiceberg.expressions import AlwaysTrue, BooleanExpression, EqualTo

Key = tuple[Any, ...]
Row = dict[str, Any]
Rows = dict[Key, Row]

FIXTURES = Path(__file__).parents[1] / "fixtures"
SHOP_KEYS = {
    "customers": ["id"],
    "orders": ["id"],
    "order_items": ["order_id", "line_no"],
    "products": ["sku"],
    "heartbeat": ["id"],
}
SHOP_DAYS = tuple(table for table in SHOP_KEYS if table != "heartbeat")
COMMERCE_KEYS = {"users": ["id"], "messages": ["team_id", "ts"], "channels": ["id"]}
# without users.flags: the connector drops BIT columns
COMMERCE_COLUMNS = {
    "users": "id bigint, team_id bigint, name varchar, balance decimal, points bigint unsigned, "
    "is_admin tinyint, tiny_u tinyint unsigned, quota int unsigned, ratio double, "
    "created datetime, last_seen datetime, updated_at timestamp, profile json, birthday date, "
    "wake time, role enum, tags set, avatar varbinary, grade year",
    "messages": "team_id bigint, ts varchar, user_id bigint, text text, score double, "
    "edited tinyint, reactions json, thread_ts varchar",
    "channels": "id bigint, team_id bigint, name varchar, archived tinyint",
}
COMMERCE_TYPES = {
    table: dict(column.split(" ", 1) for column in columns.split(", "))
    for table, columns in COMMERCE_COLUMNS.items()
}
TECHNICAL = re.compile(r"_(tx|src|kfk|tsc)_.*|_(op|unsent|is_deleted|deleted_at)")
INTEGERS = {"tinyint", "smallint", "mediumint", "int", "bigint", "year"}
TEXTS = {
    *("char", "varchar", "tinytext", "text", "mediumtext", "longtext"),
    *("enum", "set", "json", "uuid"),
}
TIMES = {"date", "datetime", "timestamp"}
BYTES = {"binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"}


def source_value(source_type: str, text: Any) -> Any:
    """MariaDB's or Vitess's text as the Python value that the lake's column gives.

    Bytes come as hex text or as ``{"b64": …}``; a ``time`` becomes signed microseconds.
    """
    base = re.match(r"\w+", source_type)[0]
    digits = int((re.search(r"\((\d+)", source_type) or [0, 0])[1])
    if text is None or (base in TIMES and text.startswith("0000-00-00")):
        return None
    if base == "decimal" and digits > 38:
        return text
    if base == "decimal" or (base == "bigint" and "unsigned" in source_type):
        return Decimal(text)
    if base in INTEGERS:
        return int(text)
    if base in TEXTS:
        return text
    if base in BYTES:
        return base64.b64decode(text["b64"]) if isinstance(text, dict) else bytes.fromhex(text)
    if base == "float":
        return single(text)
    if base == "double":
        return float(text)
    if base == "date":
        return date.fromisoformat(text)
    if base == "datetime":
        return datetime.fromisoformat(text)
    if base == "timestamp":
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    if base == "time":
        return micros(text)
    if source_type == "bit(1)":
        return bool(int(text))
    if base == "bit":
        return Decimal(text) if digits == 64 else int(text)
    if base == "point":  # the database's own form: four bytes of srid, then WKB
        x, y = struct.unpack("<2d", bytes.fromhex(text)[-16:])
        return {"x": x, "y": y, "wkb": bytes.fromhex(text)[4:], "srid": None}
    raise ValueError(f"no Python value is known for the source type {source_type}")


def single(text: str) -> float:
    """The nearest 32-bit float."""
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def micros(text: str) -> int:
    """Signed microseconds of hours, minutes and seconds."""
    sign, hours, minutes, seconds = re.fullmatch(r"(-?)(\d+):(\d+):([\d.]+)", text).groups()
    found = int((int(hours) * 3600 + int(minutes) * 60 + Decimal(seconds)) * 1_000_000)
    return -found if sign else found


def fixture_lines(name: str) -> Iterator[dict[str, Any]]:
    with gzip.open(FIXTURES / name, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def key_of(row: Row, columns: list[str]) -> Key:
    return tuple(row[column] for column in columns)


def shop_state(dump: str) -> dict[str, Rows]:
    """Table -> key -> row at the midnight that starts the day ``dump``, or at ``final``."""
    types, state = {}, {}
    for line in fixture_lines(f"shop/state_{dump}.jsonl.gz"):
        table = line["table"]
        if "columns" in line:
            types[table], state[table] = dict(line["columns"]), {}
        else:
            cells = line["row"].items()
            row = {name: source_value(types[table][name], text) for name, text in cells}
            state[table][key_of(row, SHOP_KEYS[table])] = row
    return state


def filled_by_alter(dump: str) -> dict[tuple[str, str], set[Key]]:
    """(Table, column) -> keys whose value an ALTER gave: no row event carries it."""
    recorded = json.loads((FIXTURES / "shop" / "filled_by_alter.json").read_text("utf-8"))
    return {
        tuple(name.split(".")): {tuple(key) for key in cells["keys"]}
        for name, cells in recorded.get(dump, {}).items()
    }


def commerce_rows(moment: str, moved: bool) -> dict[str, Rows]:
    """Table -> key -> row: those that moved between unrelated shards, or those that did not."""
    state: dict[str, Rows] = {table: {} for table in COMMERCE_TYPES}
    for line in fixture_lines(f"commerce/main.expected_{moment}.jsonl.gz"):
        table = line["table"]
        if table in state and ("note" in line) == moved:
            types = COMMERCE_TYPES[table]
            row = {name: source_value(types[name], line["row"][name]) for name in types}
            state[table][key_of(row, COMMERCE_KEYS[table])] = row
    return state


def commerce_state(moment: str) -> dict[str, Rows]:
    """Table -> key -> row at ``midnight`` or ``final``, without the moved rows."""
    return commerce_rows(moment, moved=False)


def commerce_moved_keys(moment: str) -> dict[str, set[Key]]:
    """Table -> keys whose events on unrelated shards have no order."""
    return {table: set(rows) for table, rows in commerce_rows(moment, moved=True).items()}


def lake_rows(
    catalog: Catalog, relation: str, key: list[str], row_filter: BooleanExpression | None = None
) -> Rows:
    """The rows of ``relation`` by key, without ``ds`` and technical columns.

    Raises:
        AssertionError: two rows have one key.
    """
    rows: Rows = {}
    scan = catalog.load_table(relation).scan(row_filter=row_filter or AlwaysTrue())
    for row in scan.to_arrow().to_pylist():
        if key_of(row, key) in rows:
            raise AssertionError(f"{relation}: more than one row has the key {key_of(row, key)}")
        rows[key_of(row, key)] = {
            name: value
            for name, value in row.items()
            if name != "ds" and not TECHNICAL.fullmatch(name)
        }
    return rows


def differences(
    expected: Rows,
    actual: Rows,
    skipped_cells: Collection[tuple[Key, str]] = (),
    skipped_keys: Collection[Key] = (),
) -> list[str]:
    """One line for each missing key, unexpected key, and different or missing column.

    A skipped cell may be null instead of the expected value, and nothing else.
    """
    known = {*expected, *skipped_keys}
    lines = [f"{key}: unexpected" for key in actual if key not in known]
    for key in (key for key in expected if key not in skipped_keys):
        if key not in actual:
            lines.append(f"{key}: missing")
            continue
        for column, value in expected[key].items():
            found = actual[key].get(column)
            if column not in actual[key]:
                lines.append(f"{key}: no column {column}, expected {value!r}")
            elif found is None and (key, column) in skipped_cells:
                continue
            elif type(found) is not type(value) or found != value:
                lines.append(f"{key}: {column} is {found!r}, expected {value!r}")
    return lines


def assert_same(relation: str, lines: list[str]) -> None:
    if lines:
        first = "\n  ".join(lines[:10])
        raise AssertionError(f"{relation} has {len(lines)} differences, the first:\n  {first}")


def assert_shop(
    catalog: Catalog,
    schema: str,
    dump: str,
    tables: Collection[str],
    row_filter: BooleanExpression | None = None,
) -> None:
    state = shop_state(dump)
    for table in tables:
        expected = state[table]
        relation = f"{schema}.shop__{table}"
        actual = lake_rows(catalog, relation, SHOP_KEYS[table], row_filter)
        assert_same(relation, differences(expected, actual))


def assert_commerce(
    catalog: Catalog,
    schema: str,
    moment: str,
    tables: Collection[str],
    row_filter: BooleanExpression | None = None,
) -> None:
    moved, state = commerce_moved_keys(moment), commerce_state(moment)
    for table in tables:
        expected = state[table]
        relation = f"{schema}.commerce__{table}"
        actual = lake_rows(catalog, relation, COMMERCE_KEYS[table], row_filter)
        assert_same(relation, differences(expected, actual, skipped_keys=moved[table]))


def assert_shop_mirrors(catalog: Catalog, tables: Collection[str] = SHOP_KEYS.keys()) -> None:
    assert_shop(catalog, "mirror", "final", tables)


def assert_shop_daily(catalog: Catalog, ds: str, tables: Collection[str] = SHOP_DAYS) -> None:
    """The day ``ds`` is what the source held at the midnight that ends it."""
    midnight = date.fromisoformat(ds) + timedelta(days=1)
    assert_shop(catalog, "daily", midnight.isoformat(), tables, EqualTo("ds", ds))


def assert_commerce_mirrors(
    catalog: Catalog, tables: Collection[str] = COMMERCE_KEYS.keys()
) -> None:
    assert_commerce(catalog, "mirror", "final", tables)


def assert_commerce_daily(catalog: Catalog, tables: Collection[str] = COMMERCE_KEYS.keys()) -> None:
    assert_commerce(catalog, "daily", "midnight", tables, EqualTo("ds", "2026-11-20"))
