"""raw.schema_history: each version of the sources' schemas once, however it is delivered.

Cases 54-58, 60, 61 (what a source tells of them), 65.
"""

import json
import random
from typing import Any

import pytest

from lakemirror.landing import schema_history
from support.deaths import DeathError
from support.lake import Lake, messages
from support.recordings import demo_lines, read, record, write
from support.source_state import FIXTURES, fixture_lines

LAND = ("run", "--select", "landing")
MARIADB = FIXTURES / "mariadb/plain.jsonl.gz"


def history(lake: Lake) -> list[dict[str, Any]]:
    return lake.catalog.load_table("raw.schema_history").scan().to_arrow().to_pylist()


def versions(lake: Lake, raw_table: str, origin: str = "schema_change") -> list[dict[str, Any]]:
    """The versions of a table, from the oldest."""
    rows = [r for r in history(lake) if (r["raw_table"], r["origin"]) == (raw_table, origin)]
    return sorted(rows, key=lambda row: (row["last_seen"]["src_ts"], row["last_seen"]["offset"]))


def types(version: dict[str, Any]) -> dict[str, str]:
    return {column["name"]: column["data_type"] for column in version["columns"]}


def contents(lake: Lake, source: str = "shop") -> list[str]:
    """A source's history without the clock and the source's name."""
    names = {*schema_history.COLUMNS} - {"_landed_at", "source"}
    rows = [row for row in history(lake) if row["source"] == source]
    parts = [{name: row[name] for name in names} for row in rows]
    return sorted(repr(sorted(p.items())).replace(f"{source}__", "") for p in parts)


def topic(lines: list[str], *names: str) -> list[str]:
    return [line for line in lines if json.loads(line)["topic"] in names]


def change(offset: int, columns: dict[str, str], **source: Any) -> str:
    """A record of the schema-change topic: the table shop.t has these columns now."""
    given = [{"name": name, "typeExpression": kind} for name, kind in columns.items()]
    table = {"primaryKeyColumnNames": ["id"], "columns": given}
    block = {"name": "shop", "connector": "mariadb", "ts_ms": 1767225600000} | source
    changed = {"type": "ALTER", "id": '"shop"."t"', "table": table}
    return record(offset, json.dumps({"source": block, "tableChanges": [changed]}), topic="shop")


def test_the_newest_version_is_the_table_of_the_source(lake: Lake) -> None:
    """Every table's columns, types and key, as the database's own catalog had them at the end."""
    write(lake.recordings, "a", topic(read(MARIADB), "shop"))
    lake.dbt(*LAND)
    dump = "mariadb/plain.state_final.jsonl.gz"
    for table in (line for line in fixture_lines(dump) if "columns" in line):
        name = table["table"].lower().replace(" ", "_")
        newest = versions(lake, f"shop__{name}")[-1]
        assert newest["table_name"] == ["shop", table["table"]]
        assert newest["key"] == (table["pk"] or {"uniq_only": ["code"]}.get(name, []))
        found = {name: without_defaults(kind) for name, kind in types(newest).items()}
        assert found == {name: without_defaults(kind) for name, kind in table["columns"]}, name


def without_defaults(data_type: str) -> str:
    """An integer's width means nothing, and the binary log's statements do not have it."""
    name, _, rest = data_type.partition("(")
    if name in ("tinyint", "smallint", "mediumint", "int", "bigint", "year"):
        return f"{name}{rest.partition(')')[2]}"
    return data_type


def test_every_statement_is_a_version(lake: Lake) -> None:
    """Cases 54-58: added, widened, dropped, renamed, changed, and there again with another type."""
    write(lake.recordings, "a", topic(read(MARIADB), "shop"))
    lake.dbt(*LAND)
    found = [types(version) for version in versions(lake, "shop__evolve")]
    assert [[*version] for version in found] == [
        ["id", "a", "b", "c"],
        ["id", "a", "b", "c", "d"],
        ["nn", "id", "a", "b", "c", "d"],
        ["nn", "id", "a", "b", "c", "d"],
        ["nn", "id", "a", "b", "d"],
        ["nn", "id", "a", "label", "d"],
        ["nn", "id", "a", "label", "d"],
        ["nn", "id", "c", "a", "label", "d"],
    ]
    assert [found[2]["a"], found[3]["a"], found[6]["d"]] == ["int(11)", "bigint", "decimal(20,4)"]
    [nn] = [c for c in versions(lake, "shop__evolve")[2]["columns"] if c["name"] == "nn"]
    assert (nn["nullable"], nn["default"]) == (False, "new")


def test_landing_again_adds_nothing(lake: Lake) -> None:
    """F05, F32: a rerun, and the same records in another file."""
    lines = topic(read(MARIADB), "shop", "shop.shop.evolve")
    whole = write(lake.recordings, "a", lines)
    lake.dbt(*LAND)
    wanted, commits = contents(lake), lake.snapshots("raw.schema_history")
    assert len(commits) == 1
    lake.dbt(*LAND)
    whole.rename(lake.recordings / "b.jsonl")
    lake.dbt(*LAND)
    assert (contents(lake), lake.snapshots("raw.schema_history")) == (wanted, commits)


def test_the_order_of_delivery_does_not_matter(lake: Lake) -> None:
    """F01, F03: the same history from shuffled slices, of which some are there twice."""
    lines = topic(read(MARIADB), "shop")
    write(lake.recordings, "a", lines)
    lake.dbt(*LAND)
    random.Random(7).shuffle(lines)
    for slice_ in range(3):
        write(lake.recordings, f"{slice_}", lines[slice_::3] + lines[:9])
        lake.dbt(*LAND, "--vars", "{topic_sources: {shop: other}}")
    assert contents(lake, "other") == contents(lake)


def test_a_run_that_dies_before_the_history(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """F32: raw has the records then, and the file is landed once more."""
    write(lake.recordings, "a", topic(read(MARIADB), "shop"))

    def die(*_: Any) -> None:
        raise DeathError

    with monkeypatch.context() as patched:
        patched.setattr(schema_history, "merge", die)
        assert "DeathError" in messages(lake.dbt(*LAND, fails=True))
    assert history(lake) == []
    lake.dbt(*LAND)
    assert len(versions(lake, "shop__evolve")) == 8


def test_a_schema_that_comes_back_is_the_newest(lake: Lake) -> None:
    """A column that was added and dropped again: two versions, and the first was seen last."""
    first, second = {"id": "INT"}, {"id": "INT", "n": "BIGINT"}
    write(lake.recordings, "a", [change(0, first), change(1, second)])
    lake.dbt(*LAND)
    assert types(versions(lake, "shop__t")[-1]) == {"id": "int", "n": "bigint"}
    write(lake.recordings, "b", [change(2, first)])
    lake.dbt(*LAND)
    newest = versions(lake, "shop__t")[-1]
    assert types(newest) == {"id": "int"}
    assert (newest["first_seen"]["offset"], newest["last_seen"]["offset"]) == (0, 2)
    assert len(history(lake)) == 2


def test_a_statement_in_the_second_of_the_snapshot(lake: Lake) -> None:
    """A snapshot's time has milliseconds and a statement's has none: the offset decides."""
    first, second = {"id": "INT"}, {"id": "INT", "n": "BIGINT"}
    millis = 1767225600000
    write(lake.recordings, "a", [change(1, second, ts_ms=millis)])
    lake.dbt(*LAND)
    write(lake.recordings, "b", [change(0, first, ts_ms=millis + 32)])
    lake.dbt(*LAND)
    assert types(versions(lake, "shop__t")[-1]) == {"id": "int", "n": "bigint"}


def test_connect_schemas(lake: Lake) -> None:
    """The distinct schemas of a topic's records, with the key's; and what PostgreSQL names."""
    tables = ("order_lines", "no_pk", "trunc_me", "odd_Names", "evolve")
    topics = ("pg.transaction", "pg.message", *(f"pg.public.{table}" for table in tables))
    write(lake.recordings, "a", topic(read(FIXTURES / "postgres/schemas.jsonl.gz"), *topics))
    lake.dbt(*LAND)
    rows = history(lake)
    assert {row["origin"] for row in rows} == {"connect_schema"}
    assert {row["raw_table"] for row in rows} == {f"public__{table.lower()}" for table in tables}
    keys = {row["raw_table"]: row["key"] for row in rows}
    assert keys["public__order_lines"] == ["order_id", "line_no"]
    assert keys["public__no_pk"] == []
    assert keys["public__trunc_me"] == ["id"]
    [odd] = versions(lake, "public__odd_names", "connect_schema")
    assert odd["table_name"] == ["shop", "public", "odd Names"]
    evolved = versions(lake, "public__evolve", "connect_schema")
    assert [c["name"] for c in evolved[0]["columns"]] == ["id", "a", "b", "c"]
    assert [c["name"] for c in evolved[-1]["columns"]] == ["id", "a", "label", "d", "nn", "c"]
    d = evolved[-1]["columns"][3]
    assert json.loads(d["connect"])["parameters"] == {
        "scale": "4",
        "connect.decimal.precision": "20",
    }
    assert (d["data_type"], d["nullable"]) == (None, True)


def test_vitess_tells_a_statement_and_no_columns(lake: Lake) -> None:
    write(lake.recordings, "a", demo_lines("commerce", "vt"))
    lake.dbt(*LAND)
    [row] = history(lake)
    assert (row["raw_table"], row["origin"]) == ("commerce__messages", "vitess_ddl")
    assert (row["table_name"], row["columns"]) == (["commerce", "messages"], [])
    assert "alter table messages add column reactions json" in row["note"]


def test_what_is_no_schema_change_tells_nothing(lake: Lake) -> None:
    """F13: on a schema-change topic, and with something like a Connect schema; all of it lands."""
    odd = [
        None,
        "[]",
        "{}",
        "no JSON",
        '{"payload": 7}',
        '{"schema": 7, "payload": 7}',
        '{"source": {"name": "shop"}, "tableChanges": [{"id": 1, "table": {"columns": {}}}]}',
        '{"source": {"name": 7}, "tableChanges": 8}',
        '{"schema":{"fields":[{"field":"after"},{"field":"op"},{"field":"source"}]},"payload":{"source":{}}}',
        '{"schema":7,"payload":{"source":{}}}',
    ]
    lines = [
        record(n, text, topic=t) for t in ("shop", "shop.shop.t") for n, text in enumerate(odd)
    ]
    write(lake.recordings, "a", lines)
    lake.dbt(*LAND)
    tables = {name for _, name in lake.catalog.list_tables("raw")}
    assert tables == {"shop__connector_schema_change", "shop__t"}


def test_records_without_schemas_make_no_history(lake: Lake) -> None:
    write(lake.recordings, "a", demo_lines("shop", "shop.shop.products"))
    lake.dbt(*LAND)
    assert {name for _, name in lake.catalog.list_tables("raw")} == {"shop__products"}
