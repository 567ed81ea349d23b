"""What dbt has parsed, by what the project's files say: no project is parsed twice in a process."""

import hashlib
import os
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner, dbtRunnerResult

from lakemirror.cli.loop import forget

# the commands that take a manifest as it is
REUSING = {"build", "run", "run-operation", "show", "test"}
# what else a manifest depends on
OPTIONS = ("--vars", "--target", "--project-dir")
PLACES = ("--target-path", "--log-path")
PARSED = ("macros", "models", "seeds", "snapshots", "profiles")
KEPT = 16
_parsed: dict[str, Any] = {}  # the last ones that runs have taken


def key_of(arguments: Sequence[str], project: Path) -> str | None:
    """The same where a run may take the manifest of another; None where dbt parses as it does."""
    if arguments[0] not in REUSING or {"--no-partial-parse", "--warn-error"} & {*arguments}:
        return None
    given = dict(pairwise(arguments))
    settings = {n: v for n, v in os.environ.items() if n.startswith(("LAKEMIRROR_", "DBT_"))}
    said = [[given.get(option) for option in OPTIONS], sorted(settings.items())]
    seen = hashlib.sha256(repr(said).encode())
    inside = (file for folder in PARSED for file in (project / folder).rglob("*"))
    tests = (project / "tests").rglob("*.[sy][qm]l")
    for file in sorted(f for f in (*project.glob("*.yml"), *inside, *tests) if f.is_file()):
        seen.update(f"{file}\0".encode() + file.read_bytes() + b"\0")
    return seen.hexdigest()


def parsed(key: str, arguments: Sequence[str]) -> Any:
    """The manifest for one run, as it was parsed; an exception where dbt cannot parse."""
    manifest = _parsed.pop(key, None)
    if manifest is None:
        given = dict(pairwise(arguments))
        options = [(o, given[o]) for o in (*OPTIONS, *PLACES) if o in given]
        result = dbtRunner().invoke(["parse", *chain(*options)])
        return result.result if result.success else result.exception
    forget(manifest)
    return manifest


def invoke(arguments: list[str]) -> dbtRunnerResult:
    """Run dbt in this process."""
    given = dict(pairwise(arguments))
    key = key_of(arguments, Path(given.get("--project-dir", ".")))
    if key is None:
        return dbtRunner().invoke(arguments)
    manifest = parsed(key, arguments)
    if isinstance(manifest, BaseException):
        return dbtRunnerResult(success=False, exception=manifest)
    result = dbtRunner(manifest).invoke(arguments)
    _parsed[key] = manifest
    if len(_parsed) > KEPT:
        _parsed.pop(next(iter(_parsed)), None)
    return result
