"""Random values of every type, as the connectors send them, come back as the source's own.

Cases 41-53, F17. A sample is the source's text of a value and the JSON text of it in an event, both
made here from the value by Debezium's documentation; the oracles of the recordings read the text.
``LAKEMIRROR_SEED`` sets which values there are.
"""

import base64
import json
import os
import struct
from collections.abc import Callable
from datetime import date, datetime, timedelta

import pytest
from hypothesis import strategies as st

from support.decoder_project import DecoderProject, unscaled
from support.depth import DEEP
from support.drawn import drawn
from support.lake import Lake
from support.postgres_state import postgres_value
from support.source_state import source_value

pytestmark = pytest.mark.compiled

Sample = tuple[str, str]
Samples = st.SearchStrategy[Sample]
SEED = int(os.environ.get("LAKEMIRROR_SEED", "20261122"))
VALUES = 1000 if DEEP else 100
EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
CLOCK = 838 * 3_600_000_000 + 59 * 60_000_000 + 59_999_999  # MySQL's longest time


def whole(low: int, high: int, sent: Callable[[int], str] = str) -> Samples:
    return st.integers(low, high).map(lambda n: (str(n), sent(n)))


def signed(number: int) -> str:
    """The 64 bits of an unsigned number, read as a signed one."""
    return str(number - 2**64 if number >= 2**63 else number)


def plain(number: int, scale: int) -> str:
    """A decimal by its unscaled number."""
    digits = str(abs(number)).rjust(scale + 1, "0")
    whole_part, fraction = (digits[:-scale], digits[-scale:]) if scale else (digits, "")
    return ("-" if number < 0 else "") + whole_part + ("." + fraction if scale else "")


def decimals(precision: int, scale: int, as_text: bool = False) -> Samples:
    def sample(number: int) -> Sample:
        text = plain(number, scale)
        return text, json.dumps(text) if as_text else unscaled(number)

    return st.integers(1 - 10**precision, 10**precision - 1).map(sample)


def any_scale(parts: tuple[int, int]) -> Sample:
    """PostgreSQL's numeric without digits; the oracle has no zeros at its end."""
    number, scale = parts
    number += 1 if number % 10 == 0 else 0
    return plain(number, scale), f'{{"scale":{scale},"value":{unscaled(number)}}}'


def shortest(value: float) -> str:
    """The shortest text of a 32-bit float."""
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == struct.pack("f", value):
            return text
    raise ValueError(value)


def texts(sent: Callable[[str], str] = json.dumps) -> Samples:
    letters = st.characters(exclude_categories=["Cs"])
    return st.text(letters, max_size=40).map(lambda text: (text, sent(text)))


def blobs(sent: Callable[[bytes], str], shown: str = "") -> Samples:
    def sample(value: bytes) -> Sample:
        return shown + value.hex(), json.dumps(sent(value))

    return st.binary(max_size=40).map(sample)


def as_base64(value: bytes) -> str:
    return base64.b64encode(value).decode()


def dates(sent: Callable[[date], str]) -> Samples:
    return st.dates().map(lambda day: (day.isoformat(), sent(day)))


def days(day: date) -> str:
    return str((day - EPOCH.date()).days)


def moments(sent: Callable[[datetime], str], step: int = 1, zone: str = "") -> Samples:
    """Times of day and date, in whole ``step`` microseconds; the text ends with ``zone``."""

    def sample(value: datetime) -> Sample:
        value -= value.microsecond % step * MICROSECOND
        return value.isoformat(" ") + zone, sent(value)

    return st.datetimes().map(sample)


def since_epoch(unit: int) -> Callable[[datetime], str]:
    """A number of units of so many microseconds."""
    return lambda value: str((value - EPOCH) // MICROSECOND // unit)


def iso(value: datetime) -> str:
    return json.dumps(value.isoformat() + "Z")


def clocks(sent: Callable[[int], str], low: int, high: int, step: int = 1) -> Samples:
    """Times in microseconds, in whole steps."""

    def sample(value: int) -> Sample:
        value = value // step * step
        return clock(value), sent(value)

    return st.integers(low, high).map(sample)


def clock(micros: int) -> str:
    seconds, fraction = divmod(abs(micros), 1_000_000)
    hours, rest = divmod(seconds, 3600)
    sign = "-" if micros < 0 else ""
    return f"{sign}{hours:02}:{rest // 60:02}:{rest % 60:02}.{fraction:06}"


def listed(element: Samples) -> Samples:
    """PostgreSQL's arrays of one dimension, of values that need no quotes."""

    def sample(values: list[Sample | None]) -> Sample:
        shown = ",".join("NULL" if value is None else value[0] for value in values)
        sent = ",".join("null" if value is None else value[1] for value in values)
        return f"{{{shown}}}", f"[{sent}]"

    return st.lists(st.none() | element, max_size=5).map(sample)


DOUBLES = st.floats(allow_nan=False, allow_infinity=False).map(lambda x: (repr(x), repr(x)))
SINGLES = st.floats(width=32, allow_nan=False, allow_infinity=False).map(
    lambda x: (shortest(x), shortest(x))
)
UUIDS = st.uuids().map(lambda value: (str(value), json.dumps(str(value))))
BOOLEANS = st.booleans().map(lambda value: (str(int(value)), str(value).lower()))
BITS = st.integers(0, 1023).map(lambda n: (str(n), json.dumps(as_base64(n.to_bytes(2, "little")))))
INTEGERS = {
    "tinyint(4)": whole(-(2**7), 2**7 - 1),
    "smallint(5) unsigned": whole(0, 2**16 - 1),
    "int(11)": whole(-(2**31), 2**31 - 1),
    "int(10) unsigned": whole(0, 2**32 - 1),
    "bigint(20)": whole(-(2**63), 2**63 - 1),
    "year(4)": whole(1901, 2155),
}
GROUPS: dict[str, tuple[str, dict[str, str], dict[str, Samples]]] = {
    "mariadb": (
        "mariadb",
        {},
        {
            **INTEGERS,
            "bigint(20) unsigned": whole(0, 2**64 - 1, signed),
            "decimal(12,2)": decimals(12, 2),
            "decimal(38,10)": decimals(38, 10),
            "decimal(65,30)": decimals(65, 30),
            "float": SINGLES,
            "double": DOUBLES,
            "bit(1)": BOOLEANS,
            "bit(10)": BITS,
            "varchar(200)": texts(),
            "longtext": texts(lambda text: json.dumps(text, ensure_ascii=False)),
            "enum('a','b')": st.sampled_from(["a", "b", ""]).map(lambda x: (x, json.dumps(x))),
            "json": texts(),
            "uuid": UUIDS,
            "blob": blobs(as_base64),
            "date": dates(days),
            "time(6)": clocks(str, -CLOCK, CLOCK),
            "datetime(3)": moments(since_epoch(1000), 1000),
            "datetime(6)": moments(since_epoch(1)),
            "timestamp(6)": moments(iso),
        },
    ),
    "strings": (
        "mysql",
        {
            "decimal.handling.mode": "string",
            "bigint.unsigned.handling.mode": "precise",
            "binary.handling.mode": "hex",
            "time.precision.mode": "isostring",
        },
        {
            "bigint(20) unsigned": whole(0, 2**64 - 1, unscaled),
            "decimal(12,2)": decimals(12, 2, as_text=True),
            "decimal(65,30)": decimals(65, 30, as_text=True),
            "blob": blobs(bytes.hex),
            "date": dates(lambda day: json.dumps(f"{day.isoformat()}Z")),
            "time(6)": clocks(lambda value: json.dumps(clock(value)), -CLOCK, CLOCK),
            "datetime(6)": moments(iso),
        },
    ),
    "nanos": (
        "mysql",
        {"time.precision.mode": "nanoseconds", "binary.handling.mode": "base64-url-safe"},
        {
            "blob": blobs(lambda value: base64.urlsafe_b64encode(value).decode()),
            "time(6)": clocks(lambda value: str(1000 * value), -CLOCK, CLOCK),
        },
    ),
    "connect": (
        "mysql",
        {"time.precision.mode": "connect"},
        {
            "time(3)": clocks(lambda value: str(value // 1000), -CLOCK, CLOCK, 1000),
            "datetime(3)": moments(since_epoch(1000), 1000),
        },
    ),
    "vitess": (
        "vitess",
        {},
        {
            **INTEGERS,
            "bigint unsigned": whole(0, 2**64 - 1, lambda n: json.dumps(str(n))),
            "decimal(12,2)": decimals(12, 2, as_text=True),
            "double": DOUBLES,
            "varchar(200)": texts(),
            "time(6)": clocks(str, -CLOCK, CLOCK),
        },
    ),
    "postgresql": (
        "postgresql",
        {},
        {
            "smallint": whole(-(2**15), 2**15 - 1),
            "bigint": whole(-(2**63), 2**63 - 1),
            "boolean": BOOLEANS,
            "numeric(12,2)": decimals(12, 2),
            "numeric(50,2)": decimals(50, 2),
            "numeric": st.tuples(st.integers(-(10**27), 10**27), st.integers(0, 60)).map(any_scale),
            "real": SINGLES,
            "double precision": DOUBLES,
            "text": texts(),
            "jsonb": texts(),
            "uuid": UUIDS,
            "bytea": blobs(as_base64, "\\x"),
            "date": dates(days),
            "time(3) without time zone": clocks(
                lambda value: str(value // 1000), 0, 86_399_999_999, 1000
            ),
            "time without time zone": clocks(str, 0, 86_399_999_999),
            "timestamp(3) without time zone": moments(since_epoch(1000), 1000),
            "timestamp without time zone": moments(since_epoch(1)),
            "timestamp with time zone": moments(iso, zone="+00:00"),
            "integer[]": listed(whole(-(2**31), 2**31 - 1)),
            "date[]": listed(dates(days)),
        },
    ),
}


def test_random_values_come_back(lake: Lake) -> None:
    project = DecoderProject(lake)
    columns: dict[str, list[list[Sample]]] = {}
    for group, (connector, settings, samples) in GROUPS.items():
        columns[group] = [drawn(strategy, VALUES, SEED) for strategy in samples.values()]
        project.declare(group, connector, settings, [*samples])
        rows = [
            [column[number % len(column)][1] for column in columns[group]]
            for number in range(max(map(len, columns[group])))
        ]
        project.decode(group, rows)
    project.dbt("run")
    wrong = []
    for group, (connector, _, samples) in GROUPS.items():
        value_of = postgres_value if connector == "postgresql" else source_value
        rows_of_group = project.rows(group)
        assert len(rows_of_group) == max(map(len, columns[group]))
        for n, (kind, column) in enumerate(zip(samples, columns[group], strict=True)):
            for row in rows_of_group:
                text, sent = column[row["id"] % len(column)]
                expected, found = value_of(kind, text), row[f"c{n}"]
                if type(found) is not type(expected) or found != expected:
                    wrong.append(f"{group}: {kind} {sent} is {found!r}, not {expected!r}")
                    break
    assert not wrong, f"seed {SEED}\n" + "\n".join(wrong)
