"""Texts of values that the source's database and Spark agree on, so that digests of rows compare.

A kind is a family of types with one text: numbers of whole days and of microseconds in place of
dates and times, hex in place of bytes, the number of its bits in place of a float. What has no such
text (MySQL's JSON, geometry, arrays, Vitess's floats) has no kind, and is compared by nobody here.
"""

import base64
import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from lakemirror.source.types import TypeMappingError, parsed

WHOLE, BOOLEAN, DECIMAL, TEXT = "whole", "boolean", "decimal", "text"
BYTES, PADDED, BITS = "bytes", "padded", "bits"
SCALED = "scaled"  # a number without a scale: the connector sends 1.500 as 1.5
DAYS, MICROS, CLOCK = "days", "micros", "clock"
FLOAT = "float"
NUMBERS = ("tinyint", "smallint", "int", "bigint", "decimal")
MYSQL = {
    **dict.fromkeys(("tinyint", "smallint", "mediumint", "int", "integer", "bigint"), WHOLE),
    **dict.fromkeys(("year", "bit", "boolean", "bool"), WHOLE),
    **dict.fromkeys(("decimal", "numeric"), DECIMAL),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), TEXT),
    **dict.fromkeys(("enum", "set", "uuid", "inet4", "inet6"), TEXT),
    **dict.fromkeys(("varbinary", "tinyblob", "blob", "mediumblob", "longblob"), BYTES),
    "binary": PADDED,  # the binlog leaves out the zeros at its end
    "date": DAYS,
    **dict.fromkeys(("datetime", "timestamp"), MICROS),
    "time": CLOCK,
    **dict.fromkeys(("float", "double", "real"), FLOAT),
}
POSTGRESQL = {
    **dict.fromkeys(("smallint", "int2", "integer", "int", "int4", "bigint", "int8"), WHOLE),
    **dict.fromkeys(("oid", "smallserial", "serial", "bigserial"), WHOLE),
    **dict.fromkeys(("real", "float4", "double precision", "float8"), FLOAT),
    **dict.fromkeys(("boolean", "bool"), BOOLEAN),
    **dict.fromkeys(("numeric", "decimal", "money"), DECIMAL),
    **dict.fromkeys(("character", "char", "bpchar", "character varying", "varchar"), TEXT),
    **dict.fromkeys(("text", "citext", "name", "enum", "uuid", "json", "jsonb", "xml"), TEXT),
    **dict.fromkeys(("ltree", "inet", "cidr", "macaddr", "macaddr8"), TEXT),
    "bytea": BYTES,
    "bit": BITS,
    "date": DAYS,
    **dict.fromkeys(("timestamp", "timestamptz"), MICROS),
    "time": CLOCK,
}
LAKE = {  # the types in the lake whose text is the kind's
    WHOLE: NUMBERS,
    BOOLEAN: ("boolean",),
    DECIMAL: ("decimal", "string"),
    SCALED: ("string",),
    TEXT: ("string",),
    BYTES: ("binary",),
    PADDED: ("binary",),
    BITS: ("string",),
    DAYS: ("date",),
    MICROS: ("timestamp", "timestamp_ntz"),
    CLOCK: ("bigint",),
    FLOAT: ("float", "double"),
}
LOSSY = ("decimal_of_double",)
EPOCH = datetime(1970, 1, 1)
GROUP = 3  # hex digits of a key's digest: 4,096 groups
SUMMED = 15  # hex digits of a row's digest: a number of 60 bits


@dataclass(frozen=True)
class Canonical:
    """A column whose values have a text that both sides agree on.

    Attributes:
        name: in the mirror.
        there: in the database.
        kind: see above.
        connector: whose database it is.
        length: of a type with a length; 0 without.
        is_zoned: whether it is an instant.
        base: the name of its type in the database.
    """

    name: str
    there: str
    kind: str
    connector: str
    base: str
    length: int = 0
    is_zoned: bool = False

    @property
    def quoted(self) -> str:
        """Its name as the database has it in a statement that takes values."""
        return quoted(self.there, self.connector)

    @property
    def sql(self) -> str:
        """Its text, computed by the database; null of null, and of what the lake has null for."""
        if self.connector == "postgresql":
            return postgresql_text(self)
        return mysql_text(self)

    def value(self, text: str) -> Any:
        """A value of its text, as the database's driver takes it.

        Raises:
            ValueError, OverflowError: it has none: a year that Python does not know.
        """
        is_postgresql = self.connector == "postgresql"
        if self.kind == WHOLE:
            return int(text)
        if self.kind == BOOLEAN:
            return text == "true"
        if self.kind in (DECIMAL, SCALED):
            return Decimal(text)
        if self.kind == FLOAT:
            return float_of(text)
        if self.kind == BYTES:
            return bytes.fromhex(text)
        if self.kind == PADDED:
            return bytes.fromhex(text).ljust(self.length, b"\0")
        if self.kind == DAYS:
            return date(1970, 1, 1) + timedelta(days=int(text))
        if self.kind == MICROS:
            found = EPOCH + timedelta(microseconds=int(text))
            return found.replace(tzinfo=UTC) if is_postgresql and self.is_zoned else found
        if self.kind == CLOCK:
            length = timedelta(microseconds=int(text))
            return (EPOCH + length).time() if is_postgresql else length
        return text

    def shown(self, text: str | None) -> str | None:
        """A text as people write the value, and as Spark casts it.

        >>> Canonical("at", "at", MICROS, "mariadb", "datetime").shown("1")
        '1970-01-01 00:00:00.000001'
        """
        if text is None:
            return None
        try:
            if self.kind == DAYS:
                return str(self.value(text))
            if self.kind == MICROS:
                at = EPOCH + timedelta(microseconds=int(text))
                return at.isoformat(" ", timespec="microseconds")
        except (ValueError, OverflowError):
            return text
        if self.kind in (BYTES, PADDED):
            return f"0x{text}"
        return str(float_of(text)) if self.kind == FLOAT else text

    def in_json(self, text: str) -> Any:
        """A text as Spark's to_json has the value, bytes among them.

        >>> Canonical("b", "b", BYTES, "postgresql", "bytea").in_json("00ff")
        'AP8='
        """
        if self.kind in (BYTES, PADDED):
            return base64.b64encode(bytes.fromhex(text)).decode()
        return self.plain(text)

    def plain(self, text: str | None) -> Any:
        """A text as people read the value in JSON."""
        if text is None or self.kind not in (WHOLE, BOOLEAN, CLOCK):
            return self.shown(text)
        return json.loads(text)


def float_of(text: str) -> float:
    """A float of the number of its bits, as 64 of them.

    >>> float_of("4591870180066957722"), float_of("-9223372036854775808")
    (0.1, -0.0)
    """
    found: float = struct.unpack(">d", int(text).to_bytes(8, "big", signed=True))[0]
    return found


def canonical(
    column: Mapping[str, Any], there: str, data_type: str, connector: str, lake: str
) -> Canonical | str:
    """A column's canonical text, or why it has none.

    Args:
        column: what lakemirror.source.columns has of it.
        there: its name in the database.
        data_type: its type there.
        lake: the type of the mirror's column.
    """
    if column.get("conversion"):
        return f"converted to {lake}"
    if data_type.rstrip().endswith("[]"):
        return data_type
    try:
        source = parsed(data_type)
    except TypeMappingError:
        return data_type
    kind = (POSTGRESQL if connector == "postgresql" else MYSQL).get(source.name)
    is_boolean = lake == "boolean" and kind in (WHOLE, BITS)
    kind = BOOLEAN if is_boolean else kind
    if connector == "postgresql" and kind == DECIMAL and not source.digits:
        kind = DECIMAL if source.name == "money" else SCALED
    if source.name in ("time", "timetz") and source.is_zoned:
        return data_type
    if kind is None or lake.partition("(")[0] not in LAKE[kind]:
        return data_type
    if kind == FLOAT and connector == "vitess":
        return data_type
    encoding = column["type"]
    if encoding["family"] in LOSSY:
        return f"{data_type}, sent as a double"
    if encoding.get("unit") == "millis" and source.digit(6 if connector == "postgresql" else 0) > 3:
        return f"{data_type}, sent in milliseconds"
    return Canonical(
        column["name"], there, kind, connector, source.name, source.digit(0), source.is_zoned
    )


def quoted(name: str, connector: str) -> str:
    """A name in a statement that takes values: drivers read a percent sign.

    >>> quoted('a"b', "postgresql"), quoted("50%", "mysql")
    ('"a""b"', '`50%%`')
    """
    sign = '"' if connector == "postgresql" else "`"
    text = name.replace(sign, 2 * sign).replace("%", "%%")
    return f"{sign}{text}{sign}"


def mysql_text(column: Canonical) -> str:
    name = column.quoted
    if column.kind == WHOLE:  # the sum has neither bits nor zeros before it
        return f"cast({name} + 0 as char)"
    if column.kind == BOOLEAN:
        return f"case when {name} + 0 <> 0 then 'true' when {name} is not null then 'false' end"
    if column.kind == DECIMAL:
        return f"cast({name} + 0 as char)"
    if column.kind == FLOAT:  # a point has its coordinates' bytes, the lowest first
        bits = f"conv(hex(reverse(substr(st_asbinary(point({name}, 0)), 6, 8))), 16, 10)"
        return f"cast(cast(cast({bits} as unsigned) as signed) as char)"
    if column.kind == BYTES:
        return f"lower(hex({name}))"
    if column.kind == PADDED:
        return f"trim(trailing '00' from lower(hex({name})))"
    if column.kind == DAYS:
        return f"cast(datediff({name}, '1970-01-01') as char)"
    if column.kind == MICROS:
        return f"cast(timestampdiff(microsecond, '1970-01-01', {name}) as char)"
    if column.kind == CLOCK:
        sign = f"if({name} < cast('00:00:00' as time), -1, 1)"
        seconds = f"cast(truncate(time_to_sec({name}), 0) as signed)"
        return f"cast({seconds} * 1000000 + {sign} * microsecond({name}) as char)"
    return f"cast({name} as char character set utf8mb4)"


def postgresql_text(column: Canonical) -> str:
    name = column.quoted
    if column.kind == BOOLEAN and column.base == "bit":
        return f"case when {name} = B'1' then 'true' when {name} is not null then 'false' end"
    if column.kind == DECIMAL and column.base == "money":
        return f"{name}::numeric::text"
    if column.kind == SCALED:
        return f"trim_scale({name})::text"
    if column.kind == FLOAT:
        return f"('x' || encode(float8send({name}::float8), 'hex'))::bit(64)::bigint::text"
    if column.kind == BYTES:
        return f"encode({name}, 'hex')"
    if column.kind == DAYS:
        return f"case when isfinite({name}) then ({name} - date '1970-01-01')::text end"
    if column.kind == MICROS:
        micros = f"((extract(epoch from {name}) * 1000000)::bigint)::text"
        return f"case when isfinite({name}) then {micros} end"
    if column.kind == CLOCK:
        return f"((extract(epoch from {name}) * 1000000)::bigint)::text"
    if column.kind == TEXT:  # as it is sent: a cast takes blanks from a char(n)
        return f"case when {name} is not null then format('%%s', {name}) end"
    return f"{name}::text"


def row_sql(columns: Sequence[Canonical], connector: str) -> str:
    """The text of a row, computed by the database: see ``row_text``."""
    if connector == "postgresql":  # its concat leaves nulls out, and takes a hundred values
        texts = [f"coalesce(length({c.sql}) || ':' || {c.sql}, '-')" for c in columns]
        return " || ".join([*texts, "'.'"])
    texts = [f"coalesce(concat(char_length({c.sql}), ':', {c.sql}), '-')" for c in columns]
    return f"concat({', '.join(texts)}, '.')"


def sum_sql(digest: str, connector: str) -> str:
    """The sum of rows' digests, whatever their order, computed by the database."""
    if connector == "postgresql":
        number = f"('x' || substr({digest}, 1, {SUMMED}))::bit({4 * SUMMED})::bigint"
        return f"sum({number})::text"
    number = f"cast(conv(substr({digest}, 1, {SUMMED}), 16, 10) as unsigned)"
    return f"cast(sum({number}) as char)"


def row_text(texts: Sequence[str | None]) -> str:
    """One text of a row's texts, which no other row has.

    >>> row_text(["ab", None, ""])
    '2:ab-0:.'
    """
    return "".join("-" if text is None else f"{len(text)}:{text}" for text in texts) + "."


def digest(texts: Sequence[str | None]) -> str:
    """The digest of a row, as both sides compute it."""
    return hashlib.md5(row_text(texts).encode(), usedforsecurity=False).hexdigest()
