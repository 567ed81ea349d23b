"""Which type a column gets in the lake where its source says so, and what is refused."""

import pytest

from lakemirror.source import types
from lakemirror.source.columns import ColumnsError, Declared, source_columns
from lakemirror.source.lake_types import LakeTypes, lake_types_of, named


def lake(data_type, lake_types, connector="mysql", zone=None, connect=None):
    """The type in the lake and the conversion's macro."""
    kind, settings = types.settings_of({"connector": connector})
    wanted = lake_types_of({"lake_types": lake_types, "time_zone": zone}, connector)
    known = [] if connect is None else [known_column(connect)]
    declared = {"c": Declared(data_type)} if connect is None else {}
    [column] = source_columns(declared, known, kind, settings, wanted)
    found = column["conversion"]
    return column["lake"], found and found["macro"]


def known_column(connect):
    return {"name": "c", "connect": connect, "spellings": []}


@pytest.mark.parametrize(
    ("data_type", "connector", "expected"),
    [
        ("bit(10)", "mysql", ("string", "bits_of_number")),
        ("bit(1)", "mysql", ("string", "bit_of_boolean")),
        ("bit(4)", "postgresql", ("string", None)),
        ("int unsigned", "vitess", ("string", "cast_as")),
        ("decimal(10,2)", "mysql", ("string", "cast_as")),
        ("decimal(65,2)", "mysql", ("string", None)),
        ("varchar(10)", "mysql", ("string", None)),
        ("time(3)", "mysql", ("string", "text_of_time")),
        ("timestamp", "mysql", ("string", "text_of_instant")),
        ("timestamp", "postgresql", ("string", "cast_as")),
        ("bytea", "postgresql", ("string", "text_of_binary")),
        ("int[]", "postgresql", ("string", "text_of_nested")),
        ("point", "mysql", ("string", "text_of_nested")),
    ],
)
def test_all_else_is_text(data_type, connector, expected):
    assert lake(data_type, {"*": "string"}, connector) == expected


@pytest.mark.parametrize(
    ("data_type", "expected"),
    [
        ("datetime(3)", ("timestamp", "instant_of_local")),
        ("timestamp", ("timestamp_ntz", "local_of_instant")),
        ("tinyint(1)", ("boolean", "boolean_of_number")),
        ("tinyint(4)", ("int", None)),
        ("bigint(20) unsigned", ("decimal(20,0)", None)),
        ("bigint(20)", ("string", "cast_as")),
        ("int", ("bigint", "cast_as")),
        ("numeric(9,2)", ("decimal(12,2)", "cast_as")),
        ("year", ("string", "cast_as")),
    ],
)
def test_the_closest_spelling_counts(data_type, expected):
    wanted = {
        "datetime": "timestamp",
        "timestamp": "timestamp_ntz",
        "TINYINT(1)": "boolean",
        "tinyint": "default",
        "bigint unsigned": "default",
        "integer": "bigint",
        "decimal": "decimal(12, 2)",
        "*": "string",
    }
    assert lake(data_type, wanted, zone="Asia/Seoul") == expected


@pytest.mark.parametrize(
    ("spelled", "expected"),
    [
        ("TIMESTAMP WITH TIME ZONE", "timestamptz"),
        ("timestamptz(3)", "timestamptz(3)"),
        ("double precision", "double precision"),
        ("enum('a','b(1)')", "enum"),
        ("bigint(20) unsigned zerofill", "bigint(20) unsigned"),
        ("character varying(10)[]", "varchar(10)[]"),
        ("*", "*"),
    ],
)
def test_one_spelling(spelled, expected):
    assert named(spelled) == expected


@pytest.mark.parametrize(
    ("meta", "connector", "said"),
    [
        ({"lake_types": {"bti": "string"}}, "mysql", "mysql has no type bti; did you mean bit"),
        ({"lake_types": {"jsonb": "string"}}, "mysql", "mysql has no type jsonb; did you mean"),
        ({"lake_types": {"bit": "text"}}, "mysql", "bit is text, and can be string, boolean"),
        ({"lake_types": "string"}, "mysql", "a type in the lake for each type"),
        ({"lake_types": {"int": "string", "INTEGER": "bigint"}}, "mysql", "names int twice"),
        ({"time_zone": "Asia/Soul"}, "mysql", "is no time zone; did you mean Asia/Seoul"),
    ],
)
def test_what_cannot_be_meant(meta, connector, said):
    with pytest.raises(types.TypeMappingError, match=said):
        lake_types_of(meta, connector)


@pytest.mark.parametrize(
    ("data_type", "wanted", "said"),
    [
        ("datetime", {"datetime": "timestamp"}, "time_zone says in which zone"),
        ("double", {"double": "decimal(10,2)"}, "does not keep its values"),
        ("decimal(10,2)", {"decimal": "decimal(12,1)"}, "does not keep its values"),
        ("decimal(10,2)", {"decimal": "bigint"}, "does not keep its values"),
        ("varchar(9)", {"*": "bigint"}, "does not keep its values"),
    ],
)
def test_a_value_is_kept(data_type, wanted, said):
    with pytest.raises(ColumnsError, match=said):
        lake(data_type, wanted)


TIMES = '{"type": "int64", "name": "io.debezium.time.MicroTimestamp"}'


def test_a_connect_schema_that_tells_enough():
    wanted = {"timestamp": "timestamp", "*": "string"}
    found = lake(None, wanted, "postgresql", "Europe/Berlin", TIMES)
    assert found == ("timestamp", "instant_of_local")
    assert lake(None, {"*": "string"}, "postgresql", connect='{"type": "int64"}') == (
        "string",
        "cast_as",
    )


def test_a_connect_schema_that_does_not_tell():
    """A boolean is a boolean or a bit(1): which of them is meant is asked."""
    with pytest.raises(ColumnsError, match="names bit, and its Connect schema does not tell"):
        lake(None, {"bit": "string"}, "postgresql", connect='{"type": "boolean"}')
    both = {"bit": "string", "boolean": "string"}
    found = lake(None, both, "postgresql", connect='{"type": "boolean"}')
    assert found == ("string", "cast_as")


def test_without_a_word_nothing_changes():
    assert lake_types_of({}, "mysql") == LakeTypes()
    assert lake("datetime", {}) == ("timestamp_ntz", None)
