"""One Spark JVM for the whole suite: dbt runs in this process, on a lake of each test's own."""

import gzip
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from lakemirror.lake import pyiceberg_catalog

PROJECT = Path(__file__).parents[2]
DEMO = PROJECT / "demo"


class Lake:
    """A lake, the recordings that it lands, and dbt on both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recordings = folder / "recordings"
        self.recordings.mkdir(parents=True)

    def dbt(self, *arguments: str, fails: bool = False) -> Any:
        """Run dbt; the run must succeed, or fail where ``fails`` is set."""
        os.environ["LAKEMIRROR_RECORDINGS"] = str(self.recordings)
        paths = ["--target-path", str(self.folder / "target"), "--log-path", str(self.folder)]
        result = dbtRunner().invoke(
            ["--quiet", *arguments, *paths, "--vars", f"{{lake_catalog: {self.catalog_name}}}"]
        )
        assert result.success is not fails, messages(result)
        return result


def messages(result: Any) -> str:
    """What went wrong, node by node."""
    rows = getattr(result.result, "results", None) or []
    return "\n".join(f"{r.node.name}: {r.message}" for r in rows if r.status in ("error", "fail"))
