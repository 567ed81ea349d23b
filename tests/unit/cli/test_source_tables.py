"""What raw.schema_history, the database and YAML know of a table, and where they differ."""

import json
from dataclasses import replace

import pytest

from lakemirror.cli.evidence import Head
from lakemirror.cli.source_tables import SourceTable, are_alike
from lakemirror.source.database import DatabaseColumn, DatabaseTable
from lakemirror.source.types import settings_of
from support.small_lake import raw_record, raw_table

KIND, SETTINGS = settings_of({"connector": "postgresql"})
SEEN = {"src_ts": None, "topic": "t", "partition": 0, "offset": 1}


def database(key=("id",), **columns):
    found = [DatabaseColumn(name, kind) for name, kind in columns.items()]
    return DatabaseTable(found, [*key], "Orders.", 7_000_000)


def version(origin, key=("id",), **columns):
    """Types, or Connect schemas where they are dictionaries."""
    found = [
        {
            "name": name,
            "data_type": None if isinstance(kind, dict) else kind,
            "connect": json.dumps(kind) if isinstance(kind, dict) else None,
            "comment": None,
        }
        for name, kind in columns.items()
    ]
    seen = {"first_seen": SEEN, "last_seen": SEEN}
    return {"origin": origin, "columns": found, "key": [*key], "comment": None, **seen}


def table(described=None, versions=(), declared=None, sent=("id", "total")):
    found = SourceTable("shop", "orders", None, versions, declared or {}, described)
    found.head = Head("postgresql", ("db", "shop", "orders"), frozenset(sent), ("id",), 0, 5)
    found.sent = frozenset(sent)
    return found


def test_the_database_says_columns_that_nobody_knows():
    found = table(database(id="integer", total="numeric(12,2)", later="integer"))
    assert found.declared_columns(KIND, SETTINGS) == [
        {"name": "id", "data_type": "integer"},
        {"name": "total", "data_type": "numeric(12,2)"},
    ]
    assert found.unsent == ["later"]
    assert found.rows() == 7_000_000
    assert found.comments() == ("Orders.", {})
    assert [str(column) for column in found.columns(KIND)] == [
        "shop.orders.id",
        "shop.orders.total",
    ]


SNAPSHOT = [raw_record(n, "r", id=n, total="1.50", note=f'{{"{n}": [1]}}') for n in range(1000)]


@pytest.mark.parametrize("later", [7, None, {"x": 1.5}, ["a}", [1]]])
def test_a_column_that_comes_after_the_snapshot(tmp_path, later):
    """All within one hour, so in one file: the newest records that are looked at lack it."""
    changes = [
        raw_record(5, "u", id=5, total="1.50", note="", later=later),
        raw_record(6, "d", id=6),
    ]
    found = SourceTable("shop", "orders", raw_table(tmp_path, [*SNAPSHOT, *changes]))
    columns = {"id": "integer", "total": "numeric(12,2)", "note": "text", "later": "integer"}
    found.describe(database(**columns, never="text"), print)
    assert "later" not in found.head.columns
    assert [column["name"] for column in found.declared_columns(KIND, SETTINGS)] == [*columns]
    assert (found.unsent, found.gone) == (["never"], [])


def test_a_column_that_only_later_or_earlier_rows_have(tmp_path):
    """It was renamed: neither name may be lost."""
    changes = [raw_record(n, "u", id=n, total="1.50", memo="x") for n in range(500)]
    found = SourceTable("shop", "orders", raw_table(tmp_path, [*changes, *SNAPSHOT]))
    found.describe(database(id="integer", total="numeric(12,2)", memo="text"), print)
    assert "note" not in found.head.columns
    assert (found.unsent, found.gone) == ([], ["note"])


def test_a_history_that_has_all_columns_spares_the_events(tmp_path):
    columns = {"id": "integer", "total": "numeric(12,2)", "later": "integer"}
    found = table(None, [version("connect_schema", **columns)])
    found.raw = raw_table(tmp_path, [raw_record(1, id=1, other=2)])
    found.describe(database(**columns), print)
    assert (found.unsent, found.sent) == ([], {*columns})


def test_what_only_snapshots_have_is_left_out():
    described = database(id="integer", total="integer")
    described.columns[1] = replace(described.columns[1], is_left_out=True)
    found = table(described, declared={"config": {"meta": {"ignored_columns": ["note"]}}})
    assert [column["name"] for column in found.declared_columns(KIND, SETTINGS)] == ["id"]
    assert (found.ignored, found.unsent, found.gone) == (["note", "total"], [], [])


def test_what_the_events_have_no_more_is_told_where_no_database_says_why():
    """Case 64: dropped, or generated."""
    whole = {"type": "int32"}
    later = version("connect_schema", id=whole) | {"last_seen": SEEN | {"offset": 2}}
    both = [version("connect_schema", id=whole, total=whole), later]
    assert table(versions=both).ended == ["total"]
    left_out = {"config": {"meta": {"ignored_columns": ["total"]}}}
    assert table(versions=both, declared=left_out).ended == []
    assert table(database(id="integer"), both).ended == []


def test_yaml_goes_first():
    own = {"columns": [{"name": "total", "data_type": "text", "description": "x"}]}
    found = table(database(id="integer", total="numeric(12,2)"), declared=own)
    assert found.declared_columns(KIND, SETTINGS) == [
        *own["columns"],
        {"name": "id", "data_type": "integer"},
    ]
    assert [*found.differences(KIND, SETTINGS)] == [
        "shop.orders.total is text in the source's YAML, and numeric(12,2) in the database"
    ]


def test_a_history_needs_no_database():
    history = version("schema_change", id="integer", total="numeric(12,2)")
    found = table(database(id="integer", total="numeric(12,2)"), [history])
    assert found.declared_columns(KIND, SETTINGS) == []
    assert [*found.differences(KIND, SETTINGS)] == []


def test_types_that_a_connect_schema_does_not_tell():
    bits = {"type": "bytes", "name": "io.debezium.data.Bits"}
    plain = {"type": "int32"}
    history = version("connect_schema", id=plain, total={"type": "string"}, flags=bits)
    described = database(id="integer", total="numeric(12,2)", flags="bit(10)")
    found = table(described, [history], sent=("id", "total", "flags"))
    assert found.declared_columns(KIND, SETTINGS) == [
        {"name": "total", "data_type": "numeric(12,2)"},
        {"name": "flags", "data_type": "bit(10)"},
    ]


def test_a_history_and_a_database_that_differ():
    history = version("schema_change", key=["id", "total"], id="integer", total="text", old="text")
    found = table(database(id="bigint", total="text", new="text"), [history], sent=())
    assert [*found.differences(KIND, SETTINGS)] == [
        "shop.orders.id is integer in raw.schema_history, and bigint in the database",
        "shop.orders has new in the database, and not in raw.schema_history",
        "shop.orders has old in raw.schema_history, and not in the database",
        "shop.orders has the key (id) in the database, and its records have (id, total)",
    ]


@pytest.mark.parametrize(
    ("one", "other", "is_alike"),
    [
        ("int(11)", "int", True),
        ("varchar(9)", "varchar(10)", True),
        ("decimal(9,2)", "decimal(10,2)", False),
        ("datetime(3)", "datetime(6)", False),
        ("bigint", "bigint unsigned", False),
        ("what", "WHAT", True),
    ],
)
def test_spellings_of_a_type(one, other, is_alike):
    assert are_alike(one, other, *settings_of({"connector": "mysql"})) is is_alike
