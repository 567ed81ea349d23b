"""PostgreSQL's texts as the Python values that the lake's columns give; see source_state."""

import json
import re
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

from support.source_state import micros, single

INTEGERS = {"smallint", "integer", "int", "bigint", "oid"}
# mood is an enum of the recordings
TEXTS = {"text", "varchar", "citext", "enum", "mood", "uuid", "json", "jsonb", "xml", "ltree"}
OTHERS = {"cidr", "macaddr", "int4range", "tstzrange"}


def postgres_value(source_type: str, text: Any) -> Any:
    """The database's text as the connector is to bring it: numeric without digits in plain form."""
    base, digits, zone = re.fullmatch(
        r"([a-z]\w*(?: \w+ion)?)(?:\(([\d,]+)\))?(.*)", source_type
    ).groups()
    if text is None:
        return None
    if source_type.endswith("[]"):
        return [postgres_value(source_type[:-2], element) for element in elements(text)]
    if base in INTEGERS:
        return int(text)
    if base == "boolean" or source_type == "bit(1)":
        return text in ("t", "true", "1")
    if base in TEXTS | OTHERS or "varying" in source_type or base == "bit":
        return text
    if base in ("char", "character"):
        return text.ljust(int(digits))
    if base == "inet":
        return re.sub(r"/(32|128)$", "", text)
    if base == "numeric" and digits:
        return Decimal(text) if int(digits.split(",")[0]) <= 38 else text
    if base == "numeric":
        return f"{Decimal(text).normalize():f}"
    if base == "money":
        return Decimal(re.sub("[$,]", "", text))
    if base == "real":
        return single(text)
    if base == "double precision":
        return float(text)
    if base == "bytea":
        return bytes.fromhex(text.removeprefix("\\x"))
    if base == "hstore":
        pairs = re.findall(r'"((?:[^"\\]|\\.)*)"=>(?:"((?:[^"\\]|\\.)*)"|NULL)', text)
        plain = {re.sub(r"\\(.)", r"\1", k): re.sub(r"\\(.)", r"\1", v) or None for k, v in pairs}
        return json.dumps(plain, separators=(",", ":"))
    if base == "date":
        return date.fromisoformat(text)
    if base == "time" and zone == " with time zone":
        return in_utc(text)
    if base == "time":
        return micros(text)
    if base == "timestamp" and zone == " with time zone":
        return datetime.fromisoformat(text).astimezone(UTC)
    if base == "timestamp":
        return datetime.fromisoformat(text)
    raise ValueError(f"no Python value is known for the source type {source_type}")


def elements(text: str) -> list[str | None]:
    """The texts of an array of one dimension."""
    found = re.findall(r'"((?:[^"\\]|\\.)*)"|([^,{}]+)', text)
    plain = [re.sub(r"\\(.)", r"\1", quoted) if quoted else bare for quoted, bare in found]
    return [None if element == "NULL" else element for element in plain]


def in_utc(text: str) -> str:
    """A time with its zone as the connector sends it: in UTC, without a fraction of zeros."""
    clock, sign, hours, minutes = re.fullmatch(r"([\d:.]+)([+-])(\d+)(?::(\d+))?", text).groups()
    offset = timedelta(hours=int(hours), minutes=int(minutes or 0)) * (1 if sign == "+" else -1)
    start = datetime(2000, 1, 1, tzinfo=timezone(offset)) + timedelta(microseconds=micros(clock))
    return start.astimezone(UTC).strftime("%H:%M:%S.%fZ").replace(".000000", "")
