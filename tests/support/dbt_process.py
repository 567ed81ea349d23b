"""dbt as a process of its own, which can be killed together with its JVM."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from sqlalchemy.exc import OperationalError

from support.lake import Lake

DBT = Path(sys.executable).with_name("dbt")
ENVIRONMENT = {
    "PYTHONDONTWRITEBYTECODE": "1",
    "DBT_WRITE_JSON": "true",
    "DBT_LOG_LEVEL_FILE": "debug",  # freeze_when_it_says reads it
}


class DbtProcess:
    """A run of dbt on a lake; leaving the ``with`` block kills what is left of it."""

    def __init__(self, lake: Lake, name: str, *arguments: str) -> None:
        self.folder = lake.folder / name
        self.folder.mkdir()
        paths = ["--target-path", self.folder / "target", "--log-path", self.folder]
        with (self.folder / "console").open("wb") as console:
            self.process = subprocess.Popen(
                [DBT, "--no-use-colors", *arguments, *paths],
                env=os.environ | ENVIRONMENT,
                stdout=console,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self.kill()

    @property
    def console(self) -> str:
        return (self.folder / "console").read_text("utf-8")

    def wait(self) -> bool:
        """True when the run succeeds."""
        return self.process.wait() == 0

    @property
    def failures(self) -> list[str]:
        """What the models and hooks that failed have said."""
        results = json.loads((self.folder / "target" / "run_results.json").read_text("utf-8"))
        failed = [r for r in results["results"] if r["status"] in ("error", "fail")]
        return [r["message"] for r in failed]

    def wait_for(self, moment: Callable[[], bool]) -> None:
        """Return when a state is reached that the run passes through."""
        while not moment():
            assert self.process.poll() is None, f"the run was over before:\n{self.console}"
            time.sleep(0.02)

    def freeze_when_it_says(self, text: str) -> None:
        """SIGSTOP dbt and its JVM when dbt's log has a text."""
        log = self.folder / "dbt.log"
        self.wait_for(lambda: log.exists() and text in log.read_text("utf-8"))
        os.killpg(self.process.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        os.killpg(self.process.pid, signal.SIGCONT)

    def kill_when(self, moment: Callable[[], bool]) -> None:
        """SIGKILL dbt and its JVM when a state is reached."""
        self.wait_for(moment)
        self.kill()
        assert self.process.returncode == -signal.SIGKILL, self.console

    def kill(self) -> None:
        while self._lives():
            os.killpg(self.process.pid, signal.SIGKILL)
            time.sleep(0.02)
        self.process.wait()

    def _lives(self) -> bool:
        """True while a process of the group is more than a zombie."""
        listing = subprocess.run(
            ["ps", "-eo", "pgid=,stat="], capture_output=True, text=True, check=True
        )
        group = str(self.process.pid)
        found = (line.split() for line in listing.stdout.splitlines())
        return any(pgid == group and not state.startswith("Z") for pgid, state in found)


def committed(lake: Lake, schema: str, snapshots: int = 1) -> set[str]:
    """The tables of a schema with so many snapshots, while another process makes the lake."""
    if not (lake.folder / "catalog.db").exists():
        return set()
    try:
        catalog = lake.catalog
        return {
            name
            for _, name in catalog.list_tables(schema)
            if len(catalog.load_table((schema, name)).snapshots()) >= snapshots
        }
    except (NoSuchNamespaceError, NoSuchTableError, OperationalError):
        return set()
