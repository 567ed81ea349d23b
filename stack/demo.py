"""Changes of both databases, when the mirrors have them, and an audit: ``make demo-live``."""

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError
from sqlalchemy.exc import OperationalError

from lakemirror.lake import pyiceberg_catalog
from stack import connectors
from stack.project import REPOSITORY, database_urls, generate, make_project
from stack.services import Stack, StackError
from stack.waiting import Waiting, failed_connectors
from stack.workload import Workload

FIRST_MARK = 1_000_000  # keys of visits that the workload does not have
PRODUCTS = {"store": "MariaDB", "cafe": "PostgreSQL"}


@dataclass
class Live:
    """A project of both databases, which have landed once, and its lake.

    Attributes:
        loads: what changes each database, by source.
        mark: the key of the newest row of visits that both have.
    """

    project: Path
    lake: Path
    loads: dict[str, Workload]
    waiting: Waiting
    mark: int


def demo(stack: Stack, seconds: int, timeout: float) -> None:
    """Change, land and merge in turns, say how long each took to be seen, and audit it all.

    Args:
        seconds: for how long changes are made.
        timeout: seconds for each thing that is waited for.

    Raises:
        StackError: a service does not run or has died, something does not come in time, or the
            audit finds that the mirrors are not what the databases have.
    """
    live = begin(stack, "demo", timeout)
    sys.stdout.write(f"The project is {live.project}, its lake {live.lake}.\n")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for load in live.loads.values():
            load.step(5)
        live.mark += 1
        leave_mark(live.loads, live.mark)
        seen = Seen(live.lake, live.mark, [*live.loads], time.time())
        live.waiting.until(
            seen.lacking, lambda: run(live.project, "--select", "landing", "mirror.*")
        )
    audit(live.project)


def begin(stack: Stack, name: str, timeout: float) -> Live:
    """Make a project of this name, land what the databases have, and generate their models.

    Raises:
        StackError: a service does not run or has died, or something does not come in time.
    """
    if down := [service.name for service in stack.services if not service.pid]:
        raise StackError(f"{', '.join(down)}: not running. Start them first: make stack-up")
    folder = stack.folder / name
    lake, project = folder / "lake", folder / "project"
    os.environ |= database_urls(stack) | {
        "DBT_PROFILES_DIR": str(REPOSITORY / "profiles"),
        "LAKEMIRROR_LAKE": str(lake),
        "LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS": stack.kafka.address,
        "LAKEMIRROR_TOPICS": connectors.TOPICS,
    }
    make_project(project)
    waiting = Waiting(stack.services, lambda: failed_connectors(stack.connect.port), timeout)
    databases = {"store": stack.mariadb, "cafe": stack.postgresql}
    loads = {name: Workload(db.connect(), time.time_ns()) for name, db in databases.items()}
    for load in loads.values():
        load.step(20)
    mark = FIRST_MARK + int(time.time()) % 10**8 * 10
    leave_mark(loads, mark)
    waiting.until(
        lambda: [
            f"changes of {PRODUCTS[name]}" for name in databases if not has_landed(lake, name)
        ],
        lambda: run(project, "--select", "landing"),
    )
    for name in databases:
        generate(project, [name], "--database-env", f"{name.upper()}_DATABASE_URL")
    return Live(project, lake, loads, waiting, mark)


def audit(project: Path) -> None:
    """Compare all mirrors with both databases, which go on: their heartbeats do.

    Raises:
        StackError: they are not equal.
    """
    sys.stdout.write("An audit of all mirrors against both databases:\n")
    sys.stdout.flush()
    command = [Path(sys.executable).with_name("lakemirror"), "audit", "--against-source"]
    if subprocess.run(command, cwd=project, check=False).returncode:
        raise StackError("the mirrors are not what the databases have")
    sys.stdout.write("All equal.\n")


@dataclass
class Seen:
    """A change of each database, until the mirrors have it.

    Attributes:
        mark: its key.
        left: the databases whose change is not in its mirror yet.
        begin: when it was committed, in seconds since 1970.
    """

    lake: Path
    mark: int
    left: list[str]
    begin: float

    def lacking(self) -> list[str]:
        """What is not there yet; what has come is said."""
        for name in [name for name in self.left if self.mark in visits(self.lake, name)]:
            self.left.remove(name)
            after = committed_at(self.lake, f"mirror.{name}__visits") - self.begin
            sys.stdout.write(f"{name}: in the mirror {after:.1f} s after its commit\n")
        return [f"the change {self.mark} of {PRODUCTS[name]} in its mirror" for name in self.left]


def leave_mark(loads: dict[str, Workload], mark: int) -> None:
    for load in loads.values():
        load.connection.cursor().execute("insert into visits values (%s, 'demo')", (mark,))


def has_landed(lake: Path, source: str) -> bool:
    return bool(column(lake, f"raw.{source}__visits", "value"))


def visits(lake: Path, source: str) -> list[Any]:
    return column(lake, f"mirror.{source}__visits", "id")


def committed_at(lake: Path, relation: str) -> float:
    """The time of a table's newest commit, in seconds since 1970."""
    newest = pyiceberg_catalog(lake).load_table(relation).current_snapshot()
    assert newest is not None
    return newest.timestamp_ms / 1000


def column(lake: Path, relation: str, name: str) -> list[Any]:
    """A column of a table; nothing where there is no such table, or no lake yet."""
    try:
        table = pyiceberg_catalog(lake).load_table(relation)
    except (NoSuchTableError, NoSuchNamespaceError, OperationalError):
        return []
    return table.scan(selected_fields=(name,)).to_arrow()[name].to_pylist()


def run(project: Path, *arguments: str) -> None:
    """Run dbt; a run that fails is said, and whoever waits runs again."""
    given = ["--project-dir", str(project), "--target-path", str(project / "target")]
    given += ["--log-path", str(project / "logs"), "--quiet"]
    result = dbtRunner().invoke(["run", *arguments, *given])
    if not result.success:
        log = project / "logs/dbt.log"
        sys.stdout.write(f"dbt run {' '.join(arguments)} failed, and runs again: see {log}\n")
        time.sleep(1)
