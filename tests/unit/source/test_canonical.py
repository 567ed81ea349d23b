"""Which columns have a text that both sides agree on, and what the texts mean."""

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pytest

from lakemirror.source import canonical
from lakemirror.source.canonical import Canonical
from lakemirror.source.reading import beyond
from lakemirror.source.types import encoding, settings_of


def column(data_type: str, connector: str, lake: str | None = None, **settings: str) -> Any:
    """A column as an audit sees it."""
    kind, given = settings_of({"connector": connector, **settings})
    found = encoding(data_type, kind, given)
    told = {"name": "c", "type": found.as_dict(), "conversion": None}
    own = (lake or found.lake).replace(" ", "")
    return canonical.canonical(told, "c", data_type, connector, own)


@pytest.mark.parametrize(
    ("data_type", "connector", "kind"),
    [
        ("bigint(20) unsigned", "mariadb", "whole"),
        ("year(4)", "mysql", "whole"),
        ("bit(10)", "mariadb", "whole"),
        ("bit(1)", "mariadb", "boolean"),
        ("bit(1)", "postgresql", "boolean"),
        ("bit(10)", "postgresql", "bits"),
        ("numeric(12,2)", "postgresql", "decimal"),
        ("numeric", "postgresql", "scaled"),
        ("character(5)", "postgresql", "text"),
        ("set('a','b')", "vitess", "text"),
        ("binary(6)", "mariadb", "padded"),
        ("bytea", "postgresql", "bytes"),
        ("date", "mysql", "days"),
        ("timestamp(6) with time zone", "postgresql", "micros"),
        ("time(6)", "mariadb", "clock"),
        ("real", "postgresql", "float"),
        ("float", "mariadb", "float"),
        ("double", "mysql", "float"),
        ("double precision", "postgresql", "float"),
    ],
)
def test_kinds(data_type: str, connector: str, kind: str) -> None:
    assert column(data_type, connector).kind == kind


@pytest.mark.parametrize(
    ("data_type", "connector"),
    [
        *(
            ("float", "vitess"),
            ("json", "mysql"),
            ("point", "mariadb"),
            ("integer[]", "postgresql"),
        ),
        *(("interval", "postgresql"), ("bit varying(9)", "postgresql"), ("hstore", "postgresql")),
        ("time with time zone", "postgresql"),
    ],
)
def test_what_has_no_text_is_named(data_type: str, connector: str) -> None:
    assert column(data_type, connector) == data_type


def test_what_was_sent_short_is_not_compared() -> None:
    mode = {"time.precision.mode": "connect"}
    assert column("datetime(6)", "mariadb", **mode) == "datetime(6), sent in milliseconds"
    assert column("datetime(3)", "mariadb", **mode).kind == "micros"
    assert column("timestamp", "postgresql", **mode) == "timestamp, sent in milliseconds"
    doubles = {"decimal.handling.mode": "double"}
    assert column("decimal(9,2)", "mysql", **doubles) == "decimal(9,2), sent as a double"
    assert column("int", "mysql", lake="string") == "int"


@pytest.mark.parametrize(
    ("kind", "connector", "text", "value"),
    [
        ("whole", "mysql", "18446744073709551615", 18446744073709551615),
        ("decimal", "postgresql", "-1.50", Decimal("-1.50")),
        ("text", "mysql", "a ", "a "),
        ("bytes", "mysql", "00ff", b"\x00\xff"),
        ("padded", "mysql", "0a", b"\x0a\x00\x00"),
        ("days", "mysql", "-1", date(1969, 12, 31)),
        ("micros", "mysql", "-1", datetime(1969, 12, 31, 23, 59, 59, 999999)),
        ("micros", "postgresql", "1", datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=UTC)),
        ("clock", "mysql", "-1500000", timedelta(seconds=-1.5)),
        ("clock", "postgresql", "1500000", time(0, 0, 1, 500000)),
    ],
)
def test_a_text_is_a_value_of_the_driver(kind: str, connector: str, text: str, value: Any) -> None:
    found = Canonical("c", "c", kind, connector, "x", 3, is_zoned=True)
    assert found.value(text) == value


def test_no_two_rows_have_one_text() -> None:
    rows: list[list[str | None]] = [
        ["a", "b"],
        ["ab", ""],
        ["a,b", None],
        [None, "a,b"],
        ["", None],
    ]
    rows += [["1:a", "b"], ["-", "b"], [None, "b"]]
    assert len({canonical.row_text(row) for row in rows}) == len(rows)
    assert canonical.digest(["ü"]) == "ffb046189c6a380837016804e7df3ecf"


def test_pages_of_a_key_of_several_columns_leave_none_out() -> None:
    """A page begins after the last key of the one before, and ends with its own."""
    keys = [(a, b, c) for a in range(3) for b in range(3) for c in range(3)]
    for bound in keys:
        for sign, is_with, wanted in (
            (">", False, [key for key in keys if key > bound]),
            ("<", True, [key for key in keys if key <= bound]),
        ):
            text, values = beyond(["a", "b", "c"], bound, sign, is_with)
            rule = text.replace(" = ", " == ") % tuple(values)
            named = [dict(zip("abc", key, strict=True)) for key in keys]
            assert [key for key, row in zip(keys, named, strict=True) if eval(rule, row)] == wanted
