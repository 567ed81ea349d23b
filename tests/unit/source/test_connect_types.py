"""Encodings by Connect schema; what they give is decoded by tests/functional."""

import pytest

from lakemirror.source.connect_types import connect_encoding
from lakemirror.source.types import TypeMappingError, encoding, settings_of


def connect(schema, connector="postgresql", **settings):
    dotted = {name.replace("_", "."): value for name, value in settings.items()}
    return connect_encoding(schema, *settings_of({"connector": connector} | dotted))


def declared(data_type, connector="postgresql", **settings):
    dotted = {name.replace("_", "."): value for name, value in settings.items()}
    return encoding(data_type, *settings_of({"connector": connector} | dotted))


def debezium(name, kind, **parameters):
    return {"type": kind, "name": f"io.debezium.{name}", "parameters": parameters}


def decimal(**parameters):
    return {
        "type": "bytes",
        "name": "org.apache.kafka.connect.data.Decimal",
        "parameters": parameters,
    }


@pytest.mark.parametrize(
    ("schema", "connector", "data_type"),
    [
        ({"type": "int16"}, "postgresql", "smallint"),
        ({"type": "int64"}, "mysql", "bigint"),
        ({"type": "float"}, "mysql", "float"),
        ({"type": "bytes"}, "vitess", "blob"),
        ({"type": "map"}, "postgresql", "hstore"),
        (debezium("data.Json", "string"), "mysql", "json"),
        (debezium("time.Date", "int32"), "mysql", "date"),
        (debezium("time.MicroTime", "int64"), "mysql", "time(6)"),
        (debezium("time.Time", "int32"), "postgresql", "time(3)"),
        (debezium("time.Timestamp", "int64"), "mysql", "datetime"),
        (debezium("time.MicroTimestamp", "int64"), "postgresql", "timestamp"),
        (debezium("time.ZonedTimestamp", "string"), "mysql", "timestamp"),
        (debezium("time.MicroDuration", "int64"), "postgresql", "interval"),
        (debezium("data.VariableScaleDecimal", "struct"), "postgresql", "numeric"),
        (debezium("data.Bits", "bytes", length="10"), "mariadb", "bit(10)"),
        (debezium("data.Bits", "bytes", length="64"), "vitess", "bit(64)"),
        (debezium("data.geometry.Point", "struct"), "mysql", "point"),
        (debezium("data.geometry.Geometry", "struct"), "mysql", "geometry"),
        (decimal(scale="2", **{"connect.decimal.precision": "12"}), "mysql", "decimal(12,2)"),
        (decimal(scale="2", **{"connect.decimal.precision": "50"}), "postgresql", "numeric(50,2)"),
        ({"type": "array", "items": {"type": "string"}}, "postgresql", "text[]"),
        ({"type": "array", "items": debezium("time.Date", "int32")}, "postgresql", "date[]"),
    ],
)
def test_as_the_declared_type(schema, connector, data_type):
    assert connect(schema, connector) == declared(data_type, connector)


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("io.debezium.time.NanoTimestamp", "nanoseconds"),
        ("io.debezium.time.IsoTimestamp", "isostring"),
    ],
)
def test_a_mode_is_in_the_schema(name, mode):
    """The source's settings need not say it."""
    found = connect({"type": "int64", "name": name}, "mysql")
    assert found == declared("datetime(6)", "mysql", time_precision_mode=mode)


def test_a_decimal_of_an_unknown_precision_has_room():
    """MySQL's unsigned bigint, PostgreSQL's money."""
    assert connect(decimal(scale="2")).lake == "decimal(38,2)"
    assert connect(decimal(scale="0"), decimal_format="numeric").json == "decimal(38,0)"


@pytest.mark.parametrize(
    ("schema", "problem"),
    [
        (debezium("data.Bits", "bytes", length="10"), "does not tell bit from bit varying"),
        (decimal(scale="2046", **{"connect.decimal.precision": "3"}), "negative scale"),
        ({"type": "struct", "name": "of.another"}, "its Connect schema says struct of.another"),
        ({"type": "array", "items": {"type": "array"}}, "its Connect schema says array"),
    ],
)
def test_what_it_does_not_tell(schema, problem):
    with pytest.raises(TypeMappingError, match=problem):
        connect(schema)
