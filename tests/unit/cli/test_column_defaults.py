"""What rows got that were there when a column was added, by the source's database."""

import json

import pyarrow as pa
import pytest

from lakemirror.cli import column_defaults
from lakemirror.cli.column_defaults import came_with, lacking, with_default
from lakemirror.source.database import DatabaseColumn, mysql_literal
from lakemirror.source.types import settings_of
from support.small_lake import small_lake

MARIADB = settings_of({"connector": "mariadb"})
POSTGRESQL = settings_of({"connector": "postgresql"})


def event(op="c", **row):
    return json.dumps({"op": op, "after": row or None, "source": {"name": "shop", "n": 1}})


def raw(folder, *files):
    """A raw table with a file each of some values; the oldest change is in the last file."""
    catalog = small_lake(folder, {})
    table = None
    for age, values in enumerate(files):
        times = pa.array([100 - age] * len(values), pa.timestamp("us", "UTC"))
        offsets = pa.array(range(len(values)), pa.int64())
        rows = pa.table({"value": pa.array(values), "_src_ts": times, "_kfk_offset": offsets})
        if table is None:
            table = catalog.create_table_if_not_exists("raw.shop__t", schema=rows.schema)
        table.append(rows)
    return table


@pytest.fixture
def folder(tmp_path):
    small_lake(tmp_path, {}).create_namespace("raw")
    return tmp_path


def test_columns_that_an_old_event_lacks(folder):
    table = raw(folder, [event(id=1, n=1, name="x")], [None, event("d"), event(id=1)])
    assert lacking(table, {"id", "n", "name"}) == {"n", "name"}
    assert lacking(table, set()) == set()


def test_the_oldest_events_are_looked_at_first(folder, monkeypatch):
    monkeypatch.setattr(column_defaults, "OLDEST", 1)
    assert lacking(raw(folder, [event(id=1, n=1)], [event(id=1)]), {"n"}) == {"n"}


def test_a_default_is_taken_where_the_column_came_later(folder):
    """B2: PostgreSQL knows what rows got; of others the default of now, if an event lacks it."""
    columns = [
        DatabaseColumn("id", "int", is_computed=True),
        DatabaseColumn("n", "int", "5"),
        DatabaseColumn("here", "int", "7"),
        DatabaseColumn("code", "uuid", is_computed=True),
        DatabaseColumn("plain", "int"),
        DatabaseColumn("exact", "int", came_with="9"),
    ]
    found = came_with(raw(folder, [event(id=1, here=1)]), columns)
    assert found == {"n": "5", "code": None, "exact": "9"}


@pytest.mark.parametrize(
    ("data_type", "text", "settings", "is_said"),
    [
        ("int", "5", MARIADB, True),
        ("bit(3)", "b'101'", MARIADB, True),
        ("int", "five", MARIADB, False),
        ("varchar(9)", "{{ x }}", MARIADB, False),
        ("varchar(9)", "uuid()", MARIADB, False),
        ("timestamp", "2026-01-01 00:00:00", MARIADB, False),
        ("timestamp with time zone", "2026-01-01 00:00:00.5+00", POSTGRESQL, True),
        ("geometry", "x", POSTGRESQL, False),
        (None, "5", MARIADB, False),
    ],
)
def test_what_can_stand_in_yaml(data_type, text, settings, is_said):
    column = {"name": "n", "data_type": data_type, "config": {"meta": {"renamed_from": "m"}}}
    found = with_default(column, {"n": text}, *settings)
    default = {"default": text} if is_said else {}
    assert found["config"]["meta"] == {"renamed_from": "m", **default}


@pytest.mark.parametrize("said", ["4", None])
def test_what_yaml_says_stays(said):
    column = {"name": "n", "data_type": "int", "config": {"meta": {"default": said}}}
    assert with_default(column, {"n": "5"}, *MARIADB) == column


@pytest.mark.parametrize(
    ("text", "extra", "is_mariadb", "literal"),
    [
        ("'it''s \\\\ \\n'", "", True, "it's \\ \n"),
        ("'NULL'", "", True, "NULL"),
        ("NULL", "", True, None),
        ("current_timestamp()", "", True, None),
        ("-1.50", "", True, "-1.50"),
        ("it's", "", False, "it's"),
        ("CURRENT_TIMESTAMP", "DEFAULT_GENERATED", False, None),
        (None, "", False, None),
    ],
)
def test_literals_of_mysql_and_mariadb(text, extra, is_mariadb, literal):
    assert mysql_literal(text, extra, is_mariadb) == literal
