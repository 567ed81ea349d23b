"""The first hour to the letter, over each recording: five commands, and no other argument.

In an empty folder, as a user types them: `lakemirror init`, `dbt run --select landing`,
`lakemirror generate`, `dbt build`, `lakemirror status`. The mirrors are the source's
own final state, or the command refuses and says what mends it. test_wheel has the demo's recording
with the wheel alone. H1, H2, H4, H5; I1.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from lakemirror.lake import pyiceberg_catalog
from support.depth import deep_only
from support.five_commands import OwnProject
from support.postgres_state import postgres_value
from support.recorded_types import MARIADB_ADJUSTED, MARIADB_SENT, POSTGRES_SENT
from support.source_state import source_value

pytestmark = [pytest.mark.compiled, deep_only]


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
    project = OwnProject(tmp_path)
    project.land(recording)
    project.build(recording, source)
    catalog = pyiceberg_catalog(project.folder / "lake")
    project.assert_mirrors(catalog, recording, source, value_of, sent)


@pytest.mark.parametrize("recording", ["vitess/copy", "vitess/traps", "vitess/small_numeric"])
def test_vitess_without_schemas(tmp_path: Path, recording: str) -> None:
    """Neither the events nor a history tell the columns: the command asks for the database."""
    project = OwnProject(tmp_path)
    project.land(recording)
    said = project.run("lakemirror", "generate", "--source", "commerce", code=1)
    assert "--database-env" in said


def test_postgresql_without_schemas(tmp_path: Path) -> None:
    project = OwnProject(tmp_path)
    project.land("postgres/plain")
    said = project.run("lakemirror", "generate", "--source", "public", code=1)
    assert "--database-env" in said
