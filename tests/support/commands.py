"""The script `lakemirror`, as a user calls it."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

SCRIPT = Path(sys.executable).with_name("lakemirror")


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
