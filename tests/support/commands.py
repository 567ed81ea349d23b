"""The script `lakemirror`, as a user calls it."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("lakemirror")
OURS = re.compile("PYTHONPATH|VIRTUAL_ENV|DBT_.*|LAKEMIRROR_.*")


def users_environment() -> dict[str, str]:
    """The environment without what a user of a project of his own has not set."""
    return {name: value for name, value in os.environ.items() if not OURS.match(name)}


def command(
    folder: Path, *arguments: str, code: int = 0, environment: Mapping[str, str] | None = None
) -> str:
    """What a command of the script says."""
    given = {**os.environ, **(environment or {})}
    done = subprocess.run(
        [SCRIPT, *arguments], cwd=folder, env=given, capture_output=True, text=True
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr
