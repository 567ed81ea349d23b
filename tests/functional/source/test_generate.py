"""A source that the project does not know: one command writes its models, and they are exact.

The command runs as its users run it, in a copy of the project; I1; cases 36, 65.
"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from lakemirror.cli.templates import watermark_path
from support.depth import compiled_when_deep, deep_only, whole_only
from support.generated import Copy, assert_exact
from support.lake import Lake
from support.postgres_state import postgres_value
from support.recorded_types import MARIADB_ADJUSTED, MARIADB_SENT
from support.recordings import write
from support.source_state import (
    COMMERCE_KEYS,
    COMMERCE_TYPES,
    assert_same,
    differences,
    fixture_lines,
    key_of,
    lake_rows,
    source_value,
)

pytestmark = compiled_when_deep

TABLES = {"t_int", "t_num", "t_str", "t_bin", "t_time", "customers", "order_lines", "stock"}
TABLES |= {"odd_names"}
PLAIN = [
    "decimal.handling.mode=precise: from cafe.",
    "time.precision.mode=adaptive_time_microseconds: from cafe.",
    "bigint.unsigned.handling.mode=long: from cafe.t_int.biu, ",
]
STRINGS = [
    "decimal.handling.mode=string: from cafe.t_num.",
    "bigint.unsigned.handling.mode=precise: from cafe.t_int.biu, ",
    "binary.handling.mode=hex: from cafe.t_bin.",
]


@pytest.mark.parametrize(
    ("recording", "tables", "told", "sent"),
    [
        pytest.param("plain", TABLES, PLAIN, MARIADB_ADJUSTED, marks=whole_only),
        pytest.param(
            *("schemas", {"t_num", "order_lines"}, PLAIN[:1], MARIADB_ADJUSTED), marks=deep_only
        ),
        pytest.param(
            *("strings", {"t_num", "t_int", "t_bin", "t_time"}, STRINGS, MARIADB_SENT),
            marks=deep_only,
        ),
    ],
)
def test_mariadb(
    lake: Lake, recording: str, tables: set[str], told: list[str], sent: dict[str, Any]
) -> None:
    """H5: nothing but the command and a watermark: the events say how their connector is set.

    What has no mirror is named, and why.
    """
    project = Copy(lake, "cafe", "mariadb")
    project.land(f"mariadb/{recording}.jsonl.gz")
    project.hear()
    before = project.files()
    include = ["--include", *tables, "no_pk", "t_z*", "--exclude", "t_zero"]
    code, shown = project.generate(*include, "--dry-run")
    assert code == 0, shown
    assert project.files() == before
    code, said = project.generate(*include)
    assert code == 0, said
    assert "connector=mariadb" in said
    assert [line for line in told if line not in said] == []
    made = project.files()
    assert {path: made[path] for path in before} == before
    added = [path for path in made if path not in before]
    assert len(added) == 5 + 3 * len(tables) + 3
    assert [path for path in added if f"+++ b/{path}\n" not in shown] == []
    assert "no_pk has no key: log.cafe__no_pk keeps its changes." in said
    assert "set message.key.columns at the connector" in said
    assert "t_num.d65 is text in the lake" in said
    assert "t_num.d10 is text" not in said
    project.build()
    dump = f"mariadb/{recording}.state_final.jsonl.gz"
    assert_exact(project, dump, source_value, tables, sent)
    assert len(lake.catalog.load_table("log.cafe__no_pk").scan().to_arrow())
    code, said = project.generate(*include)
    kept = [line for line in said.splitlines() if line.startswith("kept")]
    assert (code, "wrote" in said, len(kept)) == (0, False, 1), said
    assert "watermark_cafe.sql, which is not as it would be written" in kept[0]


@deep_only
def test_postgresql_by_its_connect_schemas(lake: Lake) -> None:
    """Without heartbeats its days are complete by the newest event, and the command says so."""
    project = Copy(lake, "public", "postgresql")
    tables = TABLES & {"customers", "order_lines", "stock", "odd_names"}
    project.land("postgres/schemas.jsonl.gz", tables={*tables, "no_pk", "t_str"})
    code, said = project.generate("--include", *tables, "no_pk", "t_str")
    assert code == 1, said  # t_str gets no mirror
    assert "no table of heartbeats: days are complete by the newest event of" in said
    watermark = (project.folder / watermark_path("public")).read_text(encoding="utf-8")
    assert "'newest event' as proof" in watermark
    project.hear()
    assert "no_pk has no key: log.public__no_pk keeps its changes." in said
    assert "column bt10: its Connect schema does not tell bit from bit varying" in said
    project.build()
    dump = "postgres/schemas.state_final.jsonl.gz"
    assert_exact(project, dump, postgres_value, tables, {})


def declare(project: Copy, table: str, columns: dict[str, str]) -> Path:
    """The source's YAML by hand, with the types of some columns of a table."""
    source = project.source
    types = [{"name": name, "data_type": kind} for name, kind in columns.items()]
    declared = {
        "name": source,
        "description": "By hand.",
        "schema": "raw",
        "config": {"meta": {"debezium": {"connector": project.connector}}},
        "tables": [{"name": table, "identifier": f"{source}__{table}", "columns": types}],
    }
    file = project.folder / f"models/staging/{source}/_{source}__sources.yml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"sources": [declared]}), encoding="utf-8")
    return file


def test_postgresql_without_schemas(lake: Lake) -> None:
    """The types are declared by hand, and the keys are those of the records."""
    project = Copy(lake, "public", "postgresql")
    project.land("postgres/plain.jsonl.gz", tables={"stock", "customers"})
    before = project.files()
    code, said = project.generate("--include", "stock")
    assert (code, project.files()) == (1, before)
    assert "no mirror of stock: has no columns: none is declared, and the schema_history" in said
    columns = {"wh": "char(3)", "sku": "varchar(20)", "qty": "integer"}
    file = declare(project, "stock", columns)
    text = file.read_text(encoding="utf-8")
    code, said = project.generate("--include", "stock")
    assert code == 0, said
    assert file.read_text(encoding="utf-8") == text
    project.hear()
    project.build()
    dump = "postgres/plain.state_final.jsonl.gz"
    assert_exact(project, dump, postgres_value, {"stock"}, {})


@whole_only
def test_vitess_by_its_connect_schemas(lake: Lake) -> None:
    """What a Connect schema does not tell is declared, and stays: a decimal, an unsigned bigint."""
    project = Copy(lake, "small", "vitess", prefix="vt")
    project.land("vitess/small_schemas.jsonl.gz")
    types = {"balance": "decimal(12,2)", "points": "bigint unsigned"}
    declare(project, "users", types)
    code, said = project.generate("--include", "users", "messages", "audit_log", "--force")
    assert code == 0, said
    assert "audit_log has no key: log.small__audit_log keeps its changes." in said
    project.hear()
    project.build()
    for table in ("users", "messages"):
        rows = {}
        for line in fixture_lines("vitess/small.expected_final.jsonl.gz"):
            if line["table"] == table:
                kinds = COMMERCE_TYPES[table]
                cells = [(name, text) for name, text in line["row"].items() if name in kinds]
                row = {name: source_value(kinds[name], text) for name, text in cells}
                rows[key_of(row, COMMERCE_KEYS[table])] = row
        assert rows
        found = lake_rows(lake.catalog, f"mirror.small__{table}", COMMERCE_KEYS[table])
        assert_same(table, differences(rows, found))


HOSTILE = "a`; drop table raw.cafe__t; -- '}"


def hostile_records() -> list[str]:
    source = {"name": "shop", "connector": "mariadb", "db": "shop", "table": "t", "server_id": 1}
    columns = [
        {"name": HOSTILE, "typeExpression": "INT", "optional": False, "comment": "{{ 1 / 0 }}"},
        {"name": "order", "typeExpression": "VARCHAR", "length": 9, "optional": True},
    ]
    table = {"primaryKeyColumnNames": [HOSTILE], "columns": columns, "comment": "'\"{% raw %}"}
    change = {"type": "CREATE", "id": '"shop"."t"', "table": table}
    events = [("shop", {"source": source | {"ts_ms": 1}, "tableChanges": [change]})]
    for n, value in enumerate(["a'`", "b"]):
        block = source | {"ts_ms": 1795257513000, "file": "binlog.1", "pos": 9 + n, "row": 0}
        row = {HOSTILE: n, "order": value}
        events.append(("shop.shop.t", {"op": "c", "after": row, "before": None, "source": block}))
    places = [{"topic": topic, "partition": 0, "offset": n} for n, (topic, _) in enumerate(events)]
    return [
        json.dumps(place | {"timestamp": 0, "key": "{}", "value": json.dumps(event)})
        for place, (_, event) in zip(places, events, strict=True)
    ]


def test_hostile_names_do_no_harm(lake: Lake) -> None:
    """Case 65: a key, a reserved word and comments that would be SQL, Jinja and YAML."""
    project = Copy(lake, "cafe", "mariadb")
    write(lake.recordings, "a", hostile_records())
    project.land()
    project.hear()
    code, said = project.generate()
    assert code == 0, said
    project.build()
    for relation in ("raw.cafe__t", "mirror.cafe__t", "daily.cafe__t"):
        assert lake.catalog.load_table(relation).scan().count() >= 2
    rows = lake_rows(lake.catalog, "mirror.cafe__t", [HOSTILE])
    assert rows == {(n,): {HOSTILE: n, "order": v} for n, v in enumerate(["a'`", "b"])}
    file = project.folder / "models/mirror/cafe/_cafe__mirrors.yml"
    [model] = yaml.safe_load(file.read_text(encoding="utf-8"))["models"]
    assert model["columns"][0]["description"] == "The primary key. { { 1 / 0 }}"


def test_what_is_refused(lake: Lake) -> None:
    """H10: names, patterns and settings that there are not, and a source that has not landed."""
    project = Copy(lake, "cafe", "mariadb")
    lake_is_needed = project.generate()
    assert lake_is_needed[0] == 2
    assert "There is no lake" in lake_is_needed[1]
    project.land("mariadb/strings.jsonl.gz", tables={"stock", "t_num"})
    before = project.files()
    for arguments, expected, problem in [
        (["--source", "../x"], 2, "'../x' is not the name of a source"),
        (["--source", "bar"], 2, "raw has no table of the source bar. Land its topics first"),
        (
            ["--setting", "decimal.handling.mode=exact"],
            2,
            "decimal.handling.mode is exact, and can",
        ),
        (["--connector", "mysql"], 2, "given as mysql, and the events of raw.cafe__"),
        (["--include", "stok*"], 2, "--include stok* matches no table of the source cafe"),
        (["--exclude", "stok"], 2, "did you mean stock?"),
        (
            ["--setting", "decimal.handling.mode=double"],
            *(2, "decimal.handling.mode is given as double, and the events show string: cafe."),
        ),
        (["--database-env", "NOT_THERE"], 2, "has no NOT_THERE"),
    ]:
        code, said = project.generate(*arguments)
        assert (code, problem in said, "Nothing was written" in said) == (expected, True, True), (
            said
        )
    assert project.files() == before


def test_what_is_declared_and_is_not_what_the_events_show(lake: Lake) -> None:
    """G2: the command refuses it, and the doctor names the column and a value."""
    project = Copy(lake, "cafe", "mariadb")
    project.land("mariadb/strings.jsonl.gz", tables={"t_bin", "t_int"})
    code, said = project.generate("--include", "t_bin", "t_int")
    assert code == 0, said
    shown = (
        "source cafe: binary.handling.mode is given as bytes, and the events show hex: cafe.t_bin."
    )
    assert " is given as " not in project.run("doctor")[1]
    file = project.folder / "models/staging/cafe/_cafe__sources.yml"
    text = file.read_text(encoding="utf-8")
    other = text.replace("binary.handling.mode: hex", "binary.handling.mode: bytes")
    assert other != text
    file.write_text(other, encoding="utf-8")
    code, said = project.run("doctor")
    assert (code, f"error    {shown}" in said) == (1, True), said
    code, said = project.generate()
    assert (code, "is given as bytes, and the events show hex" in said) == (1, True), said
