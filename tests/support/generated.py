"""A copy of the project with a source that it does not know, whose models the command writes."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

from pyiceberg.expressions import EqualTo

from lakemirror.cli.templates import watermark_path
from support.lake import PROJECT, Lake
from support.recordings import read, write
from support.source_state import (
    FIXTURES,
    Rows,
    assert_same,
    differences,
    fixture_lines,
    key_of,
    lake_rows,
)

SCRIPT = Path(sys.executable).with_name("lakemirror")
SQLFLUFF = Path(sys.executable).with_name("sqlfluff")
COPIED = ("models", "seeds", "snapshots", "lint")
# as if heartbeats had been heard from before the recording until after its day
WATERMARK = """\
select
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
        self.folder = lake.folder / "project"
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

    def land(self, *recordings: str, tables: Collection[str] = ()) -> None:
        """Land recordings; of the topics of tables those of ``tables``, where some are named."""
        for recording in recordings:
            lines = read(FIXTURES / recording)
            if tables:
                lines = [line for line in lines if table_of(line) in {None, *tables}]
            write(self.lake.recordings, recording.replace("/", "_"), lines)
        self.dbt("run", "--select", "landing")

    def generate(self, *arguments: str, **environment: str) -> tuple[int, str]:
        """What the command returns and says, with these variables of the environment."""
        names = [] if "--source" in arguments else ["--source", self.source]
        return self.run("generate", *names, *arguments, **environment)

    def run(self, *command: str, **environment: str) -> tuple[int, str]:
        """What a command of the script returns and says."""
        given = {**os.environ, **environment}
        done = subprocess.run(
            [SCRIPT, *command], cwd=self.folder, env=given, capture_output=True, text=True
        )
        return done.returncode, done.stdout + done.stderr

    def hear(self) -> None:
        file = self.folder / watermark_path(self.source)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(WATERMARK, encoding="utf-8")

    def build(self, *tables: str) -> None:
        """Parse without a warning, lint, build with all tests: all tables, or those named."""
        self.dbt("--warn-error", "parse", "--no-partial-parse")
        layers = [
            f"models/{layer}/{self.source}"
            for layer in ("staging", "mirror", "log", "daily", "ops")
            if (self.folder / "models" / layer / self.source).exists()
        ]
        lint = [SQLFLUFF, "lint", "--processes", "1", *layers]
        linted = subprocess.run(lint, cwd=self.folder, capture_output=True, text=True)
        assert linted.returncode == 0, linted.stdout
        built = [f"+daily_{self.source}__{table}" for table in tables]
        self.dbt("build", "--select", *(built or [f"path:{layer}" for layer in layers]))

    def files(self) -> dict[str, str]:
        return {
            str(path.relative_to(self.folder)): path.read_text(encoding="utf-8")
            for path in sorted((self.folder / "models").rglob("*.*"))
        }


def table_of(line: str) -> str | None:
    """The table of a record's topic; None for those of the connector itself."""
    _, dot, table = json.loads(line)["topic"].rpartition(".")
    return table.lower() if dot else None


def state(dump: str, table: str, value_of: Callable[..., Any]) -> tuple[list[str], Rows]:
    """A table's key and its rows, by the types and the key that the database itself gives."""
    found = [n for n in fixture_lines(dump) if n["table"].lower().replace(" ", "_") == table]
    head, *lines = found
    types, rows = dict(head["columns"]), {}
    for line in lines:
        row = {name: value_of(types[name], text) for name, text in line["row"].items()}
        rows[key_of(row, head["pk"])] = row
    assert rows, f"the oracle must have rows of {table}"
    return head["pk"], rows


def assert_exact(project: Copy, dump: str, value_of: Any, tables: Iterable[str], sent: Any) -> None:
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
