"""Changes of both databases, and when the mirrors have them: ``make demo-live``."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner
from pyiceberg.exceptions import NoSuchNamespaceError, NoSuchTableError

from lakemirror.lake import pyiceberg_catalog
from stack import connectors
from stack.project import REPOSITORY, SOURCES, generate, make_project
from stack.services import Stack, StackError
from stack.workload import Workload

FIRST_MARK = 1_000_000  # keys of visits that the workload does not have
WAIT = 60  # seconds, until a change has to be in a mirror


def demo(stack: Stack, seconds: int) -> None:
    """Change, land and merge in turns, and say how long each took to be seen.

    Raises:
        StackError: a run of dbt fails, or a change does not come.
    """
    folder = stack.folder / "demo"
    lake, project = folder / "lake", folder / "project"
    os.environ |= {
        "DBT_PROFILES_DIR": str(REPOSITORY / "profiles"),
        "LAKEMIRROR_LAKE": str(lake),
        "LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS": stack.kafka.address,
        "LAKEMIRROR_TOPICS": connectors.TOPICS,
    }
    make_project(project)
    databases = {"store": stack.mariadb, "cafe": stack.postgresql}
    loads = {name: Workload(db.connect(), time.time_ns()) for name, db in databases.items()}
    for load in loads.values():
        load.step(20)
    mark = FIRST_MARK + int(time.time()) % 10**8 * 10
    leave_mark(loads, mark)
    run(project, "--select", "landing")
    end = time.monotonic() + WAIT
    while not all(has_landed(lake, name) for name in databases):
        if time.monotonic() > end:
            raise StackError(f"no changes came: see {stack.connect.folder / 'log'}")
        run(project, "--select", "landing")
    if not (project / "models/mirror").exists():
        generate(project, SOURCES)
    sys.stdout.write(f"The project is {project}, its lake {lake}.\n")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for load in loads.values():
            load.step(5)
        mark += 1
        leave_mark(loads, mark)
        begin = time.time()
        waiting = set(databases)
        while waiting:
            run(project, "--select", "landing", "mirror.*")
            for name in sorted(waiting):
                if mark in visits(lake, name):
                    waiting.remove(name)
                    after = committed_at(lake, f"mirror.{name}__visits") - begin
                    sys.stdout.write(f"{name}: in the mirror {after:.1f} s after its commit\n")
            if time.time() - begin > WAIT:
                raise StackError(f"a change of {waiting} is not in its mirror after {WAIT} s")


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
    """A column of a table; nothing where there is no such table."""
    try:
        table = pyiceberg_catalog(lake).load_table(relation)
    except (NoSuchTableError, NoSuchNamespaceError):
        return []
    return table.scan(selected_fields=(name,)).to_arrow()[name].to_pylist()


def run(project: Path, *arguments: str) -> None:
    given = ["--project-dir", str(project), "--target-path", str(project / "target")]
    given += ["--log-path", str(project / "logs"), "--quiet"]
    result = dbtRunner().invoke(["run", *arguments, *given])
    if not result.success:
        raise StackError(f"dbt run {' '.join(arguments)} failed: see {project / 'logs/dbt.log'}")
