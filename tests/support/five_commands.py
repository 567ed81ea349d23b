"""A recording in a project of its own, by the commands that a user types, and what comes of it."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from support.commands import users_environment
from support.generated import state
from support.postgres_state import postgres_value
from support.recorded_types import MARIADB_ADJUSTED, MARIADB_SENT, POSTGRES_SENT
from support.source_state import (
    FIXTURES,
    assert_same,
    differences,
    fixture_lines,
    lake_rows,
    source_value,
)

BIN = Path(sys.executable).parent
# by recording: its source, the oracle of its database's texts, and what its connector has changed
RECORDED: dict[str, tuple[str, Callable[..., Any], Mapping[str, Any]]] = {
    "mariadb/plain": ("shop", source_value, MARIADB_ADJUSTED),
    "mariadb/schemas": ("shop", source_value, MARIADB_ADJUSTED),
    "mariadb/strings": ("shop", source_value, MARIADB_SENT),
    "mariadb/large_restart": ("shop", source_value, {}),
    "postgres/schemas": ("public", postgres_value, POSTGRES_SENT),
}
# what the source's state has and no event tells (README of the recordings), and what says so
APART = {
    "fk_child": "InnoDB deletes by a foreign key what no event tells",
    "t_defaults": "the converter puts defaults in the place of nulls",
    "evolve": "the same, in the column d",
    "aria_renamed": "its rows of before came under its former name: a warning",
    "trunc_renamed": "the same, and nothing tells it",
    "uniq_only": "its records have no key: quarantined, with a warning",
    "no_pk": "no key: a log",
    "ctas": "no key: a log",
    "t_arr": "the connector sends nothing of the inside of arrays of arrays",
    "t_toast": "a large value that nobody has told is null, and named in _unsent",
    "t_special": "what is infinite is in the quarantine (test_recorded_types.py)",
    "t_time": "its intervals have no Python value (test_recorded_types.py has the rest)",
    "gen": "PostgreSQL sends what it generates in snapshots alone",
}
# what gets no model, and lets `lakemirror generate` end with 1
REFUSED = {
    "postgres/schemas": {
        "t_num": "the connector sends a negative scale wrong",
        "t_str": "its Connect schema does not tell bit from bit varying",
    }
}
LANDED = ("dbt", "run", "--select", "landing")


class OwnProject:
    """A project in a folder, whose commands have no variable of ours but ``environment``."""

    def __init__(
        self, folder: Path, environment: Mapping[str, str] | None = None, *given: str
    ) -> None:
        """
        Args:
            given: options of `lakemirror init` beside the recordings.
        """
        self.made_in, self.folder = folder, folder / "shopproject"
        self.environment, self.given = environment or {}, given

    def run(self, *command: str, code: int = 0, folder: Path | None = None) -> str:
        """What a command says."""
        known = users_environment()
        known |= {**self.environment, "PATH": f"{BIN}{os.pathsep}{known['PATH']}"}
        where = folder or self.folder
        done = subprocess.run(command, cwd=where, env=known, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout + done.stderr

    def land(self, recording: str) -> None:
        shutil.copy(FIXTURES / f"{recording}.jsonl.gz", self.made_in / "records.jsonl.gz")
        recordings = ("--recordings", "records.jsonl.gz", *self.given)
        self.run("lakemirror", "init", "shopproject", *recordings, folder=self.made_in)
        self.run(*LANDED)

    def build(self, recording: str) -> None:
        (source, *_), refused = RECORDED[recording], REFUSED.get(recording, {})
        said = self.run("lakemirror", "generate", "--source", source, code=int(bool(refused)))
        assert all(f"no mirror of {table}: " in said for table in refused)
        assert all(why in said for why in refused.values())
        assert "ERROR=0" in self.run("dbt", "--no-use-colors", "build")

    def assert_mirrors(self, catalog: Any, recording: str) -> None:
        """Each mirror has the source's final state, and the status has each."""
        source, value_of, sent = RECORDED[recording]
        there = {name for _, name in catalog.list_tables("mirror")}
        dump = f"{recording}.state_final.jsonl.gz"
        compared = set()
        for head in (line for line in fixture_lines(dump) if "pk" in line):
            table = head["table"].lower().replace(" ", "_")
            if table in APART or table in REFUSED.get(recording, {}):
                continue
            assert f"{source}__{table}" in there
            key, rows = state(dump, table, value_of) if head["rows"] else (head["pk"], {})
            for at, cells in sent.get(table, {}).items():
                rows[(at,)] |= cells
            found = lake_rows(catalog, f"mirror.{source}__{table}", key)
            assert_same(table, differences(rows, found))
            compared.add(table)
        assert len(compared) >= 3
        shown = self.run("lakemirror", "status")
        assert [table for table in compared if f"mirror.{source}__{table}" not in shown] == []
