import pytest

EXPRESSIONS = {
    "int": "v",
    "bigint": "v",
    "bigint unsigned": "cast(if(v < 0, v + 18446744073709551616, v) as decimal(20, 0))",
    "decimal(12,2)": "v",
    "float": "v",
    "double": "v",
    "boolean": "v",
    "varchar(255)": "v",
    "varbinary(16)": "v",
    "date": "date_from_unix_date(v)",
    "time": "v",
    "datetime": "cast(timestamp_micros(try_multiply(v, 1000L)) as timestamp_ntz)",
    "datetime(6)": "cast(timestamp_micros(v) as timestamp_ntz)",
    "timestamp": "try_cast(v as timestamp)",
}


@pytest.mark.parametrize(("data_type", "expression"), EXPRESSIONS.items())
def test_value_of_a_type(macros, sql, data_type, expression):
    assert sql(macros.decoded("v", data_type)) == expression


def test_an_unknown_type_is_an_error(macros):
    assert macros.error("decoded", "v", "geometry").startswith("The type geometry cannot be")
