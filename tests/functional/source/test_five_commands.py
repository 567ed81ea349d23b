"""The first hour to the letter, over each recording: five commands, and no other argument.

In an empty folder, as a user types them: `lakemirror init`, `dbt run --select landing`,
`lakemirror generate`, `dbt build`, `lakemirror status`. The mirrors are the source's
own final state, or the command refuses and says what mends it. test_wheel has the demo's recording
with the wheel alone. H1, H2, H4, H5; I1.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lakemirror.lake import pyiceberg_catalog
from support.depth import deep_only
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

pytestmark = [pytest.mark.compiled, deep_only]

BIN = Path(sys.executable).parent
OURS = re.compile("PYTHONPATH|VIRTUAL_ENV|DBT_.*|LAKEMIRROR_.*")
# what the source's state has and no event tells (README of the recordings), and what says so
APART = {
    "fk_child": "InnoDB deletes by a foreign key what no event tells",
    "t_defaults": "the converter puts defaults in the place of nulls",
    "evolve": "the same, in the column d",
    "aria_renamed": "its rows of before came under its former name: a warning",
    "uniq_only": "its records have no key: quarantined, with a warning",
    "no_pk": "no key: a log",
    "ctas": "no key: a log",
    "t_arr": "the connector sends nothing of the inside of arrays of arrays",
    "t_special": "what is infinite is in the quarantine (test_recorded_types.py)",
    "t_time": "its intervals have no Python value (test_recorded_types.py has the rest)",
    "gen": "PostgreSQL sends what it generates in snapshots alone",
}
# what gets no model, and lets the command end with 1
REFUSED = {
    "postgres/schemas": {
        "t_num": "the connector sends a negative scale wrong",
        "t_str": "its Connect schema does not tell bit from bit varying",
    }
}
LANDED = ("dbt", "run", "--select", "landing")


def run(folder: Path, *command: str, code: int = 0) -> str:
    """What a command says that is run in a folder, with no variable of ours in its environment."""
    known = {name: value for name, value in os.environ.items() if not OURS.match(name)}
    known["PATH"] = f"{BIN}{os.pathsep}{known['PATH']}"
    done = subprocess.run(command, cwd=folder, env=known, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def landed(folder: Path, recording: str) -> Path:
    """A project of a recording's records, and nothing else done."""
    shutil.copy(FIXTURES / f"{recording}.jsonl.gz", folder / "records.jsonl.gz")
    run(folder, "lakemirror", "init", "shopproject", "--recordings", "records.jsonl.gz")
    run(folder / "shopproject", *LANDED)
    return folder / "shopproject"


@pytest.mark.parametrize(
    ("recording", "source", "value_of", "sent"),
    [
        ("mariadb/plain", "shop", source_value, MARIADB_ADJUSTED),
        ("mariadb/schemas", "shop", source_value, MARIADB_ADJUSTED),
        ("mariadb/strings", "shop", source_value, MARIADB_SENT),
        ("mariadb/large_restart", "shop", source_value, {}),
        ("postgres/schemas", "public", postgres_value, POSTGRES_SENT),
    ],
)
def test_a_recording(
    tmp_path: Path,
    recording: str,
    source: str,
    value_of: Callable[..., Any],
    sent: Mapping[str, Any],
) -> None:
    project = landed(tmp_path, recording)
    refused = REFUSED.get(recording, {})
    said = run(project, "lakemirror", "generate", "--source", source, code=int(bool(refused)))
    assert all(f"no mirror of {table}: " in said for table in refused)
    assert all(why in said for why in refused.values())
    said = run(project, "dbt", "--no-use-colors", "build")
    assert "ERROR=0" in said
    catalog = pyiceberg_catalog(project / "lake")
    there = {name for _, name in catalog.list_tables("mirror")}
    dump = f"{recording}.state_final.jsonl.gz"
    compared = set()
    for head in (line for line in fixture_lines(dump) if "pk" in line):
        table = head["table"].lower().replace(" ", "_")
        if table in APART or table in refused:
            continue
        assert f"{source}__{table}" in there
        key, rows = state(dump, table, value_of) if head["rows"] else (head["pk"], {})
        for at, cells in sent.get(table, {}).items():
            rows[(at,)] |= cells
        found = lake_rows(catalog, f"mirror.{source}__{table}", key)
        assert_same(table, differences(rows, found))
        compared.add(table)
    assert len(compared) >= 3
    shown = run(project, "lakemirror", "status")
    assert [table for table in compared if f"mirror.{source}__{table}" not in shown] == []


@pytest.mark.parametrize("recording", ["vitess/copy", "vitess/traps", "vitess/small_numeric"])
def test_vitess_without_schemas(tmp_path: Path, recording: str) -> None:
    """Neither the events nor a history tell the columns: the command asks for the database."""
    project = landed(tmp_path, recording)
    said = run(project, "lakemirror", "generate", "--source", "commerce", code=1)
    assert "--database-env" in said


def test_postgresql_without_schemas(tmp_path: Path) -> None:
    project = landed(tmp_path, "postgres/plain")
    said = run(project, "lakemirror", "generate", "--source", "public", code=1)
    assert "--database-env" in said
