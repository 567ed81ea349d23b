import pytest

FAMILIES = {
    "tinyint": "int",
    "tinyint(3) unsigned": "int",
    "smallint(5) unsigned": "int",
    "mediumint(8) unsigned": "int",
    "year(4)": "int",
    "int": "int",
    "INT(11)": "int",
    "integer": "int",
    "int(10) unsigned": "bigint",
    "integer unsigned": "bigint",
    "bigint": "bigint",
    "bigint(20)": "bigint",
    "bigint(20) unsigned": "unsigned_bigint",
    "decimal(12,2)": "decimal",
    "decimal(38,10)": "decimal",
    "numeric(10, 0)": "decimal",
    "float": "float",
    "double": "double",
    "double unsigned": "double",
    "real": "double",
    "boolean": "boolean",
    "bool": "boolean",
    "bit(1)": "boolean",
    "char(2)": "string",
    "varchar(255)": "string",
    "tinytext": "string",
    "text": "string",
    "mediumtext": "string",
    "longtext": "string",
    "enum('unsigned','b')": "string",
    "set('a','b')": "string",
    "json": "string",
    "uuid": "string",
    "binary(16)": "binary",
    "varbinary(16)": "binary",
    "tinyblob": "binary",
    "blob": "binary",
    "mediumblob": "binary",
    "longblob": "binary",
    "date": "date",
    "time": "time",
    "time(6)": "time",
    "datetime": "datetime_millis",
    "datetime(3)": "datetime_millis",
    "datetime(4)": "datetime_micros",
    "datetime(6)": "datetime_micros",
    " TIMESTAMP(6) ": "timestamp",
}


@pytest.mark.parametrize(("data_type", "family"), FAMILIES.items())
def test_family_of_a_source_type(macros, data_type, family):
    assert macros.type_family(data_type).strip() == family


@pytest.mark.parametrize(
    "data_type", ["decimal", "decimal(65,2)", "bit(8)", "geometry", "array", ""]
)
def test_a_type_that_cannot_be_decoded_is_an_error(macros, data_type):
    assert macros.error("type_family", data_type) == (
        f"The type {data_type} cannot be decoded. "
        "See docs/guides/add-a-table.md for the types that can."
    )
