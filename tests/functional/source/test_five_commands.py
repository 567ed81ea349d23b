"""The first hour to the letter, over each recording: five commands, and no other argument.

In an empty folder, as a user types them: `lakemirror init`, `dbt run --select landing`,
`lakemirror generate`, `dbt build`, `lakemirror status`. The mirrors are the source's
own final state, or the command refuses and says what mends it. test_wheel has the demo's recording
with the wheel alone. H1, H2, H4, H5; I1.
"""

from pathlib import Path

import pytest

from lakemirror.lake import pyiceberg_catalog
from support.depth import deep_only
from support.five_commands import RECORDED, OwnProject

pytestmark = [pytest.mark.compiled, deep_only]


@pytest.mark.parametrize("recording", RECORDED)
def test_a_recording(tmp_path: Path, recording: str) -> None:
    project = OwnProject(tmp_path)
    project.land(recording)
    project.build(recording)
    catalog = pyiceberg_catalog(project.folder / "lake")
    project.assert_mirrors(catalog, recording)


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
