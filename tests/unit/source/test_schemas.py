"""What schema-change events and Connect schemas tell of a table."""

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


def test_what_is_dropped_has_no_schema():
    assert [*changed_schemas(event(type="DROP", id='"shop"."t"', table=None), {})] == []


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


def test_the_examples_in_the_docstrings():
    assert doctest.testmod(schemas).failed == 0


@pytest.mark.parametrize("text", ["", "null", "[1]", "[" * 100_000, '{"schema":1,"payload":2}'])
def test_a_payload_that_is_none(text):
    assert payload(text) == {}


def test_a_payload_with_and_without_its_schema():
    assert payload('{"schema":1,"payload":{"id":2}}') == {"id": 2}
    assert payload('{"payload":{"id":2}}') == {"payload": {"id": 2}}
