"""Random settings of a connector, and random values sent with them: told, asked for, never wrong.

What is sent is made here from the value, by Debezium's documentation; what the settings that were
told make of it is computed here too, as the macros of macros/types do.
"""

import base64
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemirror.source import types, wire
from lakemirror.source.inference import Column, Evidence, Inference
from support.depth import DEEP

EXAMPLES = 30_000 if DEEP else 1200
EPOCH = datetime(1970, 1, 1)
MICROSECOND = timedelta(microseconds=1)
NOW = datetime(2026, 3, 1, 12)
DECIMAL, FORMAT, TIME = "decimal.handling.mode", "decimal.format", "time.precision.mode"
UNSIGNED, BINARY = "bigint.unsigned.handling.mode", "binary.handling.mode"
INTERVAL, MONEY = "interval.handling.mode", "money.fraction.digits"
PLACES = {"millis": 3, "micros": 6, "nanos": 9}
Modes = dict[str, str]


def shortest_bytes(number: int) -> str:
    """Java's BigInteger.toByteArray, as base64."""
    length = 1
    while not -(2 ** (8 * length - 1)) <= number < 2 ** (8 * length - 1):
        length += 1
    return base64.b64encode(number.to_bytes(length, signed=True)).decode()


def java_double(number: float) -> str:
    """Java's Double.toString."""
    sign, digits, exponent = Decimal(repr(number)).as_tuple()
    text = "".join(map(str, digits)).rstrip("0") or "0"
    point = len(digits) + exponent
    if number and not 1e-3 <= abs(number) < 1e7:
        shown = f"{text[0]}.{text[1:] or '0'}E{point - 1}"
    else:
        whole = text[: max(point, 0)].ljust(max(point, 0), "0") or "0"
        fraction = ("0" * -point if point < 0 else "") + text[max(point, 0) :]
        shown = f"{whole}.{fraction or '0'}"
    return ("-" if sign else "") + shown


def decimal_sent(value: Decimal, scale: int, modes: Modes) -> str:
    """The JSON of a decimal."""
    number = int(value.scaleb(scale))
    if modes[DECIMAL] == "string":
        return json.dumps(f"{value:.{scale}f}")
    if modes[DECIMAL] == "double":
        return java_double(float(value))
    return (
        f"{value:.{scale}f}" if modes[FORMAT] == "numeric" else json.dumps(shortest_bytes(number))
    )


def binary_sent(value: bytes, modes: Modes) -> str:
    if modes[BINARY] == "hex":
        return json.dumps(value.hex())
    is_url = modes[BINARY] == "base64-url-safe"
    encoded = base64.urlsafe_b64encode(value) if is_url else base64.b64encode(value)
    return json.dumps(encoded.decode())


def unsigned_sent(value: int, modes: Modes) -> str:
    if modes[UNSIGNED] == "long":
        return str(value - 2**64 if value >= 2**63 else value)
    if modes[UNSIGNED] == "string":
        return json.dumps(str(value))
    return str(value) if modes[FORMAT] == "numeric" else json.dumps(shortest_bytes(value))


def unit(mode: str, digits: int, kind: str) -> str:
    """What a number counts: the time table of Debezium's documentation."""
    if mode in ("connect", "nanoseconds", "microseconds"):
        return {"connect": "millis", "nanoseconds": "nanos", "microseconds": "micros"}[mode]
    if mode == "adaptive_time_microseconds" and kind == "time":
        return "micros"
    return "millis" if digits <= 3 else "micros"


def in_unit(micros: int, counted: str) -> int:
    return micros // 1000 if counted == "millis" else micros * 10 ** (PLACES[counted] - 6)


def clock_sent(micros: int, digits: int, modes: Modes) -> str:
    mode = modes[TIME]
    if mode == "isostring":
        seconds, fraction = divmod(abs(micros), 1_000_000)
        sign = "-" if micros < 0 else ""
        return json.dumps(
            f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{fraction:06}Z"
        )
    if mode == "structured":
        return json.dumps({"hours": 0, "minutes": 0, "seconds": 0, "nanos": micros * 1000})
    return str(in_unit(micros, unit(mode, digits, "time")))


def datetime_sent(value: datetime, digits: int, modes: Modes) -> str:
    mode = modes[TIME]
    if mode == "isostring":
        return json.dumps(value.isoformat() + "Z")
    if mode == "structured":
        return json.dumps({"year": value.year, "month": value.month, "day": value.day})
    micros = (value - EPOCH) // MICROSECOND
    return str(in_unit(micros, unit(mode, digits, "datetime")))


def date_sent(value: datetime, modes: Modes) -> str:
    if modes[TIME] == "isostring":
        return json.dumps(f"{value.date().isoformat()}Z")
    if modes[TIME] == "structured":
        return json.dumps({"year": value.year, "month": value.month, "day": value.day})
    return str((value - EPOCH).days)


def interval_sent(micros: int, modes: Modes) -> str:
    is_text = modes[INTERVAL] == "string"
    return json.dumps(f"P0Y0M0DT0H0M{micros / 1e6:f}S") if is_text else str(micros)


def numeric_sent(value: Decimal, modes: Modes) -> str:
    """PostgreSQL's numeric without digits."""
    if modes[DECIMAL] == "string":
        return json.dumps(f"{value:f}")
    if modes[DECIMAL] == "double":
        return java_double(float(value))
    exponent = -int(value.as_tuple().exponent)
    number = shortest_bytes(int(value.scaleb(exponent)))
    return json.dumps({"scale": exponent, "value": number})


class UnreadableError(Exception):
    """A value that staging would send to the quarantine."""


def read(data_type: str, sent: Any, kind: str, modes: Modes) -> Any:
    """What a setting makes of a value, as macros/types do.

    Raises:
        UnreadableError: nothing.
    """
    try:
        found = types.encoding(data_type, *types.settings_of({**modes, "connector": kind}))
    except types.TypeMappingError as problem:
        raise UnreadableError from problem
    reader = READERS.get(found.family)
    if found.json == "binary" and found.family == "as_read":
        reader = read_base64
    try:
        if reader:
            return reader(sent, found.options)
    except (ValueError, TypeError, AttributeError) as problem:
        raise UnreadableError from problem
    kinds = {"string": str, "bigint": int, "int": int}
    if not isinstance(sent, kinds[found.json]):
        raise UnreadableError
    return Decimal(sent) if data_type.startswith(("decimal", "numeric", "money")) else sent


def read_base64(sent: Any, options: Any) -> bytes:
    return base64.b64decode(sent, validate=True)


def read_url_base64(sent: Any, options: Any) -> bytes:
    return base64.b64decode(sent.replace("-", "+").replace("_", "/"), validate=True)


def read_hex(sent: Any, options: Any) -> bytes:
    return bytes.fromhex(sent)


def read_bytes_of_decimal(sent: Any, options: Any) -> Decimal:
    number = int.from_bytes(base64.b64decode(sent, validate=True), signed=True)
    return fitting(Decimal(number).scaleb(-options["scale"]), options)


def read_text_of_decimal(sent: Any, options: Any) -> Decimal:
    if not isinstance(sent, str) or not re.fullmatch(r"[+-]?\d+([.]\d*)?", sent):
        raise ValueError(sent)
    return fitting(Decimal(sent), options)


def read_number(sent: Any, options: Any) -> Decimal:
    return fitting(Decimal(str(number_of(sent))), options)


def read_double(sent: Any, options: Any) -> Decimal:
    found = fitting(Decimal(repr(float(str(number_of(sent))))), options)
    if abs(found) >= Decimal(10) ** (15 - options["scale"]):
        raise ValueError(sent)
    return found


def number_of(sent: Any) -> Any:
    if isinstance(sent, bool) or not isinstance(sent, int | wire.Real):
        raise TypeError(sent)
    return sent


def fitting(value: Decimal, options: Any) -> Decimal:
    """A decimal of the column's type: nothing is rounded, and none without a sign is below zero."""
    exponent = value.normalize().as_tuple().exponent
    limit = Decimal(10) ** (options["precision"] - options["scale"])
    if -int(exponent) > options["scale"] or abs(value) >= limit:
        raise ValueError(value)
    if value < 0 and options.get("is_unsigned"):
        raise ValueError(value)
    return value


def read_signed(sent: Any, options: Any) -> int:
    if not isinstance(sent, int) or not -(2**63) <= sent < 2**63:
        raise ValueError(sent)
    return sent + 2**64 if sent < 0 else sent


def read_scaled(sent: Any, options: Any) -> Decimal:
    number = int.from_bytes(base64.b64decode(sent["value"]), signed=True)
    return Decimal(number).scaleb(-sent["scale"])


def read_units(sent: Any, options: Any) -> int:
    """In microseconds."""
    if not isinstance(sent, int):
        raise TypeError(sent)
    return sent * 10**6 // 10 ** PLACES[options["unit"]]


def read_days(sent: Any, options: Any) -> int:
    if not isinstance(sent, int):
        raise TypeError(sent)
    return sent


def only(kind: type) -> Callable[[Any, Any], Any]:
    """Forms that have a JSON type of their own: a value of it is not read as another."""

    def reader(sent: Any, options: Any) -> Any:
        if not isinstance(sent, kind):
            raise TypeError(sent)
        return OTHERWISE

    return reader


OTHERWISE = object()
READERS: dict[str, Callable[[Any, Any], Any]] = {
    "binary_of_url_base64": read_url_base64,
    "binary_of_hex": read_hex,
    "decimal_of_bytes": read_bytes_of_decimal,
    "text_of_bytes": read_bytes_of_decimal,
    "decimal_of_text": read_text_of_decimal,
    "decimal_of_number": read_number,
    "decimal_of_double": read_double,
    "unsigned_of_signed": read_signed,
    "text_of_variable_scale": read_scaled,
    "time_of_units": read_units,
    "datetime_of_units": read_units,
    "date_of_days": read_days,
    **dict.fromkeys(("date_of_text", "time_of_text", "datetime_of_text"), only(str)),
    **dict.fromkeys(("date_of_fields", "datetime_of_fields"), only(dict)),
    **dict.fromkeys(("time_of_clock", "time_of_duration"), only(dict)),
}


def decimals(precision: int, scale: int) -> st.SearchStrategy[Decimal]:
    small = st.integers(-2000, 2000)
    every = small | st.integers(1 - 10**precision, 10**precision - 1)
    return every.map(lambda number: Decimal(number).scaleb(-scale))


@pytest.fixture(autouse=True)
def all_digits() -> Iterator[None]:
    """Decimals of MySQL have 65 digits, and those of Python 28 where nobody says otherwise."""
    with localcontext(prec=100):
        yield


def moments(step: int) -> st.SearchStrategy[datetime]:
    """Of any time, and of times at which units are mixed up: around 1970, and of today."""
    every = (
        st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))
        | st.datetimes(datetime(1970, 1, 1), datetime(1970, 3, 1))
        | st.datetimes(NOW - timedelta(hours=20), NOW + timedelta(hours=20))
    )
    return every.map(lambda value: value - (value - EPOCH) % (step * MICROSECOND))


Drawn = tuple[str, st.SearchStrategy[Any], Callable[[Any, Modes], str], Callable[[Any], Any]]


def same(value: Any) -> Any:
    return value


def since_1970(value: datetime) -> int:
    return (value - EPOCH) // MICROSECOND


def of_decimal(name: str, precision: int, scale: int) -> Drawn:
    values = decimals(precision, scale)
    return name, values, lambda value, modes: decimal_sent(value, scale, modes), same


def of_clock(name: str, digits: int, low: int, high: int) -> Drawn:
    step = 10 ** (6 - digits)
    values = st.integers(low, high).map(lambda value: value // step * step)
    return name, values, lambda value, modes: clock_sent(value, digits, modes), same


def of_datetime(name: str, digits: int) -> Drawn:
    step = 10 ** (6 - digits)
    values = moments(step) | moments(10**6)
    return name, values, lambda value, modes: datetime_sent(value, digits, modes), since_1970


def of_binary(name: str, length: int) -> Drawn:
    return name, st.binary(max_size=length), binary_sent, same


def of_array(element: Drawn) -> Drawn:
    """Lists of an element's values."""
    name, values, sent, value_of = element

    def list_sent(found: list[Any], modes: Modes) -> str:
        return f"[{', '.join(sent(value, modes) for value in found)}]"

    return (
        f"{name}[]",
        st.lists(values, max_size=3),
        list_sent,
        lambda found: [*map(value_of, found)],
    )


def money_sent(value: Decimal, modes: Modes) -> str:
    return decimal_sent(value, int(modes[MONEY]), modes)


DATE: Drawn = ("date", moments(1), date_sent, lambda value: (value - EPOCH).days)
UNSIGNED_BIGINT: Drawn = (
    *("bigint(20) unsigned", st.integers(0, 5000) | st.integers(0, 2**64 - 1)),
    *(unsigned_sent, same),
)
CLOCK = 3_020_399_000_000
MYSQL: list[Drawn] = [
    of_decimal("decimal(8,0)", 8, 0),
    of_decimal("decimal(12,2)", 12, 2),
    of_decimal("decimal(30,1) unsigned", 30, 1),
    of_decimal("decimal(65,30)", 65, 30),
    UNSIGNED_BIGINT,
    of_binary("binary(16)", 16),
    of_binary("varbinary(20)", 20),
    of_binary("blob", 60),
    DATE,
    of_clock("time", 0, -CLOCK, CLOCK),
    of_clock("time(3)", 3, -CLOCK, CLOCK),
    of_clock("time(6)", 6, -CLOCK, CLOCK),
    of_datetime("datetime", 0),
    of_datetime("datetime(3)", 3),
    of_datetime("datetime(6)", 6),
]
POSTGRESQL: list[Drawn] = [
    of_decimal("numeric(8,0)", 8, 0),
    of_decimal("numeric(12,2)", 12, 2),
    of_decimal("numeric(50,2)", 50, 2),
    (
        *("numeric", st.tuples(st.integers(-(10**20), 10**20), st.integers(0, 9))),
        lambda value, modes: numeric_sent(Decimal(value[0]).scaleb(-value[1]), modes),
        lambda value: Decimal(value[0]).scaleb(-value[1]),
    ),
    of_binary("bytea", 40),
    DATE,
    of_clock("time without time zone", 6, 0, 86_400_000_000),
    of_clock("time(3) without time zone", 3, 0, 86_400_000_000),
    of_datetime("timestamp without time zone", 6),
    of_datetime("timestamp(3) without time zone", 3),
    of_datetime("timestamp(0) without time zone", 0),
    ("interval", st.integers(-(10**12), 10**12), interval_sent, same),
    ("money", st.integers(-(10**6), 10**12).map(Decimal), money_sent, same),
    of_array(of_decimal("numeric(12,2)", 12, 2)),
    of_array(of_binary("bytea", 9)),
    of_array(of_datetime("timestamp(3) without time zone", 3)),
    of_array(DATE),
]
VITESS = [UNSIGNED_BIGINT, of_binary("varbinary(20)", 20), DATE, of_datetime("datetime(6)", 6)]
STRANGE_JSON = ("true", '"~"', '{"odd": 1}')  # what no mode sends, of any of these types
TYPES = {"mariadb": MYSQL, "mysql": MYSQL, "postgresql": POSTGRESQL, "vitess": VITESS}
CASES = st.sampled_from(sorted(TYPES)).flatmap(
    lambda kind: st.tuples(
        st.just(kind),
        st.fixed_dictionaries(
            {name: st.sampled_from(values) for name, values in types.SETTINGS[kind].items()}
        ),
        st.lists(st.sampled_from(TYPES[kind]), min_size=1, max_size=6).flatmap(
            lambda columns: st.tuples(
                st.just(columns),
                st.lists(st.tuples(*(st.none() | column[1] for column in columns)), max_size=8),
            )
        ),
    )
)


def infer(kind: str, columns: list[str], rows: list[list[str]], said: Modes) -> Inference:
    """What rows of JSON texts tell."""
    found = [Column("shop.t", f"c{n}", data_type) for n, data_type in enumerate(columns)]
    evidence = Evidence(kind, found, said)
    for row in rows:
        values = {f"c{n}": wire.parsed(text) for n, text in enumerate(row)}
        evidence.look("shop.t", values, NOW.replace(tzinfo=UTC).timestamp())
    evidence.wanting()
    return evidence.result()


def asked_for(found: Inference) -> set[str]:
    return {question.split(" cannot be told")[0] for question in found.questions}


def as_sent(columns: list[Drawn], rows: list[Any], modes: Modes) -> list[list[str]]:
    """What the connector makes of rows, as JSON."""
    return [
        ["null" if v is None else c[2](v, modes) for c, v in zip(columns, row, strict=True)]
        for row in rows
    ]


def answers(asked: set[str], modes: Modes) -> Modes:
    """What somebody says who was asked, in another case than Debezium's."""
    return types.as_spelled({name: modes[name].upper() for name in asked})


@settings(max_examples=EXAMPLES, deadline=None, derandomize=not DEEP)
@given(CASES)
def test_random_settings(case: Any) -> None:
    kind, modes, (columns, rows) = case
    sent = as_sent(columns, rows, modes)
    found = infer(kind, [column[0] for column in columns], sent, {})
    assert (found.conflicts, found.strange) == ([], [])
    assert not any("none of its values sends" in question for question in found.questions)
    asked = asked_for(found)
    assert {name: value for name, value in found.settings.items() if name in asked} == {}
    for learned in found.learned:
        assert learned.value == modes[learned.setting] or learned.setting == BINARY
    # what is asked for is answered; what is not asked for is as it was taken to be
    answered = infer(kind, [c[0] for c in columns], sent, answers(asked, modes))
    assert (answered.conflicts, answered.questions) == ([], [])
    taken = {**{n: v[0] for n, v in types.SETTINGS[kind].items()}, **answered.settings}
    if taken == modes:
        return
    for row, texts in zip(rows, sent, strict=True):
        for (data_type, _, _, value_of), value, text in zip(columns, row, texts, strict=True):
            if value is not None:
                check(data_type, value_of(value), wire.parsed(text), kind, taken, modes)


@settings(max_examples=EXAMPLES // 3, deadline=None, derandomize=not DEEP)
@given(CASES, st.data())
def test_random_values_that_no_mode_sends(case: Any, data: Any) -> None:
    """Each column that has one is asked about or named, and nothing is told by it."""
    kind, modes, (columns, rows) = case
    sent = as_sent(columns, rows, modes)
    names = [column[0] for column in columns]
    place = data.draw(st.integers(0, len(columns) - 1))
    row = ["null"] * len(columns)
    row[place] = data.draw(st.sampled_from(STRANGE_JSON))
    before, found = infer(kind, names, sent, {}), infer(kind, names, [*sent, row], {})
    assert (found.conflicts, {*found.learned} <= {*before.learned}) == ([], True)
    asked = asked_for(found)
    named = [line for line in [*found.questions, *found.strange] if f"shop.t.c{place} (" in line]
    [setting, *_] = wire.settings_for(names[place], None, kind)
    assert named or setting in asked
    said = infer(kind, names, [*sent, row], answers(asked, modes))
    assert (said.conflicts, said.questions) == ([], [])
    assert any(f"shop.t.c{place} (" in line for line in said.strange)


def check(data_type: str, value: Any, sent: Any, kind: str, taken: Modes, modes: Modes) -> None:
    """A value is read as the settings that sent it read it; so is each element of a list."""
    if isinstance(sent, list):
        for of_value, of_sent in zip(value, sent, strict=True):
            check(data_type.removesuffix("[]"), of_value, of_sent, kind, taken, modes)
        return
    try:
        expected = read(data_type, sent, kind, modes)
    except UnreadableError:
        return
    found = read(data_type, sent, kind, taken)
    assert found == expected
    is_cut = modes[TIME] == "connect" or data_type == "interval"  # microseconds; a text
    assert found is OTHERWISE or is_cut or found == value


@settings(max_examples=EXAMPLES // 2, deadline=None, derandomize=not DEEP)
@given(CASES, st.data())
def test_what_comes_later_is_never_read_as_another_value(case: Any, data: Any) -> None:
    """A setting that is not told, and not asked for: what would tell it cannot be decoded."""
    kind, modes, (columns, rows) = case
    sent = as_sent(columns, rows, modes)
    names = [column[0] for column in columns]
    asked = asked_for(infer(kind, names, sent, {}))
    answered = infer(kind, names, sent, answers(asked, modes))
    taken = {**{n: v[0] for n, v in types.SETTINGS[kind].items()}, **answered.settings}
    for data_type, values, as_json, _ in columns:
        later = wire.parsed(as_json(data.draw(values), modes))
        for value in later if isinstance(later, list) else [later]:
            element = data_type.removesuffix("[]")
            try:
                expected, found = (read(element, value, kind, said) for said in (modes, taken))
            except UnreadableError:
                continue
            assert found == expected


def shown(kind: str, data_type: str, *values: Any, **said: str) -> Inference:
    """What values of a column tell, each as JSON."""
    given = {name.replace("_", "."): value for name, value in said.items()}
    return infer(kind, [data_type], [[json.dumps(value)] for value in values], given)


MICROS, MILLIS = 1772282096789012, 1772282096789
TOLD = [
    ("mariadb", "decimal(12,2)", ["12.30"], "decimal.handling.mode=string", "'12.30'"),
    ("mysql", "decimal(12,2)", ["BM4="], "decimal.handling.mode=precise", "'BM4='"),
    ("mysql", "decimal(9,0)", ["1000", "12"], "decimal.handling.mode=string", "'12'"),
    ("mysql", "decimal(20,8)", ["0E-8"], "decimal.handling.mode=string", "'0E-8'"),
    ("mysql", "decimal(20,8)", ["1E+3", "1.5E-7"], "decimal.handling.mode=string", "'1.5E-7'"),
    ("postgresql", "numeric(9,2)", ["NaN"], "decimal.handling.mode=double", "'NaN'"),
    (
        "postgresql",
        "numeric",
        [{"scale": 1, "value": "Dw=="}],
        "decimal.handling.mode=precise",
        "{",
    ),
    ("postgresql", "decimal(9,3)", [12.5], "decimal.handling.mode=double", "12.5"),
    # a snapshot's has been a double before
    ("postgresql", "money", ["0.0", "12.34"], "decimal.handling.mode=string", "'12.34'"),
    ("vitess", "bigint unsigned", ["9"], "bigint.unsigned.handling.mode=string", "'9'"),
    ("mariadb", "bigint unsigned", [-1], "bigint.unsigned.handling.mode=long", "-1"),
    ("mysql", "binary(4)", ["01020304"], "binary.handling.mode=hex", "'01020304'"),
    ("mysql", "blob", ["AP_-"], "binary.handling.mode=base64-url-safe", "'AP_-'"),
    ("postgresql", "bytea[]", [["deadbeef", "ff"]], "binary.handling.mode=hex", "'ff'"),
    ("postgresql", "interval", ["P1Y"], "interval.handling.mode=string", "'P1Y'"),
    ("mysql", "date", ["2026-02-28Z"], "time.precision.mode=isostring", "'2026-02-28Z'"),
    ("mysql", "timestamp", [{"year": 2026}], "time.precision.mode=structured", "{"),
    # seconds of a column without a fraction: no other unit is whole
    ("mysql", "time", [45296000000, 1000000], None, None),
    # close to the time of its event, twice
    ("mysql", "datetime(6)", [MILLIS, MILLIS + 1], "time.precision.mode=connect", str(MILLIS)),
    ("postgresql", "timestamp(3)", [MICROS // 1000 * 1000], "time.precision.mode=microseconds", ""),
]


@pytest.mark.parametrize(("kind", "data_type", "values", "told", "example"), TOLD)
def test_what_tells(kind: str, data_type: str, values: Any, told: str, example: str) -> None:
    found = shown(kind, data_type, *values)
    assert (found.conflicts, found.questions) == ([], [])
    lines = [str(learned) for learned in found.learned]
    if told is None:
        assert lines == []
    else:
        [line] = [line for line in lines if line.startswith(told)]
        assert "from shop.t.c0, " in line
        assert example in line


@pytest.mark.parametrize(
    ("kind", "data_type", "values", "asked"),
    [
        ("mysql", "decimal(9,0)", ["1000", "2000"], "decimal.handling.mode=precise or --setting"),
        ("mysql", "decimal(9,0)", [], "shop.t.c0 (decimal(9,0)) has no value yet"),
        ("mysql", "blob", ["deadbeef"], "binary.handling.mode=bytes or "),
        (
            "mysql",
            "datetime(6)",
            [MICROS // 1000 * 1000],
            "is 2026-02-28 in micros or 1970-01-21 in nanos",
        ),
        # 1000, or base64 of -28,631.77
        ("mysql", "decimal(20,2)", ["1E+3"], "c0 (decimal(20,2)) has '1E+3'. Say how"),
        ("postgresql", "money", ["BM4="], "--setting money.fraction.digits=2 or "),
    ],
)
def test_what_is_asked(kind: str, data_type: str, values: Any, asked: str) -> None:
    found = shown(kind, data_type, *values)
    assert found.conflicts == []
    [question] = found.questions
    assert asked in question
    setting = question.split(" ")[0]
    answer = types.SETTINGS[kind][setting][0]
    assert (
        infer(kind, [data_type], [[json.dumps(v)] for v in values], {setting: answer}).questions
        == []
    )


STRANGE = [
    ("mariadb", "decimal(10,2)", [1250, 3], DECIMAL, "precise or --setting"),
    ("mariadb", "bigint unsigned", ["5", "6"], UNSIGNED, "long or --setting"),
    ("postgresql", "numeric(10,2)[]", [["x", "12.5"]], DECIMAL, "precise or --setting"),
    ("postgresql", "interval", [True, False], INTERVAL, "numeric or --setting"),
]


@pytest.mark.parametrize(("kind", "data_type", "values", "setting", "answers"), STRANGE)
def test_values_that_fit_nothing(
    kind: str, data_type: str, values: Any, setting: str, answers: str
) -> None:
    """They are asked about; once the setting is given, they are said."""
    found = shown(kind, data_type, *values)
    example = wire.shown((values[0] if isinstance(values[0], list) else values)[0])
    [question] = found.questions
    assert question.startswith(
        f"{setting} cannot be told: shop.t.c0 ({data_type}) has {example}, which none of its values"
    )
    assert f"--setting {setting}={answers} {setting}=" in question
    assert (found.open, found.strange) == ([], [])
    rows = [[json.dumps(value)] for value in values]
    said = infer(kind, [data_type], rows, {setting: types.SETTINGS[kind][setting][0]})
    assert (said.questions, said.conflicts, said.open) == ([], [], [])
    [line] = said.strange
    assert line.startswith(
        f"2 of 2 values of shop.t.c0 ({data_type}) come with no {setting}, such as {example}: "
    )


def test_one_value_that_fits_nothing_beside_one_that_tells() -> None:
    found = shown("mysql", "decimal(10,2)", "12.30", 1250)
    assert [learned.value for learned in found.learned] == ["string"]
    assert found.questions == []
    [line] = found.strange
    assert line.startswith("1 of 2 values of shop.t.c0 (decimal(10,2)) come with no decimal.han")


def test_what_no_mode_sends_of_two_columns_is_asked_once() -> None:
    found = infer("mysql", ["decimal(9,2)", "decimal(10,2)"], [["1250", "1250"]], {})
    [question] = found.questions
    assert "shop.t.c0" in question


@pytest.mark.parametrize("value", ["infinity", "-infinity", {"specialValue": "POSITIVE_INFINITY"}])
@pytest.mark.parametrize("data_type", ["timestamptz", "timestamp", "date"])
def test_infinite_times_are_not_strange(data_type: str, value: Any) -> None:
    found = shown("postgresql", data_type, value)
    assert (found.questions, found.strange) == ([], [])


@pytest.mark.parametrize("data_type", ["varchar(9)", "int", "timestamp", "decimal(9,2)"])
def test_what_does_not_matter_is_not_asked(data_type: str) -> None:
    """No value of such a column is read as two, whatever comes."""
    assert shown("mysql", data_type).questions == []


def test_what_was_given_and_is_not_shown() -> None:
    found = infer("mysql", ["decimal(12,2)"], [['"12.30"']], {DECIMAL: "precise"})
    assert found.conflicts == [
        "decimal.handling.mode is given as precise, and the events show string: shop.t.c0, '12.30'"
    ]


def test_a_column_that_comes_in_two_ways() -> None:
    rows = [['"12.30"'], ['"BM4="']]
    [conflict] = infer("mysql", ["decimal(12,2)"], rows, {}).conflicts
    assert conflict.startswith(
        "shop.t.c0 comes in two ways: '12.30' is decimal.handling.mode=string"
    )
    assert infer("mysql", ["decimal(12,2)"], rows, {DECIMAL: "string"}).conflicts == []


def test_columns_of_two_connectors() -> None:
    rows = [['"12.30"', '"BM4="']]
    [conflict] = infer("mysql", ["decimal(12,2)", "decimal(9,2)"], rows, {}).conflicts
    assert "shop.t.c0, '12.30', is string; shop.t.c1, 'BM4=', is precise" in conflict


def test_values_of_a_former_type_tell_nothing() -> None:
    column = Column("shop.t", "c0", "datetime(6)", since=1_700_000_000.0)
    evidence = Evidence("mysql", [column], {})
    evidence.look("shop.t", {"c0": MILLIS}, 1_600_000_000.0)
    evidence.look("shop.t", {"c0": MICROS}, 1_800_000_000.0)
    assert evidence.result().questions == []
    assert evidence.seen["shop.t"][0].example == MICROS


@pytest.mark.parametrize(
    ("data_type", "name", "told"),
    [
        ("datetime(6)", "org.apache.kafka.connect.data.Timestamp", "time.precision.mode=connect"),
        ("datetime(6)", "io.debezium.time.NanoTimestamp", "time.precision.mode=nanoseconds"),
        ("decimal(9,0)", "org.apache.kafka.connect.data.Decimal", "decimal.handling.mode=precise"),
    ],
)
def test_connect_schemas_decide(data_type: str, name: str, told: str) -> None:
    """Before there is any value."""
    column = Column("shop.t", "c0", data_type, {"type": "int64", "name": name})
    [learned] = Evidence("mysql", [column], {}).result().learned
    assert str(learned) == f"{told}: from shop.t.c0, whose Connect schema says {name}"


def test_a_value_that_was_not_sent_tells_nothing() -> None:
    unsent = base64.b64encode(b"__debezium_unavailable_value").decode()
    assert shown("postgresql", "bytea", unsent).learned == []
