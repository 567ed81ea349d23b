"""What schema-change events and Connect schemas tell of a table."""

import dataclasses
import doctest
import json

import pytest

from lakemirror.source import schemas
from lakemirror.source.schemas import (
    changed_schemas,
    connect_schema,
    data_type,
    payload,
    table_names,
)


@pytest.mark.parametrize(
    ("expression", "length", "scale", "values", "ddl"),
    [
        ("INT UNSIGNED ZEROFILL", 6, None, [], "int(6) unsigned zerofill"),
        ("DECIMAL", 12, 2, [], "decimal(12,2)"),
        ("BLOB", None, None, [], "blob"),
        ("ENUM", 1, None, ["'a'", "'it''s, b)'"], "enum('a','it''s, b)')"),
        ("DATETIME", 6, None, [], "datetime(6)"),
        ("CHARACTER VARYING(9)", 9, None, [], "character varying(9)"),
    ],
)
def test_a_type_as_ddl_has_it(expression, length, scale, values, ddl):
    assert data_type(expression, length, scale, values) == ddl


@pytest.mark.parametrize(
    ("identifier", "names"),
    [
        ('"shop"."orders"', ("shop", "orders")),
        ('"shop"."old","shop"."new"', ("shop", "new")),
        ('"shop"."a.b, ""c"""', ("shop", 'a.b, "c"')),
    ],
)
def test_names_of_a_table(identifier, names):
    assert table_names(identifier) == names


def event(**change):
    source = {"name": "pre", "connector": "mysql"}
    return json.dumps({"source": source, "tableChanges": [change]})


def test_a_name_that_no_topic_can_have():
    """Case 65: the raw table is that of the topic; the database's own name is kept."""
    table = {"columns": [{"name": "`; drop table x; --", "typeName": "INT"}]}
    text = event(type="CREATE", id='"My Shop"."Naïve ""T"""', table=table)
    [found] = changed_schemas(text, {})
    assert (found.source, found.raw_table) == ("my_shop", "my_shop__na_ve__t_")
    assert found.table_name == ("My Shop", 'Naïve "T"')
    assert [column.name for column in found.columns] == ["`; drop table x; --"]


def test_what_is_dropped_has_no_columns():
    """Case 35."""
    [found] = changed_schemas(event(type="DROP", id='"shop"."t"', table=None), {})
    assert (found.raw_table, found.columns, found.former_name) == ("shop__t", (), None)


def test_a_snapshot_drops_nothing():
    """The connector tells DROP TABLE IF EXISTS of each table, before it tells its CREATE."""
    text = json.loads(event(type="DROP", id='"shop"."t"', table=None))
    text["source"]["snapshot"] = "true"
    assert [*changed_schemas(json.dumps(text), {})] == []


def test_a_table_that_gets_another_name():
    """Each of both names has a version: the former one has no columns any more."""
    renamed = {"id": '"shop"."new"', "previousId": '"shop"."old"', "table": {"columns": []}}
    former, now = changed_schemas(event(type="ALTER", **renamed), {})
    assert (former.raw_table, former.former_name) == ("shop__old", ("shop", "new"))
    assert (now.raw_table, now.former_name) == ("shop__new", ("shop", "old"))


def test_a_column_that_gets_another_name():
    """Case 57: as the statement says it, and the table has the new name."""
    table = {"columns": [{"name": "Label", "typeName": "INT"}]}
    text = json.loads(event(type="ALTER", id='"shop"."t"', table=table))
    for ddl, renamed in (
        ("alter table t change b label int, rename column c to d", {"Label": "b"}),
        ("alter table t rename column label to Label", None),
        ("alter table t add d int comment 'rename column b to label'", None),
    ):
        [found] = changed_schemas(json.dumps(text | {"ddl": ddl}), {})
        assert found.renamed == renamed
        assert (found.hash == plain_hash(found)) == (renamed is None)


def plain_hash(schema):
    """As a lake from before has it: only what renames makes another version."""
    return dataclasses.replace(schema, renamed=None).hash


def test_a_hash_is_of_what_a_version_says():
    """Not of the record: the same statement twice is one version."""
    table = {"columns": [{"name": "id", "typeName": "INT"}], "primaryKeyColumnNames": ["id"]}
    text = event(type="CREATE", id='"shop"."t"', table=table)
    [first], [second] = (changed_schemas(text, {}) for _ in range(2))
    table["primaryKeyColumnNames"] = []
    [third] = changed_schemas(event(type="CREATE", id='"shop"."t"', table=table), {})
    assert first.hash == second.hash != third.hash
    assert len(first.hash) == 64


def test_a_connect_schema_may_tell_the_sources_type():
    """column.propagate.source.type; and a default is the text of its JSON."""
    prefix = "__debezium.source.column."
    told = {prefix + "type": "BIGINT UNSIGNED", prefix + "length": "20", prefix + "comment": "c"}
    fields = [
        {"type": "int64", "optional": True, "parameters": told, "default": 7, "field": "n"},
        {"type": "string", "optional": False, "default": "x", "field": "s"},
    ]
    names = ["op", "source"]
    value = {"fields": [{"field": "after", "fields": fields}, *({"field": name} for name in names)]}
    block = '{"db": "shop", "schema": "public", "table": "T"}'
    [found] = connect_schema("pg.public.t", json.dumps(value), None, block, {})
    assert found.table_name == ("shop", "public", "T")
    assert [(c.data_type, c.default, c.comment) for c in found.columns] == [
        ("bigint(20) unsigned", "7", "c"),
        (None, "x", None),
    ]
    assert found.key == ()


@pytest.mark.parametrize(
    ("own", "name", "length", "scale", "expected"),
    [
        ("TIMESTAMP", "io.debezium.time.Timestamp", "26", "3", "timestamp(3)"),
        ("TIME", "io.debezium.time.Time", "12", "3", "time(3)"),
        ("TIMESTAMPTZ", "io.debezium.time.ZonedTimestamp", "35", "6", "timestamptz(6)"),
        ("DATETIME", "io.debezium.time.Timestamp", "3", None, "datetime(3)"),
        ("NUMERIC", "org.apache.kafka.connect.data.Decimal", "12", "2", "numeric(12,2)"),
    ],
)
def test_postgresqls_length_of_a_time_is_no_precision(own, name, length, scale, expected):
    prefix = "__debezium.source.column."
    told = {prefix + "type": own, prefix + "length": length, prefix + "scale": scale}
    told = {key: value for key, value in told.items() if value}
    field = {"type": "int64", "name": name, "optional": True, "parameters": told, "field": "t"}
    others = [{"field": name} for name in ("op", "source")]
    value = {"fields": [{"field": "after", "fields": [field]}, *others]}
    block = '{"db": "shop", "schema": "public", "table": "T"}'
    [found] = connect_schema("pg.public.t", json.dumps(value), None, block, {})
    assert [column.data_type for column in found.columns] == [expected]


def test_the_examples_in_the_docstrings():
    assert doctest.testmod(schemas).failed == 0


@pytest.mark.parametrize("text", ["", "null", "[1]", "[" * 100_000, '{"schema":1,"payload":2}'])
def test_a_payload_that_is_none(text):
    assert payload(text) == {}


def test_a_payload_with_and_without_its_schema():
    assert payload('{"schema":1,"payload":{"id":2}}') == {"id": 2}
    assert payload('{"payload":{"id":2}}') == {"payload": {"id": 2}}
