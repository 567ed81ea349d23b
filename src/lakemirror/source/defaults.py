"""What rows got that were there when their source added a column with a default."""

import re
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any

from lakemirror.source.ddl import ADDED_AT
from lakemirror.source.types import Encoding

CALL = re.compile(r"(?i)\s*(\w+\s*\(.*\)|current_(timestamp|date|time)|localtime(stamp)?)\s*")
BITS = re.compile(r"(?i)b'([01]+)'")
TRUE_OR_FALSE = {"true": 1, "false": 0}
RANGES = {"int": 31, "bigint": 63}
# what a connector gives where a function, which it does not run, makes the value
NOTHING = {"0", "0.0", "", "false", "AA==", "{}", "[]"}
EPOCH = re.compile(r"1970-01-01([ T]00:00:00(\.0+)?(Z|\+00:00)?)?")
TIMES = ("date", "timestamp", "timestamp_ntz")


class DefaultError(Exception):
    """A default that is not known; says why."""


def sent_default(text: str, encoding: Encoding, nullable: bool, connector: str) -> dict[str, Any]:
    """A default as a Connect schema has it: encoded as the column's values are.

    Returns:
        ``text``, and as ``json`` the type that the decoding of the column takes it with.

    Raises:
        DefaultError: the connector may have put a zero where it does not run a function.
    """
    is_nothing = text in NOTHING or EPOCH.fullmatch(text)
    if is_nothing and not nullable and (connector == "postgresql" or encoding.lake in TIMES):
        raise DefaultError(f"{text!r} may stand for a function")
    if encoding.json not in ("int", "bigint", "float", "double", "boolean", "string", "binary"):
        raise DefaultError(f"it is a {encoding.json}")
    return {"json": encoding.json, "text": text}


def stated_default(text: str, encoding: Encoding, data_type: str) -> dict[str, Any]:
    """A default as a statement has it.

    Args:
        data_type: the column's type at the source.

    Returns:
        ``text``, which a cast to ``lake`` reads.

    Raises:
        DefaultError: it is a function, or no value of the column.
    """
    lake = encoding.lake
    if text.startswith(ADDED_AT) and lake != "timestamp":
        raise DefaultError(f"{text} is a function")
    try:
        found = PARSERS[lake.partition("(")[0]](text, lake, data_type)
    except KeyError as error:
        raise DefaultError(f"defaults of the type {data_type} are not read") from error
    except (ArithmeticError, ValueError) as error:
        raise DefaultError(f"{text!r} is no {data_type}") from error
    return {"lake": lake, "text": str(found)}


def _text(text: str, *_: str) -> str:
    if CALL.fullmatch(text):
        raise DefaultError(f"{text} is a function")
    return text


def _number(text: str) -> Decimal:
    bits = BITS.fullmatch(text.strip())
    if bits:
        return Decimal(int(bits[1], 2))
    plain = text.strip().strip("'").lower()
    found = Decimal(TRUE_OR_FALSE.get(plain, plain))
    if not found.is_finite():
        raise InvalidOperation
    return found


def _boolean(text: str, *_: str) -> str:
    found = _number(text)
    if found not in (0, 1):
        raise ValueError(text)
    return "true" if found else "false"


def _integer(text: str, lake: str, data_type: str) -> int:
    if data_type.startswith("time"):
        return _clock(text)
    found = _number(text).to_integral_value(ROUND_HALF_UP)
    if not -(2 ** RANGES[lake]) <= found < 2 ** RANGES[lake]:
        raise ValueError(text)
    return int(found)


def _clock(text: str) -> int:
    """Signed microseconds: what a time is in the lake."""
    found = re.fullmatch(r"'?(-?)(\d{1,3}):(\d\d):(\d\d)(?:\.(\d{1,6}))?'?", text.strip())
    if not found:
        raise ValueError(text)
    sign, hours, minutes, seconds, rest = found.groups()
    whole = int(hours) * 3600 + int(minutes) * 60 + int(seconds)
    return (-1 if sign else 1) * (whole * 1_000_000 + int((rest or "").ljust(6, "0")))


def _decimal(text: str, lake: str, *_: str) -> Decimal:
    precision, scale = map(int, re.findall(r"\d+", lake))
    found = _number(text).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP)
    if len(found.as_tuple().digits) > precision:
        raise ValueError(text)
    return found


def _double(text: str, *_: str) -> Decimal:
    return _number(text)


def _date(text: str, *_: str) -> date:
    return date.fromisoformat(_moment(text))


def _datetime(text: str, *_: str) -> datetime:
    return datetime.fromisoformat(_moment(text))


def _moment(text: str) -> str:
    if CALL.fullmatch(text) or EPOCH.fullmatch(text):
        raise DefaultError(f"{text} is a function, or may stand for one")
    return text.strip().strip("'")


def _instant(text: str, *_: str) -> datetime:
    if CALL.fullmatch(text):
        raise DefaultError(f"{text} is a function")
    found = datetime.fromisoformat(text.removeprefix(ADDED_AT).strip().strip("'"))
    if found.tzinfo is None:
        raise DefaultError(f"{text} counts in a time zone that is not known")
    return found


PARSERS: dict[str, Any] = {
    "string": _text,
    "boolean": _boolean,
    "int": _integer,
    "bigint": _integer,
    "decimal": _decimal,
    "float": _double,
    "double": _double,
    "date": _date,
    "timestamp_ntz": _datetime,
    "timestamp": _instant,
}
