"""A row of the source as the connector would have sent it: the facts are test_types.py's."""

import base64
import json
from dataclasses import replace
from typing import Any

import pytest

from lakemirror.source import canonical
from lakemirror.source.canonical import Canonical
from lakemirror.source.encode import (
    Columns,
    EncodeError,
    Record,
    Told,
    encoded,
    json_text,
    record_of,
)
from lakemirror.source.types import encoding, settings_of

STRING = {"decimal.handling.mode": "string"}
ISO, NANOS = ({"time.precision.mode": mode} for mode in ("isostring", "nanoseconds"))


def column(data_type: str, connector: str, **settings: str) -> tuple[Canonical, dict[str, Any]]:
    kind, given = settings_of({"connector": connector, **settings})
    found = encoding(data_type, kind, given)
    told = {"name": "c", "type": found.as_dict(), "conversion": None}
    one = canonical.canonical(told, "c", data_type, kind, found.lake.replace(" ", ""))
    assert isinstance(one, Canonical), one
    return one, found.as_dict()


@pytest.mark.parametrize(
    ("data_type", "connector", "settings", "text", "sent"),
    [
        ("tinyint(4)", "mariadb", {}, "-128", "-128"),
        ("bigint(20)", "mysql", {}, "9223372036854775807", "9223372036854775807"),
        ("tinyint(3) zerofill", "mariadb", {}, "255", "-1"),
        ("bigint(20) unsigned", "mariadb", {}, "18446744073709551615", "-1"),
        ("year(4)", "mariadb", {}, "2155", "2155"),
        ("bit(1)", "mariadb", {}, "true", "true"),
        ("bit(10)", "mariadb", {}, "682", '"qgI="'),
        ("bit(10)", "postgresql", {}, "1010101010", '"qgI="'),
        ("boolean", "postgresql", {}, "false", "false"),
        ("varchar(9)", "mariadb", {}, 'a"\\ é\n', r'"a\"\\ é\n"'),
        ("decimal(12,2)", "mariadb", {}, "12.30", '"BM4="'),
        ("decimal(12,2)", "mariadb", {}, "-1.28", '"gA=="'),
        ("decimal(12,2)", "mariadb", {}, "1.28", '"AIA="'),
        ("decimal(12,2)", "mariadb", {}, "0.00", '"AA=="'),
        ("decimal(12,2)", "mariadb", STRING, "-0.01", '"-0.01"'),
        ("decimal(12,2)", "mariadb", {"decimal.format": "numeric"}, "12.30", "12.30"),
        ("numeric", "postgresql", {}, "-1.5", '{"scale":1,"value":"8Q=="}'),
        ("numeric", "postgresql", {}, "100", '{"scale":0,"value":"ZA=="}'),
        ("date", "mariadb", {}, "20512", "20512"),
        ("date", "mariadb", ISO, "20512", '"2026-02-28"'),
        ("time(6)", "mariadb", {}, "-3020399000000", "-3020399000000"),
        ("time(6)", "mariadb", NANOS, "-1", "-1000"),
        ("time(6)", "mariadb", ISO, "-3020399000000", '"-838:59:59.000000"'),
        ("time(6)", "mariadb", ISO, "25440250000", '"07:04:00.250000"'),
        ("datetime(3)", "mariadb", {}, "-1000", "-1"),
        ("datetime(6)", "mariadb", {}, "-1", "-1"),
        ("datetime(6)", "mariadb", ISO, "-1", '"1969-12-31T23:59:59.999999Z"'),
        ("timestamp(6)", "mariadb", {}, "1", '"1970-01-01T00:00:00.000001Z"'),
        ("timestamptz", "postgresql", {}, "1", '"1970-01-01T00:00:00.000001Z"'),
        ("timestamp without time zone", "postgresql", {}, "5", "5"),
        ("blob", "mariadb", {}, "00ff00ff", '"AP8A/w=="'),
        ("bytea", "postgresql", {"binary.handling.mode": "hex"}, "00ff", '"00ff"'),
        ("bytea", "postgresql", {"binary.handling.mode": "base64-url-safe"}, "fbff", '"-_8="'),
        ("real", "postgresql", {}, "4591870180174331904", "0.10000000149011612"),
        ("float", "mariadb", {}, "4591870180174331904", "0.10000000149011612"),
        ("double", "mysql", {}, "-4616189618054758400", "-1.0"),
        ("double precision", "postgresql", {}, "4591870180066957722", "0.1"),
        ("double precision", "postgresql", {}, "-9223372036854775808", "-0.0"),
        ("double precision", "postgresql", {}, "9221120237041090560", '"NaN"'),
        ("double precision", "postgresql", {}, "-4503599627370496", '"-Infinity"'),
        ("uuid", "postgresql", {}, "ffffffff-ffff-ffff-ffff-ffffffffffff", None),
    ],
)
def test_values_as_they_are_sent(
    data_type: str, connector: str, settings: dict[str, str], text: str, sent: str | None
) -> None:
    found = json_text(encoded(text, *column(data_type, connector, **settings)))
    assert found == (json.dumps(text) if sent is None else sent)


def test_digits_are_exact() -> None:
    one, kind = column("decimal(38,10)", "mariadb")
    text = "9" * 28 + "." + "9" * 10
    number = int.from_bytes(base64.b64decode(encoded("-" + text, one, kind)), "big", signed=True)
    assert number == 1 - 10**38


@pytest.mark.parametrize(
    ("data_type", "connector", "settings", "text"),
    [
        ("numeric", "postgresql", {}, "NaN"),
        ("datetime(3)", "mariadb", {}, "1001"),
        ("date", "mariadb", {"time.precision.mode": "structured"}, "1"),
        ("date", "mariadb", ISO, "99999999"),
    ],
)
def test_a_value_that_nobody_can_write(
    data_type: str, connector: str, settings: dict[str, str], text: str
) -> None:
    with pytest.raises(EncodeError, match=r"^c: "):
        encoded(text, *column(data_type, connector, **settings))


SOURCE = {"connector": "mariadb", "snapshot": "last", "file": "binlog.000002", "pos": 5, "row": 3}
ID = Canonical("id", "ID", "whole", "mariadb", "int")
NOTE = Canonical("note", "note", "text", "mariadb", "text")
TYPES = {
    "id": {"family": "as_read", "json": "int"},
    "note": {"family": "as_read", "json": "string"},
}
COLUMNS = Columns([ID], [ID, NOTE], TYPES, [])


def event(**more: Any) -> str:
    told = {"before": None, "after": {"Id": 1, "note": "old", "f": 1.50}, "source": SOURCE}
    return json.dumps({**told, "op": "r", "ts_ms": 1, "transaction": {"id": "t"}, **more})


PLACE = Record("shop.t", '{"Id":1}', event(), "2026-01-02 03:04:05", rank=7, order=8)
IMAGE = replace(PLACE, value=event().replace("1.5", "1.50"))


def made(told: Told, columns: Columns = COLUMNS, is_of_key: bool = True) -> tuple[str, Any, str]:
    key, value = record_of(told, columns, PLACE, IMAGE, is_of_key, 99)
    return key, json.loads(value), value


def test_a_row_right_after_the_newest_record() -> None:
    key, found, text = made(Told(["1"], ["1", "new"]))
    assert key == '{"Id":1}'
    assert (found["op"], found["before"], found["ts_ms"]) == ("u", None, 99)
    assert '"after":{"Id":1,"note":"new","f":1.50}' in text  # what has no text stays as it was
    assert "transaction" not in found  # of whose changes a connector has counted this is none
    assert found["source"] == {**SOURCE, "snapshot": "false", "row": 1_000_003}


def test_a_row_that_is_gone() -> None:
    _, found, _ = made(Told(["1"], None))
    assert (found["op"], found["after"]) == ("d", None)
    assert found["before"] == {"Id": 1, "note": None, "f": None}


def test_a_row_of_which_there_is_no_record() -> None:
    key, found, _ = made(Told(["2"], ["2", None]), is_of_key=False)
    assert key == '{"Id":2}'
    assert (found["op"], found["after"]["note"]) == ("c", None)
    with pytest.raises(EncodeError, match=r"nobody can read f \(float\) exactly"):
        made(Told(["2"], ["2", None]), replace(COLUMNS, others=["f (float)"]), is_of_key=False)


def test_the_place_in_postgresqls_log() -> None:
    of_postgresql = [replace(each, connector="postgresql") for each in (ID, NOTE)]
    columns = Columns(of_postgresql[:1], of_postgresql, TYPES, [])
    _, found, _ = made(Told(["1"], ["1", "new"]), columns)
    assert found["source"]["sequence"] == '["7", "9"]'


def test_vitess_has_no_place_between_two_changes() -> None:
    columns = Columns([replace(ID, connector="vitess")], [ID, NOTE], TYPES, [])
    with pytest.raises(EncodeError, match="vitess"):
        made(Told(["1"], ["1", "new"]), columns)


def test_a_converter_with_schemas() -> None:
    schemas = [
        replace(each, key='{"schema":{},"payload":{"Id":1}}')
        for each in (PLACE, replace(IMAGE, value=f'{{"schema":{{}},"payload":{IMAGE.value}}}'))
    ]
    place = replace(schemas[0], value=f'{{"schema":{{"a":1}},"payload":{PLACE.value}}}')
    key, value = record_of(Told(["1"], None), COLUMNS, place, schemas[1], True, 99)
    assert key == '{"schema":{},"payload":{"Id":1}}'
    assert json.loads(value)["schema"] == {"a": 1}
    assert json.loads(value)["payload"]["op"] == "d"
