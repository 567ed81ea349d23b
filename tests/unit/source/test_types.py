"""Encodings by source type, connector and settings; functional/source has what they give."""

from pathlib import Path

import pytest

from lakemirror.source import types
from lakemirror.source.types_page import EXAMPLES, page

PAGE = Path(__file__).parents[3] / "docs/types.md"


def encoding(data_type, connector="mysql", **settings):
    dotted = {name.replace("_", "."): value for name, value in settings.items()}
    return types.encoding(data_type, *types.settings_of({"connector": connector} | dotted))


@pytest.mark.parametrize(
    ("data_type", "connector", "lake"),
    [
        ("INT(11)", "mysql", "int"),
        ("int unsigned", "mysql", "bigint"),
        ("integer", "postgresql", "int"),
        ("BIGINT  UNSIGNED", "vitess", "decimal(20,0)"),
        ("numeric(12, 2)", "mysql", "decimal(12,2)"),
        ("decimal", "mysql", "decimal(10,0)"),
        ("decimal(7)", "mysql", "decimal(7,0)"),
        ("decimal(65,30)", "mariadb", "string"),
        ("numeric", "postgresql", "string"),
        ("real", "mysql", "double"),
        ("real", "postgresql", "float"),
        ("float", "vitess", "double"),
        ("float(24)", "mysql", "float"),
        ("float(53)", "mysql", "double"),
        ("float(7,4)", "mariadb", "float"),
        ("int(10) zerofill", "mysql", "bigint"),
        ("smallint zerofill", "mysql", "int"),
        ("bigint zerofill", "mysql", "decimal(20,0)"),
        ("enum('unsigned','b(1)')", "mysql", "string"),
        (" TIMESTAMP(6) ", "mysql", "timestamp"),
        ("timestamp(6)", "postgresql", "timestamp_ntz"),
        ("timestamp(0) with time zone", "postgresql", "timestamp"),
        ("time(3) with time zone", "postgresql", "string"),
        ("bit(8)", "mysql", "bigint"),
        ("bit(8)", "postgresql", "string"),
        ("numeric(6,2)[]", "postgresql", "array<decimal(6,2)>"),
        ("double precision", "postgresql", "double"),
    ],
)
def test_type_in_the_lake(data_type, connector, lake):
    assert encoding(data_type, connector).lake == lake


@pytest.mark.parametrize(
    ("mode", "data_type", "unit"),
    [
        ("adaptive", "time(3)", "millis"),
        ("adaptive", "time", "micros"),
        ("adaptive_time_microseconds", "time(3)", "micros"),
        ("adaptive_time_microseconds", "timestamp(3)", "millis"),
        ("adaptive", "timestamp", "micros"),
        ("connect", "timestamp(6)", "millis"),
        ("microseconds", "timestamp(0)", "micros"),
        ("nanoseconds", "time(0)", "nanos"),
    ],
)
def test_unit_of_a_time(mode, data_type, unit):
    found = encoding(data_type, "postgresql", time_precision_mode=mode)
    assert found.as_dict()["unit"] == unit


@pytest.mark.parametrize(
    ("data_type", "connector", "settings", "problem"),
    [
        ("geometry", "vitess", {}, "the type geometry cannot be decoded: there is no such type"),
        ("mood", "postgresql", {}, "the type mood cannot be decoded: there is no such type"),
        ("", "mysql", {}, "it is not a type's name"),
        ("numeric(3,-2)", "postgresql", {}, "negative scale"),
        ("integer[][]", "postgresql", {}, "the connector sends null"),
        ("decimal(65,2)", "mysql", {"decimal_handling_mode": "double"}, "more than 38 digits"),
        ("numeric", "postgresql", {"decimal_handling_mode": "double"}, "without digits"),
        ("int", "oracle", {}, "needs a connector, one of mariadb, mysql, postgresql, vitess"),
        ("int", "vitess", {"decimal_handling_mode": "string"}, "vitess has no setting decimal"),
        ("int", "mysql", {"time_precision_mode": "adaptive"}, "time.precision.mode is adaptive"),
    ],
)
def test_what_cannot_be_decoded(data_type, connector, settings, problem):
    with pytest.raises(types.TypeMappingError, match=problem):
        encoding(data_type, connector, **settings)


def test_the_page_of_types_is_current():
    assert PAGE.read_text(encoding="utf-8") == page()


@pytest.mark.parametrize("connector", EXAMPLES)
def test_every_family_has_an_example(connector):
    """And tests/functional/source/test_types.py decodes them all."""
    families = types.FAMILIES[connector]
    names = {
        types.parsed(data_type.removesuffix("[]")).name for data_type, _, _ in EXAMPLES[connector]
    }
    assert {*families.values()} == {families[name] for name in names}
