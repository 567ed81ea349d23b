"""A source that the project does not know: one command writes its models, and they are exact.

The command runs as its users run it, in a copy of the project; I1; cases 36, 65.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from pyiceberg.expressions import EqualTo

from support.depth import deep_only
from support.lake import PROJECT, Lake
from support.postgres_state import postgres_value
from support.recorded_types import MARIADB_ADJUSTED, MARIADB_SENT, STRINGS
from support.recordings import write
from support.source_state import (
    COMMERCE_KEYS,
    COMMERCE_TYPES,
    FIXTURES,
    Rows,
    assert_same,
    differences,
    fixture_lines,
    key_of,
    lake_rows,
    source_value,
)

pytestmark = pytest.mark.compiled

SCRIPT = Path(sys.executable).with_name("lakemirror")
SQLFLUFF = Path(sys.executable).with_name("sqlfluff")
COPIED = ("models", "seeds", "snapshots", "lint")
# as if heartbeats had been heard from before the recording until after its day
WATERMARKS = """
select
    '{source}' as source_name,
    '' as shard,
    timestamp '2026-11-20 00:00:00' as heard_from,
    timestamp '2026-11-22 12:00:00' as heard_until,
    timestamp '2026-11-22 12:00:00' as complete_until,
    'heartbeats' as proof
"""


class Copy:
    """A copy of the project, with a source more."""

    def __init__(self, lake: Lake, source: str, connector: str, prefix: str = "shop") -> None:
        self.lake, self.source, self.connector = lake, source, connector
        self.folder, self.heard = lake.folder / "project", []
        for path in COPIED:
            shutil.copytree(PROJECT / path, self.folder / path)
        shutil.copy(PROJECT / ".sqlfluff", self.folder)
        text = (PROJECT / "dbt_project.yml").read_text(encoding="utf-8")
        prefixes = {"vt": "commerce", prefix: source}
        own = "".join(f"    {topics}: {name}\n" for topics, name in prefixes.items())
        text = text.replace("    vt: commerce\n", own)
        (self.folder / "dbt_project.yml").write_text(text, encoding="utf-8")

    def dbt(self, *arguments: str) -> Any:
        return self.lake.dbt(*arguments, "--project-dir", str(self.folder))

    def land(self, *recordings: str) -> None:
        for recording in recordings:
            shutil.copy(FIXTURES / recording, self.lake.recordings)
        self.dbt("run", "--select", "landing")

    def generate(self, *arguments: str) -> tuple[int, str]:
        """What the command returns and says."""
        names = ["--source", self.source, "--connector", self.connector]
        command = [SCRIPT, "generate", *names, *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    def hear(self) -> None:
        file = self.folder / "models/ops/watermarks.sql"
        file.write_text(WATERMARKS.format(source=self.source), encoding="utf-8")
        self.heard = ["watermarks"]

    def build(self) -> None:
        """Parse without a warning, lint, build with all tests."""
        self.dbt("--warn-error", "parse", "--no-partial-parse")
        layers = [
            f"models/{layer}/{self.source}"
            for layer in ("staging", "mirror", "daily")
            if (self.folder / "models" / layer / self.source).exists()
        ]
        lint = [SQLFLUFF, "lint", "--processes", "1", *layers]
        linted = subprocess.run(lint, cwd=self.folder, capture_output=True, text=True)
        assert linted.returncode == 0, linted.stdout
        self.dbt("build", "--select", *(f"path:{layer}" for layer in layers), *self.heard)

    def files(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.folder)): path.read_text(encoding="utf-8")
            for path in sorted((self.folder / "models").rglob("*.*"))
        }


def state(dump: str, table: str, value_of: Any) -> tuple[list[str], Rows]:
    """A table's key and its rows, by the types and the key that the database itself gives."""
    found = [n for n in fixture_lines(dump) if n["table"].lower().replace(" ", "_") == table]
    head, *lines = found
    types, rows = dict(head["columns"]), {}
    for line in lines:
        row = {name: value_of(types[name], text) for name, text in line["row"].items()}
        rows[key_of(row, head["pk"])] = row
    assert rows, f"the oracle must have rows of {table}"
    return head["pk"], rows


def assert_exact(project: Copy, dump: str, value_of: Any, tables: set[str], sent: Any) -> None:
    """Mirrors, and daily tables where there are some, are the database's final state."""
    layers = {"mirror": None, "daily": EqualTo("ds", "2026-11-21")}
    for table in tables:
        key, rows = state(dump, table, value_of)
        for at, cells in sent.get(table, {}).items():
            rows[(at,)] |= cells
        for layer, day in layers.items():
            if (project.folder / "models" / layer / project.source).exists():
                relation = f"{layer}.{project.source}__{table}"
                actual = lake_rows(project.lake.catalog, relation, key, day)
                assert_same(relation, differences(rows, actual))


TABLES = {"t_int", "t_num", "t_str", "t_bin", "t_time", "customers", "order_lines", "stock"}
TABLES |= {"odd_names"}


@pytest.mark.parametrize(
    ("recording", "tables", "settings", "sent"),
    [
        ("plain", TABLES, {}, MARIADB_ADJUSTED),
        pytest.param(*("schemas", {"t_num", "order_lines"}, {}, MARIADB_ADJUSTED), marks=deep_only),
        ("strings", {"t_num", "t_int", "t_bin", "t_time"}, STRINGS, MARIADB_SENT),
    ],
)
def test_mariadb(
    lake: Lake, recording: str, tables: set[str], settings: dict[str, str], sent: dict[str, Any]
) -> None:
    """Nothing but the command and a watermark; what has no mirror is named, and why."""
    project = Copy(lake, "cafe", "mariadb")
    project.land(f"mariadb/{recording}.jsonl.gz")
    project.hear()
    before = project.files()
    include = ["--include", *tables, "no_pk", "t_z*", "--exclude", "t_zero"]
    include += [f"--setting={name}={value}" for name, value in settings.items()]
    code, shown = project.generate(*include, "--dry-run")
    assert code == 0
    assert project.files() == before
    code, said = project.generate(*include)
    assert code == 0, said
    made = project.files()
    assert {path: made[path] for path in before} == before
    added = [path for path in made if path not in before]
    assert len(added) == 4 + 3 * len(tables)
    assert [path for path in added if f"+++ b/{path}\n" not in shown] == []
    assert "no mirror of no_pk: it has no key. Set message.key.columns" in said
    assert "materialized='log'" in said
    assert "t_num.d65 is text in the lake" in said
    assert "t_num.d10 is text" not in said
    project.build()
    dump = f"mariadb/{recording}.state_final.jsonl.gz"
    assert_exact(project, dump, source_value, tables, sent)
    code, said = project.generate(*include)
    assert (code, [line for line in said.splitlines() if "wrote" in line]) == (0, [])


def test_postgresql_by_its_connect_schemas(lake: Lake) -> None:
    """Without a watermark there are no daily models, and the command says what they need."""
    project = Copy(lake, "public", "postgresql")
    project.land("postgres/schemas.jsonl.gz")
    tables = TABLES & {"customers", "order_lines", "stock", "odd_names"}
    code, said = project.generate("--include", *tables, "no_pk", "t_str")
    assert code == 0, said
    assert "no daily models: models/ops/watermarks.sql has no row for public" in said
    assert "no mirror of no_pk: it has no key" in said
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
    project.land("postgres/plain.jsonl.gz")
    before = project.files()
    code, said = project.generate("--include", "stock")
    assert (code, project.files()) == (1, before)
    assert "no mirror of stock: has no columns: none is declared, and raw.schema_history" in said
    columns = {"wh": "char(3)", "sku": "varchar(20)", "qty": "integer"}
    file = declare(project, "stock", columns)
    text = file.read_text(encoding="utf-8")
    code, said = project.generate("--include", "stock")
    assert code == 0, said
    assert file.read_text(encoding="utf-8") == text
    project.build()
    dump = "postgres/plain.state_final.jsonl.gz"
    assert_exact(project, dump, postgres_value, {"stock"}, {})


def test_vitess_by_its_connect_schemas(lake: Lake) -> None:
    """What a Connect schema does not tell is declared, and stays: a decimal, an unsigned bigint."""
    project = Copy(lake, "small", "vitess", prefix="vt")
    project.land("vitess/small_schemas.jsonl.gz")
    types = {"balance": "decimal(12,2)", "points": "bigint unsigned"}
    declare(project, "users", types)
    code, said = project.generate("--include", "users", "messages", "audit_log", "--force")
    assert code == 0, said
    assert "no mirror of audit_log: it has no key" in said
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
    """Names and settings that there are not, and a source that has not landed."""
    project = Copy(lake, "cafe", "mariadb")
    lake_is_needed = project.generate()
    assert lake_is_needed[0] == 2
    assert "There is no lake" in lake_is_needed[1]
    project.land()
    before = project.files()
    for arguments, problem in [
        (["--source", "../x"], "'../x' is not the name of a source"),
        (["--setting", "decimal.handling.mode=exact"], "decimal.handling.mode is exact, and can"),
        ([], "raw has no table of the source cafe. Land its topics first"),
    ]:
        code, said = project.generate(*arguments)
        assert (code, problem in said, "Nothing was written" in said) == (1, True, True), said
    assert project.files() == before
