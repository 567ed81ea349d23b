"""What the tests of databases have in common."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from stack import packages


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Where databases of a test keep what they hold; each runs as a user of its own."""
    if any(name in packages.missing() for name in ("mariadbd", "postgres")):
        pytest.skip("not installed: the databases; make stack-install")
    made = Path(tempfile.mkdtemp(prefix="lakemirror-databases-", dir="/var/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)
