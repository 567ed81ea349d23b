"""How Debezium encodes a value of a source's type, and what it becomes in the lake.

One place decides: ``encoding`` takes the source's type, the connector and the connector's settings.
The macros in macros/types decode, one family of encodings each.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

Settings = Mapping[str, str]

UNSIGNED_BIGINT = "decimal(20,0)"
SINGLE_BITS = 24  # of a float's precision: what is declared with more is a double
BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "integer": 32, "bigint": 64}
MAX_DIGITS = 38
TIME_MODES = (
    *("adaptive_time_microseconds", "connect", "isostring"),
    *("microseconds", "nanoseconds", "structured"),
)
DECIMALS = {
    "decimal.handling.mode": ("precise", "string", "double"),
    "decimal.format": ("base64", "numeric"),
}
BINARY = {"binary.handling.mode": ("bytes", "base64", "base64-url-safe", "hex")}
MYSQL_SETTINGS = {
    "time.precision.mode": TIME_MODES,
    **DECIMALS,
    "bigint.unsigned.handling.mode": ("long", "precise"),
    **BINARY,
}
PLACEHOLDER = "unavailable.value.placeholder"
# the values that each setting may have; the first is Debezium's (and Kafka Connect's) own.
# The placeholder may be any text
SETTINGS: dict[str, dict[str, tuple[str, ...]]] = {
    "mariadb": MYSQL_SETTINGS,
    "mysql": MYSQL_SETTINGS,
    "postgresql": {
        "time.precision.mode": ("adaptive", *TIME_MODES),
        **DECIMALS,
        **BINARY,
        "hstore.handling.mode": ("json", "map"),
        "interval.handling.mode": ("numeric", "string"),
        "money.fraction.digits": ("2", "0", "1", "3", "4"),
        PLACEHOLDER: ("__debezium_unavailable_value",),
    },
    "vitess": {
        "time.precision.mode": TIME_MODES,
        "decimal.format": ("base64", "numeric"),
        "bigint.unsigned.handling.mode": ("string", "precise", "long"),
        **BINARY,
    },
}
# Debezium's structs of time.precision.mode=structured
DATE_FIELDS = "year: int, month: int, day: int"
CLOCK_FIELDS = "hour: int, minute: int, second: int, nanos: bigint"
DURATION_FIELDS = (
    "years: bigint, months: bigint, days: bigint, "
    "hours: bigint, minutes: bigint, seconds: bigint, nanos: bigint"
)


class TypeMappingError(ValueError):
    """A type, a connector or a setting that cannot be decoded; says what can."""


@dataclass(frozen=True)
class SourceType:
    """A type as the source database spells it: ``decimal(12,2) unsigned``, ``timestamptz``."""

    name: str
    digits: tuple[int, ...] = ()
    is_unsigned: bool = False
    is_zoned: bool = False
    is_zerofill: bool = False  # and nothing says unsigned, which it is all the same

    def digit(self, default: int) -> int:
        return self.digits[0] if self.digits else default


@dataclass(frozen=True)
class Encoding:
    """How a value is read and decoded.

    Attributes:
        family: the macro of macros/types that decodes it.
        json: the Spark type that from_json reads it as.
        lake: the type of the column in the lake.
        zero: the text or fields of a MySQL zero date, which is null in the lake.
        options: what else the macro needs: precision, scale, length, unit, element, ...
    """

    family: str
    json: str
    lake: str
    zero: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """What the macros take."""
        named = {"family": self.family, "json": self.json, "lake": self.lake, "zero": self.zero}
        return named | dict(self.options)


Family = Callable[[SourceType, Settings], Encoding]


def as_read(lake: str) -> Family:
    """The JSON value is the column's value."""
    return lambda source, settings: Encoding("as_read", lake, lake)


def integer(source: SourceType, settings: Settings) -> Encoding:
    if source.is_zerofill:
        return repaired(source, "bigint")
    return as_read("bigint" if source.is_unsigned else "int")(source, settings)


def small(source: SourceType, settings: Settings) -> Encoding:
    """An integer of less than four bytes."""
    return repaired(source, "int") if source.is_zerofill else INT(source, settings)


def repaired(source: SourceType, lake: str) -> Encoding:
    """An unsigned integer that the connector takes for a signed one: of ZEROFILL alone it does not
    know that the column is unsigned (io.debezium.connector.binlog.BinlogValueConverters)."""
    return Encoding("unsigned_of_signed", "bigint", lake, options={"bits": BITS[source.name]})


def bigint(source: SourceType, settings: Settings) -> Encoding:
    if source.is_zerofill:
        return repaired(source, UNSIGNED_BIGINT)
    if not source.is_unsigned:
        return as_read("bigint")(source, settings)
    mode = settings["bigint.unsigned.handling.mode"]
    if mode == "long":
        return Encoding("unsigned_of_signed", "bigint", UNSIGNED_BIGINT, options={"bits": 64})
    return decimal_of(mode, 20, 0, settings, is_unsigned=True)


def decimal(source: SourceType, settings: Settings) -> Encoding:
    precision, scale = (*source.digits, 10, 0)[:2] if source.digits else (10, 0)
    if len(source.digits) == 1:
        scale = 0
    # Vitess has no mode: its decimals are texts
    mode = settings.get("decimal.handling.mode", "string")
    return decimal_of(mode, precision, scale, settings, source.is_unsigned)


def decimal_of(
    mode: str, precision: int, scale: int, settings: Settings, is_unsigned: bool = False
) -> Encoding:
    """A decimal in one of its modes; text where it has more digits than a column can.

    A number below zero is lost where the type has none: it came in another mode.
    """
    if scale < 0:
        raise TypeMappingError("the connector sends a negative scale wrong")
    options: dict[str, Any] = {"precision": precision, "scale": scale}
    if is_unsigned:
        options["is_unsigned"] = True
    if precision > MAX_DIGITS:
        if mode == "string":
            return Encoding("as_read", "string", "string")
        if mode == "precise" and settings["decimal.format"] == "base64":
            return Encoding("text_of_bytes", "binary", "string", options=options)
        raise TypeMappingError(
            f"more than {MAX_DIGITS} digits arrive whole only with decimal.handling.mode=string, "
            "or precise and decimal.format=base64"
        )
    lake = f"decimal({precision},{scale})"
    if mode == "string":
        return Encoding("decimal_of_text", "string", lake, options=options)
    if mode == "double":
        return Encoding("decimal_of_double", "double", lake, options=options)
    if settings["decimal.format"] == "numeric":
        # all the digits that there is room for, so that a longer fraction is seen
        read = f"decimal({MAX_DIGITS},{MAX_DIGITS - precision + scale})"
        return Encoding("decimal_of_number", read, lake, options=options)
    return Encoding("decimal_of_bytes", "binary", lake, options=options)


def numeric(source: SourceType, settings: Settings) -> Encoding:
    """PostgreSQL's numeric: without digits each value has a scale of its own."""
    if source.digits:
        return decimal(source, settings)
    mode = settings["decimal.handling.mode"]
    if mode == "string":
        return Encoding("as_read", "string", "string")
    if mode == "precise" and settings["decimal.format"] == "base64":
        return Encoding("text_of_variable_scale", "struct<scale: int, value: binary>", "string")
    raise TypeMappingError(
        "without digits it arrives whole only with decimal.handling.mode=string, or precise and "
        "decimal.format=base64"
    )


def money(source: SourceType, settings: Settings) -> Encoding:
    mode, scale = settings["decimal.handling.mode"], int(settings["money.fraction.digits"])
    return decimal_of(mode, 17 + scale, scale, settings)


def single(source: SourceType, settings: Settings) -> Encoding:
    if len(source.digits) == 1 and source.digits[0] > SINGLE_BITS:  # float(53) is a double
        return as_read("double")(source, settings)
    # read as a double, so that a value which is more than a float can hold is seen
    return Encoding("float_of_double", "double", "float")


def binary(source: SourceType, settings: Settings) -> Encoding:
    mode = settings["binary.handling.mode"]
    if mode == "hex":
        return Encoding("binary_of_hex", "string", "binary")
    if mode == "base64-url-safe":
        return Encoding("binary_of_url_base64", "string", "binary")
    return as_read("binary")(source, settings)


def number_of_bits(order: str) -> Family:
    """MySQL's BIT(n) is a number; its bytes come in the order ``little`` or ``big``."""

    def of(source: SourceType, settings: Settings) -> Encoding:
        length = source.digit(1)
        if length == 1:
            return as_read("boolean")(source, settings)
        lake = "bigint" if length < 64 else UNSIGNED_BIGINT
        return Encoding("number_of_bits", "binary", lake, options={"bytes": order, "bits": length})

    return of


def text_of_bits(source: SourceType, settings: Settings) -> Encoding:
    """PostgreSQL's bit(n) is a text of bits; the connector drops bit varying's leading zeros."""
    is_fixed = source.name == "bit"
    if is_fixed and source.digit(1) == 1:
        return as_read("boolean")(source, settings)
    options = {"length": source.digit(1) if is_fixed else 0}
    return Encoding("text_of_bits", "binary", "string", options=options)


def date(source: SourceType, settings: Settings) -> Encoding:
    mode = settings["time.precision.mode"]
    if mode == "structured":
        fields = f"struct<{DATE_FIELDS}, specialValue: string>"
        return Encoding("date_of_fields", fields, "date", zero=True)
    if mode == "isostring":
        return Encoding("date_of_text", "string", "date", zero=True)
    return Encoding("date_of_days", "int", "date")


def unit_of(mode: str, digits: int, kind: str) -> str:
    """What a number of a TIME (``time``) or a DATETIME (``datetime``) counts."""
    if mode == "connect":
        return "millis"
    if mode == "nanoseconds":
        return "nanos"
    adaptive = {"time": ["adaptive"], "datetime": ["adaptive", "adaptive_time_microseconds"]}
    return "millis" if mode in adaptive[kind] and digits <= 3 else "micros"


def time(default: int, structure: str) -> Family:
    """A time of day or a duration, in microseconds; ``default`` digits where none are declared."""

    def of(source: SourceType, settings: Settings) -> Encoding:
        mode = settings["time.precision.mode"]
        if mode == "structured":
            return Encoding(f"time_of_{structure}", f"struct<{STRUCTURES[structure]}>", "bigint")
        if mode == "isostring":
            return Encoding("time_of_text", "string", "bigint")
        unit = unit_of(mode, source.digit(default), "time")
        return Encoding("time_of_units", "bigint", "bigint", options={"unit": unit})

    return of


STRUCTURES = {"clock": CLOCK_FIELDS, "duration": DURATION_FIELDS}


def pg_time(source: SourceType, settings: Settings) -> Encoding:
    if not source.is_zoned:
        return time(6, "clock")(source, settings)
    if settings["time.precision.mode"] == "structured":
        raise TypeMappingError("not with time.precision.mode=structured")
    return as_read("string")(source, settings)


def datetime(default: int) -> Family:
    """A date and time without a zone; ``default`` digits where none are declared."""

    def of(source: SourceType, settings: Settings) -> Encoding:
        mode = settings["time.precision.mode"]
        if mode == "structured":
            fields = f"struct<{DATE_FIELDS}, {CLOCK_FIELDS}, specialValue: string>"
            return Encoding("datetime_of_fields", fields, "timestamp_ntz", zero=True)
        if mode == "isostring":
            return Encoding("datetime_of_text", "string", "timestamp_ntz", zero=True)
        unit = unit_of(mode, source.digit(default), "datetime")
        return Encoding("datetime_of_units", "bigint", "timestamp_ntz", options={"unit": unit})

    return of


def instant(source: SourceType, settings: Settings) -> Encoding:
    if settings["time.precision.mode"] == "structured":
        fields = (
            f"struct<{DATE_FIELDS}, {CLOCK_FIELDS}, offsetSeconds: bigint, specialValue: string>"
        )
        return Encoding("timestamp_of_fields", fields, "timestamp", zero=True)
    return Encoding("timestamp_of_text", "string", "timestamp", zero=True)


def pg_timestamp(source: SourceType, settings: Settings) -> Encoding:
    found = instant(source, settings) if source.is_zoned else datetime(6)(source, settings)
    return replace(found, zero=False)


def interval(source: SourceType, settings: Settings) -> Encoding:
    lake = {"numeric": "bigint", "string": "string"}[settings["interval.handling.mode"]]
    return as_read(lake)(source, settings)


INT, STRING = as_read("int"), as_read("string")
GEOMETRY = as_read("struct<wkb: binary, srid: int>")
POINT = as_read("struct<x: double, y: double, wkb: binary, srid: int>")
SHAPE = as_read("struct<wkb: binary, srid: int, extensions: string>")


def by_name(families: Mapping[str, Family]) -> dict[str, Family]:
    return {name: family for names, family in families.items() for name in names.split(", ")}


MYSQL = by_name(
    {
        "tinyint, smallint, mediumint": small,
        "year": INT,
        "int, integer": integer,
        "bigint": bigint,
        "decimal, numeric": decimal,
        "float": single,
        "double, real": as_read("double"),
        "boolean, bool": as_read("boolean"),
        "bit": number_of_bits("little"),
        "char, varchar, tinytext, text, mediumtext, longtext": STRING,
        "enum, set, json, uuid, inet4, inet6": STRING,
        "binary, varbinary, tinyblob, blob, mediumblob, longblob": binary,
        "date": date,
        "time": time(0, "duration"),
        "datetime": datetime(0),
        "timestamp": instant,
        "point": POINT,
        "geometry, linestring, polygon, multipoint, multilinestring, multipolygon": GEOMETRY,
        "geometrycollection, geomcollection": GEOMETRY,
        "vector": as_read("array<float>"),
    }
)
NOT_IN_VITESS = (GEOMETRY, POINT, MYSQL["vector"])
VITESS = {name: family for name, family in MYSQL.items() if family not in NOT_IN_VITESS} | by_name(
    {"float": as_read("double"), "bit": number_of_bits("big")}
)
POSTGRESQL = by_name(
    {
        "smallint, int2, smallserial, integer, int, int4, serial": INT,
        "bigint, int8, bigserial, oid": as_read("bigint"),
        "numeric, decimal": numeric,
        "money": money,
        "real, float4": single,
        "double precision, float8": as_read("double"),
        "boolean, bool": as_read("boolean"),
        "bit, bit varying, varbit": text_of_bits,
        "character, char, bpchar, character varying, varchar, text, citext, name": STRING,
        "enum, uuid, json, jsonb, xml, hstore, ltree, tsvector": STRING,
        "inet, cidr, macaddr, macaddr8": STRING,
        "int4range, int8range, numrange, tsrange, tstzrange, daterange": STRING,
        "bytea": binary,
        "date": date,
        "time, timetz": pg_time,
        "timestamp, timestamptz": pg_timestamp,
        "interval": interval,
        "point": POINT,
        "box, lseg, path, polygon": SHAPE,
        "geometry, geography": GEOMETRY,
        "vector": as_read("array<double>"),
        "halfvec": as_read("array<float>"),
    }
)
FAMILIES = {"mariadb": MYSQL, "mysql": MYSQL, "vitess": VITESS, "postgresql": POSTGRESQL}


def parsed(data_type: str) -> SourceType:
    """A type's name, its digits and whether it is unsigned, or has a time zone."""
    text = " ".join(data_type.lower().split())
    found = re.fullmatch(r"([a-z_]\w*(?: precision| varying)?) ?(?:\((.*)\))?(.*)", text)
    if found is None:
        raise TypeMappingError("it is not a type's name")
    name, inside, rest = found.groups(default="")
    digits = () if name in ("enum", "set") else tuple(map(int, re.findall(r"-?\d+", inside)))
    is_zoned = "with time zone" in rest or name in ("timestamptz", "timetz")
    is_zerofill, is_unsigned = "zerofill" in rest, "unsigned" in rest
    return SourceType(
        name, digits, is_unsigned or is_zerofill, is_zoned, is_zerofill and not is_unsigned
    )


def as_spelled(declared: Mapping[str, Any]) -> dict[str, str]:
    """Settings as SETTINGS spells their values: YAML has numbers, Debezium any case.

    >>> as_spelled({"decimal.handling.mode": "STRING", "money.fraction.digits": 2})
    {'decimal.handling.mode': 'string', 'money.fraction.digits': '2'}
    """
    return {
        name: str(value) if name == PLACEHOLDER else str(value).lower()
        for name, value in declared.items()
    }


def settings_of(declared: Mapping[str, Any]) -> tuple[str, dict[str, str]]:
    """The connector of a source and all its settings, from its ``meta: {debezium: {...}}``.

    Raises:
        TypeMappingError: the connector, a setting or a value that there is not.
    """
    if not isinstance(declared, Mapping):
        raise TypeMappingError(
            f"config.meta.debezium is {declared!r}, and has the connector and its settings by "
            "their names: {connector: mariadb}"
        )
    given = as_spelled(declared)
    connector = given.pop("connector", "")
    if connector not in SETTINGS:
        raise TypeMappingError(
            "config.meta.debezium needs a connector, one of " + ", ".join(sorted(SETTINGS))
        )
    known = SETTINGS[connector]
    for name, value in given.items():
        if name not in known:
            raise TypeMappingError(
                f"{connector} has no setting {name}; there are {', '.join(known)}"
            )
        if value not in known[name] and name != PLACEHOLDER:
            raise TypeMappingError(f"{name} is {value}, and can be {', '.join(known[name])}")
    return connector, {name: given.get(name, values[0]) for name, values in known.items()}


def encoding(data_type: str, connector: str, settings: Settings) -> Encoding:
    """How values of a source's type come, and what they become.

    Args:
        data_type: the type in the source database, such as ``int(10) unsigned`` or ``text[]``.
        connector: mariadb, mysql, postgresql or vitess.
        settings: all of the connector's, as ``settings_of`` gives them.

    Raises:
        TypeMappingError: the type cannot be decoded, and why.
    """
    try:
        if connector == "postgresql" and data_type.rstrip().endswith("[]"):
            element = encoding(data_type.rstrip().removesuffix("[]"), connector, settings)
            if element.json.startswith("array"):
                raise TypeMappingError("the connector sends null for what is inside")
            return Encoding(
                "as_read" if element.family == "as_read" else "array_of",
                f"array<{element.json}>",
                f"array<{element.lake}>",
                options={"element": element.as_dict()},
            )
        source = parsed(data_type)
        family = FAMILIES[connector].get(source.name)
        if family is None:
            raise TypeMappingError(f"there is no such type of {connector}")
        return family(source, settings)
    except TypeMappingError as problem:
        if str(problem).startswith("the type "):
            raise
        raise TypeMappingError(
            f"the type {data_type} cannot be decoded: {problem}. See docs/types.md"
        ) from problem
