"""What a value of a source's type can look like in an event, by the connector's settings.

lakemirror.source.types says how a value is decoded once the settings are known; this says which
settings a value can have come with. A form takes all that a connector sends, and as little else as
the source's type allows: digits, lengths and ranges are what tells settings apart.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from itertools import product
from typing import Any

from lakemirror.source import types
from lakemirror.source.connect_types import LOGICAL
from lakemirror.source.types import Settings, SourceType, TypeMappingError

DECIMAL, FORMAT = "decimal.handling.mode", "decimal.format"
UNSIGNED, MONEY = "bigint.unsigned.handling.mode", "money.fraction.digits"
BINARY, TIME = "binary.handling.mode", "time.precision.mode"
INTERVAL = "interval.handling.mode"
PER_SECOND = {"millis": 3, "micros": 6, "nanos": 9}  # as powers of ten
YEAR_0, YEAR_1, YEAR_10000 = -62_167_219_200, -62_135_596_800, 253_402_300_800
# seconds that a TIME, and a DATETIME, can be; with a day more, since zones move the ends
DAY = 86_400
TIMES = {"postgresql": (0, DAY)}
MYSQL_TIMES = (-3_020_400, 3_020_400)
DATETIMES = {"postgresql": (-210_866_889_600, 9_224_318_016_000)}
MYSQL_DATETIMES = (YEAR_0 - DAY, YEAR_10000 + DAY)
INFINITE = 9_200_000_000_000_000_000  # PostgreSQL's infinity is sent as a number beyond
INFINITIES = ("infinity", "-infinity")
LENGTHS = {"tinyblob": 2**8 - 1, "blob": 2**16 - 1, "mediumblob": 2**24 - 1}
DECIMAL_NAME = "org.apache.kafka.connect.data.Decimal"
VARIABLE_NAME = "io.debezium.data.VariableScaleDecimal"
# a form's JSON
TEXT, WHOLE, REAL, OBJECT = "text", "whole", "real", "object"


@dataclass(frozen=True)
class Real:
    """A number with a fraction or an exponent, as its text in JSON."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Form:
    """How values of a type come: forms are equal where values come and are read alike.

    Attributes:
        name: see FITS.
        json: TEXT, WHOLE, REAL or OBJECT.
        limits: of the type: precision and scale, a length, or what a number counts.
    """

    name: str
    json: str
    limits: tuple[Any, ...] = ()

    def fits(self, value: Any) -> bool:
        """Whether a JSON value that is not null can have come so."""
        if value == "NaN":  # the text that a converter writes of a double
            return self.name == "double"
        return json_of(value) == self.json and FITS[self.name](value, *self.limits)

    def seconds(self, value: int) -> float:
        """Since 1970, where it is a datetime in units."""
        return value / 10 ** PER_SECOND[self.limits[0]]


def json_of(value: Any) -> str:
    if isinstance(value, str):
        return TEXT
    if isinstance(value, Real):
        return REAL
    if isinstance(value, dict):
        return OBJECT
    return WHOLE if isinstance(value, int) and not isinstance(value, bool) else "other"


def parsed(text: str) -> Any:
    """JSON whose numbers keep their digits; None where it is none."""
    try:
        return json.loads(text, parse_float=Real, parse_constant=Real)
    except (ValueError, RecursionError):
        return None


def event_of(text: str) -> dict[str, Any]:
    """A record's value without its Connect schema, with numbers as ``parsed`` has them."""
    begin = text.find(',"payload":') if text.startswith('{"schema":') else -1
    found = parsed(text[begin + len(',"payload":') : -1]) if begin > 0 else None
    if found is None:
        found = parsed(text)
        found = found["payload"] if isinstance(found, dict) and "payload" in found else found
    return found if isinstance(found, dict) else {}


def settings_for(data_type: str | None, connect: Mapping[str, Any] | None, kind: str) -> list[str]:
    """Which of a connector's settings have a say in how a column's values are read."""
    if data_type is None:
        name = (connect or {}).get("name")
        return [FORMAT] if name == DECIMAL_NAME else []
    known = types.SETTINGS[kind]
    return [name for name in NAMES.get(role_of(data_type, kind), ()) if name in known]


@cache
def can_decode(data_type: str, kind: str) -> bool:
    """Whether there are settings with which values of a type can be decoded."""
    known = {name: values[0] for name, values in types.SETTINGS[kind].items()}
    names = settings_for(data_type, None, kind)
    for choice in product(*(types.SETTINGS[kind][name] for name in names)):
        try:
            types.encoding(data_type, kind, {**known, **dict(zip(names, choice, strict=True))})
        except TypeMappingError:
            continue
        return True
    return False


def form_of(
    data_type: str | None, connect: Mapping[str, Any] | None, kind: str, settings: Settings
) -> Form:
    """How a column's values come with these settings; ``settings_for`` must name some of them."""
    if data_type is None:
        parameters = (connect or {}).get("parameters") or {}
        scale = int(parameters.get("scale", 0))
        precision = int(parameters.get("connect.decimal.precision", max(38, scale)))
        return decimal(precision, scale, {DECIMAL: "precise", **settings})
    role, source = role_of(data_type, kind), types.parsed(element_of(data_type))
    return FORMS[role](source, kind, settings)


@cache
def role_of(data_type: str, kind: str) -> str:
    """What settings there are for a type: a name of NAMES, or none of them."""
    try:
        source = types.parsed(element_of(data_type) if kind == "postgresql" else data_type)
    except TypeMappingError:
        return ""
    if source.name not in types.FAMILIES[kind]:
        return ""
    name = "decimal" if source.name == "numeric" and kind != "postgresql" else source.name
    if name == "decimal" and kind == "postgresql":
        name = "numeric"
    if name == "bigint":
        return "unsigned" if source.is_unsigned else ""
    if name == "decimal" and kind == "vitess":
        return ""
    if name in ("timetz", "time") and source.is_zoned:
        return ""
    if name == "timestamptz" or (name == "timestamp" and (kind != "postgresql" or source.is_zoned)):
        return "instant"
    if name in ("binary", "varbinary", "longblob", "bytea", *LENGTHS):
        return "binary"
    return {"timestamp": "datetime"}.get(name, name) if name in ROLES else ""


def element_of(data_type: str) -> str:
    return data_type.rstrip().removesuffix("[]")


def decimal(precision: int, scale: int, settings: Settings, whole: bool = False) -> Form:
    """``whole``: of numbers that are never negative."""
    mode = settings[DECIMAL]
    if mode == "string":
        return Form("decimal_text", TEXT, (precision, scale))
    if mode == "double":
        return Form("double", REAL, (precision,))
    if settings[FORMAT] == "numeric":
        limits = (precision, scale, whole)
        return Form("decimal_number", REAL if scale else WHOLE, limits)
    return Form("decimal_bytes", TEXT, (precision, scale, whole))


def decimal_form(source: SourceType, kind: str, settings: Settings) -> Form:
    precision, scale = (*source.digits, 0)[:2] if source.digits else (10, 0)
    return decimal(precision, scale, settings)


def numeric_form(source: SourceType, kind: str, settings: Settings) -> Form:
    if source.digits:
        return decimal_form(source, kind, settings)
    mode = settings[DECIMAL]
    if mode == "string":
        return Form("any_decimal_text", TEXT)
    return Form("double", REAL, (99,)) if mode == "double" else Form("variable_scale", OBJECT)


def money_form(source: SourceType, kind: str, settings: Settings) -> Form:
    scale = int(settings[MONEY])
    if settings[DECIMAL] == "string":
        return Form("money_text", TEXT, (17 + scale, scale))
    return decimal(17 + scale, scale, settings)


def unsigned_form(source: SourceType, kind: str, settings: Settings) -> Form:
    mode = settings[UNSIGNED]
    if mode == "long":
        return Form("signed", WHOLE)
    if mode == "string":
        return Form("unsigned_text", TEXT)
    return decimal(20, 0, {**settings, DECIMAL: "precise"}, whole=True)


def binary_form(source: SourceType, kind: str, settings: Settings) -> Form:
    length = source.digits[0] if source.digits else LENGTHS.get(source.name)
    if source.name == "binary" and not source.digits:
        length = 1
    mode = settings[BINARY]
    return Form(mode, TEXT, (length,))


def date_form(source: SourceType, kind: str, settings: Settings) -> Form:
    return iso_or_fields(settings) or Form("days", WHOLE)


def iso_or_fields(settings: Settings) -> Form | None:
    mode = settings[TIME]
    if mode == "isostring":
        return Form("iso", TEXT)
    return Form("fields", OBJECT) if mode == "structured" else None


def clock_form(source: SourceType, kind: str, settings: Settings) -> Form:
    digits = source.digit(6 if kind == "postgresql" else 0)
    unit = types.unit_of(settings[TIME], digits, "time")
    limits = (unit, digits, *TIMES.get(kind, MYSQL_TIMES))
    return iso_or_fields(settings) or Form("units", WHOLE, limits)


def datetime_form(source: SourceType, kind: str, settings: Settings) -> Form:
    digits = source.digit(6 if kind == "postgresql" else 0)
    unit = types.unit_of(settings[TIME], digits, "datetime")
    limits = (unit, digits, *DATETIMES.get(kind, MYSQL_DATETIMES))
    return iso_or_fields(settings) or Form("datetime_units", WHOLE, limits)


def instant_form(source: SourceType, kind: str, settings: Settings) -> Form:
    is_fields = settings[TIME] == "structured"
    return Form("fields", OBJECT) if is_fields else Form("instant", TEXT)


def interval_form(source: SourceType, kind: str, settings: Settings) -> Form:
    is_text = settings[INTERVAL] == "string"
    return Form("duration", TEXT) if is_text else Form("signed", WHOLE)


FORMS: dict[str, Callable[[SourceType, str, Settings], Form]] = {
    "decimal": decimal_form,
    "numeric": numeric_form,
    "money": money_form,
    "unsigned": unsigned_form,
    "binary": binary_form,
    "date": date_form,
    "time": clock_form,
    "datetime": datetime_form,
    "instant": instant_form,
    "interval": interval_form,
}
NAMES = {
    **dict.fromkeys(("decimal", "numeric"), (DECIMAL, FORMAT)),
    "money": (DECIMAL, FORMAT, MONEY),
    "unsigned": (UNSIGNED, FORMAT),
    "binary": (BINARY,),
    **dict.fromkeys(("date", "time", "datetime", "instant"), (TIME,)),
    "interval": (INTERVAL,),
}
ROLES = ("decimal", "numeric", "money", "date", "time", "datetime", "timestamp", "interval")


def in_base64(value: str, length: int | None) -> bool:
    return bool(re.fullmatch(r"[A-Za-z0-9+/]*={0,2}", value)) and is_of_length(value, length)


def in_url_base64(value: str, length: int | None) -> bool:
    is_url = re.fullmatch(r"[A-Za-z0-9_-]*={0,2}", value)
    return bool(is_url) and is_of_length(value.replace("-", "+").replace("_", "/"), length)


def is_of_length(value: str, length: int | None) -> bool:
    found = bytes_of(value)
    return found is not None and (length is None or len(found) <= length)


def bytes_of(value: str) -> bytes | None:
    """What a text of base64 has; None where it is none, or not as an encoder writes it."""
    try:
        found = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return None
    return found if base64.b64encode(found).decode() == value else None


def in_hex(value: str, length: int | None) -> bool:
    is_hex = re.fullmatch(r"(?:[0-9a-f]{2})*|(?:[0-9A-F]{2})*", value) is not None
    return is_hex and (length is None or len(value) <= 2 * length)


def as_decimal_bytes(value: str, precision: int, scale: int, whole: bool) -> bool:
    """Base64 of a number's shortest two's complement."""
    found = bytes_of(value) if value else None
    if found is None:
        return False
    number = int.from_bytes(found, signed=True)
    shortest = max(1, (number + (number < 0)).bit_length() // 8 + 1)
    is_short = len(found) == shortest
    return is_short and abs(number) < 10**precision and not (whole and number < 0)


def as_decimal_text(value: str, precision: int, scale: int) -> bool:
    """With all the digits of its scale, as databases write it; or no number at all."""
    if value in ("NAN", "POSITIVE_INFINITY", "NEGATIVE_INFINITY"):
        return True
    if has_exponent(value):
        exponent = int(value.partition("E")[2])
        digits = len(value.partition("E")[0].partition(".")[2]) - exponent
        return digits <= scale and exponent < max(precision - scale, 1)
    fraction = rf"\.[0-9]{{{scale}}}" if scale else ""
    return re.fullmatch(rf"-?[0-9]{{1,{max(precision - scale, 1)}}}{fraction}", value) is not None


def as_money_text(value: str, precision: int, scale: int) -> bool:
    """A snapshot's has been a double before: no zero ends it but one that is alone.

    >>> [as_money_text(text, 19, 2) for text in ("0.0", "12.5", "1.234567851E7", "12.345", "12")]
    [True, True, True, False, False]
    """
    found = re.fullmatch(r"-?[0-9]+\.(?:0|[0-9]*[1-9])(?:E(-?[0-9]{1,2}))?", value)
    if found is None:
        return as_decimal_text(value, precision, scale)
    digits = value.partition("E")[0].partition(".")[2]
    return len("" if digits == "0" else digits) - int(found[1] or 0) <= scale


def has_exponent(value: str) -> bool:
    """Whether it is a number as Java's BigDecimal.toString writes small ones and round ones."""
    return re.fullmatch(r"-?[0-9](\.[0-9]+)?E[+-][0-9]{1,9}", value) is not None


def as_any_decimal_text(value: str) -> bool:
    if value in ("NAN", "POSITIVE_INFINITY", "NEGATIVE_INFINITY"):
        return True
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?([Ee][+-]?[0-9]+)?", value) is not None


def as_double(value: Real, precision: int) -> bool:
    """As a double is written: no zero ends its fraction but one that is alone."""
    fits = re.fullmatch(r"-?[0-9]+(\.(0|[0-9]*[1-9]))?([Ee][+-]?[0-9]+)?", value.text)
    return fits is not None


def as_decimal_number(value: Any, precision: int, scale: int, whole: bool) -> bool:
    """As Java writes a decimal: with all the digits of its scale."""
    if isinstance(value, int):
        return abs(value) < 10**precision and not (whole and value < 0)
    if re.fullmatch(r"-?[0-9](\.[0-9]+)?E-[0-9]+", value.text):  # a small one of a large scale
        return scale > 6
    return re.fullmatch(rf"-?[0-9]{{1,{precision}}}\.[0-9]{{{scale}}}", value.text) is not None


def in_units(value: int, unit: str, digits: int, low: int, high: int) -> bool:
    places = PER_SECOND[unit]
    is_whole = digits >= places or value % 10 ** (places - digits) == 0
    return is_whole and low * 10**places <= value <= high * 10**places


def in_datetime_units(value: int, unit: str, digits: int, low: int, high: int) -> bool:
    return in_units(value, unit, digits, low, high)


FITS: dict[str, Callable[..., bool]] = {
    "bytes": in_base64,
    "base64": in_base64,
    "base64-url-safe": in_url_base64,
    "hex": in_hex,
    "decimal_bytes": as_decimal_bytes,
    "decimal_text": as_decimal_text,
    "money_text": as_money_text,
    "any_decimal_text": as_any_decimal_text,
    "double": as_double,
    "decimal_number": as_decimal_number,
    "variable_scale": lambda value: value.keys() == {"scale", "value"},
    "signed": lambda value: -(2**63) <= value < 2**63,
    "unsigned_text": lambda value: re.fullmatch("[0-9]{1,20}", value) is not None,
    "days": lambda value: -(2**31) <= value < 2**31,
    "units": in_units,
    "datetime_units": in_datetime_units,
    "iso": lambda value: ":" in value or "-" in value[1:] or value in INFINITIES,
    "instant": lambda value: "-" in value[1:] or value in INFINITIES,
    "fields": lambda value: bool({"year", "hours", "hour", "specialValue"} & value.keys()),
    "duration": lambda value: value.startswith(("P", "-P")),
}
BASE64 = ("bytes", "base64", "base64-url-safe")


def agree(one: Form, other: Form, is_doubtful: bool = False) -> bool:
    """Whether no value that can have come in both forms is read as two.

    Then it does not matter which is read, since what comes in the other one later cannot be
    decoded, and is not taken for something else.

    Args:
        is_doubtful: a decimal has come as a text like 1E+3, which is base64 too.
    """
    if one == other or one.json != other.json:
        return True
    names = {one.name, other.name}
    if names <= {*BASE64}:
        return True
    if names == {"double"}:
        return True
    if names == {"signed", "decimal_number"} or names == {"unsigned_text", "decimal_bytes"}:
        return True  # a text of digits would be the base64 of a negative number
    if names == {"double", "decimal_number"}:
        return bool(one.limits[0] <= 15)
    if names == {"money_text"}:
        return True  # a text says its digits
    if names == {"money_text", "decimal_bytes"}:
        return all(form.limits[1] > 0 for form in (one, other) if form.name == "money_text")
    if names == {"decimal_text", "decimal_bytes"}:
        return bool(one.limits[1] > 0) and not is_doubtful  # base64 has no point
    return "fields" in names or "iso" in names


def is_told(form: Form, connect: Mapping[str, Any]) -> bool:
    """Whether a column of this Connect schema sends its values so."""
    if connect.get("type") == "array":
        return is_told(form, connect.get("items") or {})
    name, kind = connect.get("name") or "", connect.get("type")
    if form.name in ("decimal_bytes", "decimal_number"):
        return name == DECIMAL_NAME
    if form.name == "variable_scale":
        return name == VARIABLE_NAME
    if form.name == "fields":
        return name.startswith("io.debezium.time.Structured")
    if form.name in ("units", "datetime_units"):
        known = LOGICAL.get(name)
        return known is not None and known.options.get("unit") == form.limits[0]
    if form.name == "days":
        return name in ("io.debezium.time.Date", "org.apache.kafka.connect.data.Date")
    plain = {"double": "double", "signed": "int64", "bytes": "bytes"}
    return kind == plain.get(form.name, "string") and name != DECIMAL_NAME


def time_of(event: Mapping[str, Any]) -> float | None:
    """The source's time of an event, in seconds since 1970."""
    block = event.get("source")
    millis = block.get("ts_ms") if isinstance(block, dict) else None
    return millis / 1000 if isinstance(millis, int) and millis > 0 else None


def shown(value: Any) -> str:
    """A value in a message, short."""
    text = printable(json.dumps(value, default=str) if isinstance(value, dict) else str(value))
    return f"'{text}'" if isinstance(value, str) else text


def printable(text: str) -> str:
    """A text in a message, short and of one line."""
    text = "".join(sign if sign.isprintable() else "?" for sign in text)
    return text if len(text) <= 40 else text[:37] + "..."


def date_text(seconds: float) -> str:
    """A time in a message, by its day; a year where Python has no such day."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
    except (OverflowError, OSError, ValueError):
        return f"the year {1970 + int(seconds // 31_556_952)}"
