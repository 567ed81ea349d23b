import pytest

TYPES = {
    "smallint": "int",
    "int unsigned": "bigint",
    "bigint": "bigint",
    "bigint unsigned": "decimal(20,0)",
    "DECIMAL(12,2)": "decimal(12,2)",
    "numeric(12, 2)": "decimal(12, 2)",
    "float": "float",
    "double": "double",
    "bit(1)": "boolean",
    "varchar(255)": "string",
    "varbinary(16)": "binary",
    "date": "int",
    "time(6)": "bigint",
    "datetime(3)": "bigint",
    "datetime(6)": "bigint",
    "timestamp(6)": "string",
}


@pytest.mark.parametrize(("data_type", "json_type"), TYPES.items())
def test_type_in_debeziums_json(macros, data_type, json_type):
    assert macros.json_type(data_type) == json_type


def test_an_unknown_type_is_an_error(macros):
    assert macros.error("json_type", "geometry").startswith("The type geometry cannot be decoded.")
