"""Run a project again and again in one process: land, then merge what has moved.

A run of dbt of its own starts Python, Spark and the project's parsing each time. Here the process,
its Spark and what dbt has parsed stay, and a round runs the models whose sources have changed.
"""

import hashlib
import math
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from lakemirror.cli.errors import RIGHT, WRONG, CallError, CommandError
from lakemirror.cli.lakes import one_line, open_lake
from lakemirror.cli.operations import invoke
from lakemirror.state.ops_tables import RAN

LANDING = "landing"  # the folder of models that land
PARSED = ("macros", "models", "profiles", "seeds", "snapshots", "tests")
IDLE = 4  # times the interval, at most, where nothing moves
FAILED = timedelta(minutes=5)  # at most, between rounds that fail
Heads = dict[str, int | None]  # the current snapshot of each source's table


@dataclass(frozen=True)
class Wanted:
    """What is run, and how often.

    Attributes:
        select: as dbt's; empty for all models.
        rounds: how many; None for as long as nobody ends it.
        maintain_every: how often the lake's tables are cared for, between rounds; None: never.
    """

    select: Sequence[str] = ()
    exclude: Sequence[str] = ()
    every: timedelta = timedelta(seconds=10)
    rounds: int | None = None
    maintain_every: timedelta | None = None


@dataclass(frozen=True)
class Parsed:
    """A project as dbt has parsed it.

    Attributes:
        files: a digest of the files that it was parsed from.
        manifest: dbt's.
        landing: the names of the selected models that land.
        readers: those of the others.
        sources: by the table that it is, as ``raw.shop__orders``: the names of the selected models
            that read it, by others too.
    """

    files: str
    manifest: Any
    landing: frozenset[str]
    readers: frozenset[str]
    sources: Mapping[str, frozenset[str]]


@dataclass(frozen=True)
class Round:
    """What a round did.

    Attributes:
        moved: how many tables of sources had something new.
        models: how many models ran.
        failed: how many of them failed.
    """

    moved: int = 0
    models: int = 0
    failed: int = 0

    def line(self, seconds: float) -> str:
        """What is said of it.

        >>> Round(1, 3, 0).line(2.04)
        '1 table has moved, 3 models in 2.0 s'
        >>> Round(2, 5, 1).line(3)
        '2 tables have moved, 5 models in 3.0 s, 1 of them failed'
        """
        tables = "1 table has moved" if self.moved == 1 else f"{self.moved} tables have moved"
        models = f"{self.models} model{'' if self.models == 1 else 's'}"
        failed = f", {self.failed} of them failed" if self.failed else ""
        return f"{tables}, {models} in {seconds:.1f} s{failed}"


def run(
    folder: Path, environment: Mapping[str, str], wanted: Wanted, say: Callable[[str], object]
) -> int:
    """Run rounds until a signal (SIGINT, SIGTERM) ends it after the one that runs.

    Returns:
        The exit code: 1 where the last round has failed, or the last care for the lake's tables.

    Raises:
        CallError: there is no project, or it has no model that is selected.
        CommandError: the first round finds that dbt cannot parse it, or that its lake is not read.
    """
    if not (folder / "dbt_project.yml").is_file():
        raise CallError(f"There is no dbt project in {folder}: run it in the project's folder")
    if wanted.rounds is None:
        from dbt.adapters.lakemirror import session

        session.resident.set()
    loop = Loop(folder, environment, wanted)
    wait, done, is_right, is_cared = wanted.every, 0, True, True
    pause = wanted.maintain_every.total_seconds() if wanted.maintain_every is not None else math.inf
    care_at = time.monotonic() + pause
    with stopping(say) as stop:
        while not stop.is_set():
            began = time.monotonic()
            try:
                made = loop.round()
            except CommandError as error:
                if done == 0:
                    raise
                say(f"{error}.")
                made = Round(failed=1)
            done, is_right = done + 1, not made.failed
            if made.models:
                say(made.line(time.monotonic() - began))
            if time.monotonic() >= care_at and not stop.is_set():
                began_care = time.monotonic()
                is_cared = loop.maintain()
                care_at = time.monotonic() + pause
                how = "were" if is_cared else "could not all be"
                say(f"Tables {how} cared for in {time.monotonic() - began_care:.1f} s")
            if done == wanted.rounds:
                break
            wait = next_wait(wait, wanted.every, made)
            if made.failed:
                say(f"The next round is in {wait.total_seconds():.0f} s.")
            spent = 0 if made.failed else time.monotonic() - began
            stop.wait(max(0.0, wait.total_seconds() - spent))
    return RIGHT if is_right and is_cared else WRONG


def next_wait(last: timedelta, every: timedelta, made: Round) -> timedelta:
    """How long after a round's beginning the next one begins; after its end where it has failed.

    >>> ten = timedelta(seconds=10)
    >>> next_wait(ten, ten, Round(1, 1)).seconds, next_wait(ten, ten, Round()).seconds
    (10, 15)
    >>> next_wait(timedelta(seconds=39), ten, Round()).seconds
    40
    >>> next_wait(ten, ten, Round(1, 1, 1)).seconds
    20
    """
    if made.failed:
        return min(2 * last, max(every, FAILED))
    return min(1.5 * last, IDLE * every) if not made.models else every


@contextmanager
def stopping(say: Callable[[str], object]) -> Iterator[threading.Event]:
    """An event that the first SIGINT or SIGTERM sets; the second one ends the process as usual."""
    event = threading.Event()
    usual = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def restore() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)

    def stop(number: int, frame: object) -> None:
        restore()
        event.set()
        say("It ends when this round is over; once more ends it at once.")

    for number in usual:
        signal.signal(number, stop)
    try:
        yield event
    finally:
        restore()


@dataclass
class Loop:
    """Rounds over one project."""

    folder: Path
    environment: Mapping[str, str]
    wanted: Wanted
    parsed: Parsed | None = None
    merged: Heads | None = None  # as of the last round that was right
    catalog: Any = None

    def round(self) -> Round:
        """Land, then run the models of what has moved since the last round that was right.

        Raises:
            CallError: no model is selected.
            CommandError: the project cannot be parsed, or its lake not be read.
        """
        files = digest(self.folder)
        if self.parsed is None or self.parsed.files != files:
            self.parsed, self.merged = self.parse(files), None
        parsed = self.parsed
        failed = self.dbt(parsed.landing)
        heads = self.heads(parsed.sources)
        known = self.merged or {}
        moved = [table for table, head in heads.items() if head != known.get(table)]
        due = {*parsed.readers}  # the first time: of models that read no source, nobody can tell
        if self.merged is not None:
            due = set().union(*(parsed.sources[table] for table in moved))
        failed += self.dbt(due)
        if not failed:
            self.merged = heads
        return Round(len(moved), len(due), failed)

    def parse(self, files: str) -> Parsed:
        """Parse the project, and see which of its models are selected."""
        from dbt.cli.main import dbtRunner

        found = dbtRunner().invoke(["--log-level", "error", "parse"])
        if not found.success:
            raise CommandError(f"dbt cannot parse the project: {one_line(str(found.exception))}")
        manifest: Any = found.result
        options = [*given("--select", self.wanted.select), *given("--exclude", self.wanted.exclude)]
        quietly = ["--log-level", "none", "--quiet"]
        listing = ["list", "--resource-type", "model", "--output", "name"]
        listed = dbtRunner(manifest).invoke([*quietly, *listing, *options])
        if not listed.success:
            raise CallError(f"dbt list: {one_line(str(listed.exception))}")
        listed_names = {*listed.result}  # type: ignore[misc]
        nodes = {
            node.name: node
            for node in manifest.nodes.values()
            if node.name in listed_names and node.config.materialized != "ephemeral"
        }
        if not nodes:
            raise CallError("The project has no model that is selected")
        lands = {name for name, node in nodes.items() if LANDING in node.fqn[1:-1]}
        readers = frozenset({*nodes} - lands)
        return Parsed(
            files,
            manifest,
            landing=frozenset(lands),
            readers=readers,
            sources={
                f"{source.schema}.{source.identifier}": readers & below(manifest, unique_id)
                for unique_id, source in manifest.sources.items()
            },
        )

    def heads(self, tables: Collection[str]) -> Heads:
        """The current snapshot of each table; None of one that is not there."""
        from pyiceberg.exceptions import NoSuchTableError

        if self.catalog is None:
            try:
                self.catalog = open_lake(self.folder, self.environment)
            except CallError as error:  # the landing has not made it
                raise CommandError(str(error)) from None
        found: Heads = {}
        for table in tables:
            try:
                head = self.catalog.load_table(table).current_snapshot()
            except NoSuchTableError:
                head = None
            found[table] = head.snapshot_id if head else None
        return found

    def dbt(self, names: Collection[str]) -> int:
        """Run models; dbt says what it warns of, and what has failed. Returns how many have."""
        from dbt.cli.main import dbtRunner

        if not names or self.parsed is None:
            return 0
        forget(self.parsed.manifest)
        arguments = ["--log-level", "warn", "run", "--select", *sorted(names)]
        result = dbtRunner(self.parsed.manifest).invoke(arguments)
        if result.result is None:
            raise CommandError(f"dbt run: {one_line(str(result.exception))}")
        results = result.result.results  # type: ignore[union-attr]
        return sum(each.status not in RAN for each in results)

    def maintain(self) -> bool:
        """Care for the lake's tables: each round adds files and snapshots, which make the next one
        slower. dbt says what has failed. Returns whether nothing has."""
        manifest = self.parsed.manifest if self.parsed else None
        return bool(invoke("maintain", {}, "--log-level", "warn", manifest=manifest).success)


def below(manifest: Any, unique_id: str) -> set[str]:
    """The names of the models that read a node, by others too."""
    seen, todo = set(), [unique_id]
    while todo:
        for child in manifest.child_map.get(todo.pop(), ()):
            if child not in seen and child.startswith("model."):
                seen.add(child)
                todo.append(child)
    return {manifest.nodes[child].name for child in seen}


def forget(manifest: Any) -> None:
    """Let dbt compile anew: what a run has compiled holds what there was then."""
    for node in manifest.nodes.values():
        if getattr(node, "compiled", False):
            node.compiled, node.compiled_code, node.compiled_path = False, None, None
            node.extra_ctes, node.extra_ctes_injected, node._pre_injected_sql = [], False, None


def given(option: str, values: Sequence[str]) -> list[str]:
    return [option, *values] if values else []


def digest(folder: Path) -> str:
    """Changes with each file that dbt parses."""
    inside = (file for name in PARSED for file in (folder / name).rglob("*"))
    files = sorted(file for file in (*folder.glob("*.yml"), *inside) if file.is_file())
    seen = hashlib.sha256()
    for file in files:
        status = file.stat()
        seen.update(f"{file}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
    return seen.hexdigest()
