"""A change as the connector would send it, of a row that no event has told.

It is made of two records that the connector has sent: one whose place in the log it follows, and
one that shows how rows look. The values are those of the database, by their canonical texts (see
lakemirror.source.canonical). Whoever writes such a record lets staging read it first: what is not
read as the database has it, is not written.
"""

import base64
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from lakemirror.source.canonical import (
    BYTES,
    DAYS,
    EPOCH,
    FLOAT,
    MICROS,
    PADDED,
    Canonical,
    float_of,
)
from lakemirror.source.wire import Real, event_of, parsed

ROWS = 1_000_000  # more than an event of a binlog has
MICROS_PER = {"millis": 1000, "micros": 1}


class EncodeError(ValueError):
    """A value, or a record, that cannot be written as the connector would; says which."""


@dataclass(frozen=True)
class Record:
    """A record of raw.

    Attributes:
        src_ts: the source's time (UTC), as raw has it.
        rank: of its change.
        order: of its change.
    """

    topic: str
    key: str | None
    value: str
    src_ts: str | None
    rank: int = 0
    order: int = 0


@dataclass(frozen=True)
class Told:
    """What the database has of a key.

    Attributes:
        key: the texts of its columns.
        row: those of the row's columns; None where there is none.
    """

    key: Sequence[str]
    row: Sequence[str | None] | None


@dataclass(frozen=True)
class Columns:
    """The columns of a table.

    Attributes:
        key: those of its key.
        all: those that have a text, the key's among them.
        types: how each is encoded, by its name: see lakemirror.source.types.Encoding.
        others: those that have no text; a row is known whole only without them.
    """

    key: Sequence[Canonical]
    all: Sequence[Canonical]
    types: Mapping[str, Mapping[str, Any]]
    others: Sequence[str]


def record_of(
    told: Told, columns: Columns, place: Record, image: Record, is_of_key: bool, now: int
) -> tuple[str, str]:
    """The key and the value of a record that says what the database has of a key.

    Args:
        place: the newest record of the table: the change comes right after it.
        image: a record with a row; what has no text is as it has it.
        is_of_key: whether ``image`` is of this key.
        now: milliseconds since 1970.

    Raises:
        EncodeError: a value, or a record, cannot be written so.
    """
    shown = event_of(image.value)
    fields = shown.get("after") or shown.get("before")
    given = parsed(image.key or "")
    names = payload_of(given) if isinstance(given, dict) else None
    if not isinstance(fields, dict) or not isinstance(names, dict):
        raise EncodeError("the records of the table are no objects with a key")
    key = encoded_fields(columns.key, told.key, columns.types, names, dict.fromkeys(names))
    document = parsed(place.value)
    event = payload_of(document) if isinstance(document, dict) else {}
    if not isinstance(event.get("source"), dict):
        raise EncodeError("the newest record of the table has no source")
    connector = columns.key[0].connector
    event["source"] = {**event["source"], "snapshot": "false", **after(connector, event, place)}
    event["ts_ms"] = now
    for name in ("ts_us", "ts_ns", "transaction"):
        event.pop(name, None)
    if told.row is None:
        row = encoded_fields(columns.key, told.key, columns.types, fields, dict.fromkeys(fields))
        event |= {"op": "d", "before": row, "after": None}
    else:
        unknown = [each for each in columns.others if not (is_of_key and is_in(each, fields))]
        if unknown:
            raise EncodeError(f"nobody can read {', '.join(unknown)} exactly")
        row = encoded_fields(columns.all, told.row, columns.types, fields, fields)
        event |= {"op": "u" if is_of_key else "c", "before": None, "after": row}
    return json_text(with_payload(given, key)), json_text(with_payload(document, event))


def after(connector: str, event: Mapping[str, Any], place: Record) -> dict[str, Any]:
    """Where a change is that comes right after another: see the macros tx_rank_*.

    What the database has committed by then is not told again: later rows of the same event of a
    binlog belong to it.

    Raises:
        EncodeError: nobody can say where, of this connector.
    """
    if connector == "postgresql":
        return {"sequence": json.dumps([str(place.rank), str(place.order + 1)])}
    if connector in ("mariadb", "mysql"):
        return {"row": int(event["source"].get("row") or 0) + ROWS}
    raise EncodeError(f"a place between two changes of {connector} is not known")


def payload_of(document: Mapping[str, Any]) -> Any:
    """What a converter with schemas puts beside the schema; all of it without one."""
    return document["payload"] if {*document} == {"schema", "payload"} else document


def with_payload(document: Mapping[str, Any], payload: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document with another payload, beside the schema where it has one."""
    has_schema = payload_of(document) is not document
    return {**document, "payload": payload} if has_schema else payload


def is_in(other: str, fields: Mapping[str, Any]) -> bool:
    """Whether a record has a column that has no text: its name is followed by why."""
    return other.partition(" (")[0].lower() in names_of(fields)


def names_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """The names that records have, by these in lower case."""
    return {name.lower(): name for name in fields}


def json_number(value: float) -> Any:
    """A float as a converter writes it, to the bit; of what is no number it writes a text."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else ("-Infinity" if value < 0 else "Infinity")


def encoded_fields(
    columns: Sequence[Canonical],
    texts: Sequence[str | None],
    types: Mapping[str, Mapping[str, Any]],
    names: Mapping[str, Any],
    fields: Mapping[str, Any],
) -> dict[str, Any]:
    """``fields`` with the values of columns, by the names that records have."""
    known, found = names_of(names), dict(fields)
    for column, text in zip(columns, texts, strict=True):
        name = known.get(column.there.lower(), column.there)
        found[name] = None if text is None else encoded(text, column, types[column.name])
    return found


def encoded(text: str, column: Canonical, kind: Mapping[str, Any]) -> Any:
    """A value as JSON has it in an event.

    Args:
        kind: see lakemirror.source.types.Encoding.as_dict.

    Raises:
        EncodeError: it has no such form, or nobody has written it down.

    >>> amount = Canonical("a", "a", "decimal", "mariadb", "decimal")
    >>> encoded("-0.50", amount, {"family": "decimal_of_bytes", "scale": 2})
    'zg=='
    """
    encode = ENCODERS.get(kind["family"])
    if encode is None:
        raise EncodeError(f"{column.name}: {kind['family']} is not written")
    try:
        return encode(text, column, kind)
    except (ValueError, OverflowError, ArithmeticError) as error:
        raise EncodeError(f"{column.name}: {error}") from error


def as_read(text: str, column: Canonical, kind: Mapping[str, Any]) -> Any:
    read = kind["json"]
    if column.kind in (BYTES, PADDED):
        return column.in_json(text)
    if read == "double" and column.kind == FLOAT:
        return json_number(float_of(text))
    if column.kind in (DAYS, MICROS) or read not in ("boolean", "int", "bigint", "string"):
        raise ValueError(f"{read} is not written")
    if read == "boolean":
        return text == "true"
    return text if read == "string" else int(text)


def decimal_of_bytes(text: str, column: Canonical, kind: Mapping[str, Any]) -> str:
    return base64_of_number(unscaled(Decimal(text), kind["scale"]))


def text_of_variable_scale(text: str, column: Canonical, kind: Mapping[str, Any]) -> Any:
    number = Decimal(text)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ValueError(f"{text} is no number")
    scale = max(-exponent, 0)
    return {"scale": scale, "value": base64_of_number(unscaled(number, scale))}


def unscaled(number: Decimal, scale: int) -> int:
    """A number without its point; the digits of a Decimal are exact, and its arithmetic is not."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int) or exponent < -scale:
        raise ValueError(f"{number} has more than {scale} places, or is no number")
    whole = int("".join(map(str, digits))) * 10 ** (exponent + scale)
    return -whole if sign else whole


def base64_of_number(number: int) -> str:
    """As Java's BigInteger has its bytes."""
    length = (number if number >= 0 else ~number).bit_length() // 8 + 1
    return base64.b64encode(number.to_bytes(length, "big", signed=True)).decode()


def unsigned_of_signed(text: str, column: Canonical, kind: Mapping[str, Any]) -> int:
    number, bits = int(text), kind["bits"]
    return number - 2**bits if number >= 2 ** (bits - 1) else number


def number_of_bits(text: str, column: Canonical, kind: Mapping[str, Any]) -> str:
    return base64_of_bits(int(text), kind["bits"], kind["bytes"])


def text_of_bits(text: str, column: Canonical, kind: Mapping[str, Any]) -> str:
    return base64_of_bits(int(text, 2), len(text), "little")


def base64_of_bits(number: int, bits: int, order: Any) -> str:
    return base64.b64encode(number.to_bytes((bits + 7) // 8, order)).decode()


def date_of_text(text: str, column: Canonical, kind: Mapping[str, Any]) -> str:
    return str(column.value(text))


def time_of_units(text: str, column: Canonical, kind: Mapping[str, Any]) -> int:
    """Of a TIME or a DATETIME, from microseconds."""
    micros, unit = int(text), kind["unit"]
    if unit == "nanos":
        return micros * 1000
    number, rest = divmod(micros, MICROS_PER[unit])
    if rest:
        raise ValueError(f"{text} microseconds are no {unit}")
    return number


def time_of_text(text: str, column: Canonical, kind: Mapping[str, Any]) -> str:
    micros = int(text)
    minutes, rest = divmod(abs(micros), 60_000_000)
    clock = f"{minutes // 60:02}:{minutes % 60:02}:{rest // 1_000_000:02}.{rest % 1_000_000:06}"
    return f"-{clock}" if micros < 0 else clock


def datetime_of_text(text: str, column: Canonical, kind: Mapping[str, Any]) -> str:
    found: datetime = EPOCH + timedelta(microseconds=int(text))
    return found.isoformat(timespec="microseconds") + "Z"


def number_text(text: str, column: Canonical, kind: Mapping[str, Any]) -> Real:
    return Real(f"{Decimal(text):f}")


Encode = Callable[[str, Canonical, Mapping[str, Any]], Any]
ENCODERS: Mapping[str, Encode] = {
    "as_read": as_read,
    "float_of_double": as_read,
    "decimal_of_bytes": decimal_of_bytes,
    "text_of_bytes": decimal_of_bytes,
    "decimal_of_text": lambda text, column, kind: text,
    "decimal_of_number": number_text,
    "text_of_variable_scale": text_of_variable_scale,
    "unsigned_of_signed": unsigned_of_signed,
    "number_of_bits": number_of_bits,
    "text_of_bits": text_of_bits,
    "binary_of_hex": lambda text, column, kind: text,
    "binary_of_url_base64": lambda text, column, kind: base64.urlsafe_b64encode(
        bytes.fromhex(text)
    ).decode(),
    "date_of_days": lambda text, column, kind: int(text),
    "date_of_text": date_of_text,
    "time_of_units": time_of_units,
    "time_of_text": time_of_text,
    "datetime_of_units": time_of_units,
    "datetime_of_text": datetime_of_text,
    "timestamp_of_text": datetime_of_text,
}


def json_text(value: Any) -> str:
    """JSON as a converter writes it, without blanks; numbers keep their digits.

    >>> json_text({"a": Real("1.50"), "b": [None, "é", 2]})
    '{"a":1.50,"b":[null,"é",2]}'
    """
    if isinstance(value, Real):
        return value.text
    if isinstance(value, dict):
        pairs = (f"{json_text(name)}:{json_text(each)}" for name, each in value.items())
        return "{" + ",".join(pairs) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)
