"""How a value comes whose Kafka Connect schema is known, which tells what settings would."""

from collections.abc import Mapping
from typing import Any

from lakemirror.source.types import (
    GEOMETRY,
    POINT,
    SHAPE,
    Encoding,
    Settings,
    SourceType,
    TypeMappingError,
    as_read,
    decimal_of,
    number_of_bits,
)

SOURCE = SourceType("")
MYSQL_BITS = {"mariadb": "little", "mysql": "little", "vitess": "big"}
PLAIN = {
    **dict.fromkeys(("int8", "int16", "int32"), as_read("int")(SOURCE, {})),
    "int64": as_read("bigint")(SOURCE, {}),
    # as a double, so that a value which is more than a float can hold is seen
    "float": Encoding("float_of_double", "double", "float"),
    "double": as_read("double")(SOURCE, {}),
    "boolean": as_read("boolean")(SOURCE, {}),
    "string": as_read("string")(SOURCE, {}),
    "bytes": as_read("binary")(SOURCE, {}),
    "map": as_read("string")(SOURCE, {}),
}
DATE = Encoding("date_of_days", "int", "date")


def of_units(kind: str, lake: str, unit: str) -> Encoding:
    return Encoding(f"{kind}_of_units", "bigint", lake, options={"unit": unit})


LOGICAL = {
    "io.debezium.time.Date": DATE,
    "org.apache.kafka.connect.data.Date": DATE,
    "io.debezium.time.IsoDate": Encoding("date_of_text", "string", "date", zero=True),
    "io.debezium.time.Time": of_units("time", "bigint", "millis"),
    "org.apache.kafka.connect.data.Time": of_units("time", "bigint", "millis"),
    "io.debezium.time.MicroTime": of_units("time", "bigint", "micros"),
    "io.debezium.time.NanoTime": of_units("time", "bigint", "nanos"),
    "io.debezium.time.IsoTime": Encoding("time_of_text", "string", "bigint"),
    "io.debezium.time.Timestamp": of_units("datetime", "timestamp_ntz", "millis"),
    "org.apache.kafka.connect.data.Timestamp": of_units("datetime", "timestamp_ntz", "millis"),
    "io.debezium.time.MicroTimestamp": of_units("datetime", "timestamp_ntz", "micros"),
    "io.debezium.time.NanoTimestamp": of_units("datetime", "timestamp_ntz", "nanos"),
    "io.debezium.time.IsoTimestamp": Encoding(
        "datetime_of_text", "string", "timestamp_ntz", zero=True
    ),
    "io.debezium.time.ZonedTimestamp": Encoding(
        "timestamp_of_text", "string", "timestamp", zero=True
    ),
    "io.debezium.data.geometry.Point": POINT(SOURCE, {}),
}


def connect_encoding(schema: Mapping[str, Any], connector: str, settings: Settings) -> Encoding:
    """How values of a Connect schema come, and what they become.

    Args:
        schema: a field's schema as JsonConverter writes it: type, name, parameters, items, fields.
        connector: mariadb, mysql, postgresql or vitess.
        settings: all of the source's; its decimal.format alone is in no schema.

    Raises:
        TypeMappingError: the schema does not say enough; a column's ``data_type`` has to.
    """
    name, parameters = schema.get("name") or "", schema.get("parameters") or {}
    kind = schema.get("type")
    if name == "org.apache.kafka.connect.data.Decimal":
        return _decimal(parameters, settings)
    if name == "io.debezium.data.VariableScaleDecimal" and settings["decimal.format"] == "base64":
        return Encoding("text_of_variable_scale", "struct<scale: int, value: binary>", "string")
    if name == "io.debezium.data.Bits" and connector in MYSQL_BITS:
        bits = SourceType("bit", (int(parameters["length"]),))
        return number_of_bits(MYSQL_BITS[connector])(bits, settings)
    if name == "io.debezium.data.Bits":
        raise TypeMappingError("its Connect schema does not tell bit from bit varying")
    if name in ("io.debezium.data.geometry.Geometry", "io.debezium.data.geometry.Geography"):
        fields = {field["field"] for field in schema.get("fields", [])}
        return (SHAPE if "extensions" in fields else GEOMETRY)(SOURCE, settings)
    if kind == "array" and schema["items"].get("type") != "array":
        element = connect_encoding(schema["items"], connector, settings)
        return Encoding(
            "as_read" if element.family == "as_read" else "array_of",
            f"array<{element.json}>",
            f"array<{element.lake}>",
            options={"element": element.as_dict()},
        )
    found = LOGICAL.get(name) or PLAIN.get(str(kind))
    if found is None:
        raise TypeMappingError(f"its Connect schema says {kind} {name}".rstrip())
    return found


def _decimal(parameters: Mapping[str, str], settings: Settings) -> Encoding:
    scale = int(parameters["scale"])
    precision = int(parameters.get("connect.decimal.precision", max(38, scale)))
    if scale > precision:
        raise TypeMappingError("the connector sends a negative scale wrong")
    return decimal_of("precise", precision, scale, settings)
