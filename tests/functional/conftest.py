"""One Spark JVM for the whole suite: dbt runs in this process, on a lake of each test's own."""

import os
import random
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.cli.main import dbtRunner
from dbt_common.tests import enable_test_caching
from pyspark.sql import SparkSession

from dbt.adapters.lakemirror import session
from dbt.adapters.lakemirror.session import LakemirrorCursor, SessionHandle
from lakemirror.lake import pyiceberg_catalog, spark_conf

enable_test_caching()  # dbt's own, for suites: no text of Jinja is parsed twice

PROJECT = Path(__file__).parents[2]
DEMO = PROJECT / "demo"
DEEP = os.environ.get("LAKEMIRROR_DEPTH") == "deep"  # every variant and every number of batches
# what another test proves too, by another way
deep_only = pytest.mark.skipif(not DEEP, reason="in make converge")
# the numbers of statements after which a run dies, until one is not reached
DEATHS = range(100) if DEEP else range(1, 100, 5)
WRITES = re.compile(r"^\s*(create|insert|merge|update|delete|alter|drop|call)\b", re.IGNORECASE)
Hook = Callable[[str, Callable[[], None]], None]


class Lake:
    """A lake, the recordings that it lands, and dbt on both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recordings = folder / "recordings"
        self.recordings.mkdir(parents=True)

    @property
    def catalog(self) -> Any:
        return pyiceberg_catalog(self.folder)

    def spark_conf(self) -> dict[str, str]:
        return spark_conf(self.folder)

    def land_demo(self) -> None:
        for file in DEMO.glob("*.jsonl.gz"):
            shutil.copy(file, self.recordings)

    def dbt(self, *arguments: str, fails: bool | None = False) -> Any:
        """Run dbt; the run must succeed, or fail where ``fails`` is set; None lets it do either."""
        paths = ["--target-path", str(self.folder / "target"), "--log-path", str(self.folder)]
        result = dbtRunner().invoke([*arguments, *paths])
        assert fails is None or result.success is not fails, messages(result)
        return result

    def snapshots(self, relation: str) -> list[int]:
        """The ids of a table's snapshots."""
        return [s.snapshot_id for s in self.catalog.load_table(relation).snapshots()]


def messages(result: Any) -> str:
    """What a run said, node by node, or why there was none."""
    rows = getattr(result.result, "results", None) or []
    return "\n".join(f"{r.node.name}: {r.status} {r.message}" for r in rows) or str(
        result.exception
    )


@pytest.fixture
def lake_folder(tmp_path: Path) -> Path:
    return tmp_path / "lake"


@pytest.fixture
def lake(lake_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Lake]:
    made = Lake(lake_folder)
    monkeypatch.chdir(PROJECT)
    for name, value in {
        "DBT_PROFILES_DIR": "profiles",
        "LAKEMIRROR_LAKE": str(made.folder),
        "LAKEMIRROR_RECORDINGS": str(made.recordings),
        "DO_NOT_TRACK": "1",
    }.items():
        monkeypatch.setitem(os.environ, name, value)
    yield made
    session._idle.pop(str(made.folder.resolve()), None)  # what a lake's sessions keep in memory
    shutil.rmtree(made.folder)


@pytest.fixture
def spark(lake: Lake) -> Iterator[SparkSession]:
    """A session of another program on the lake."""
    handle = SessionHandle(str(lake.folder.resolve()), lake.spark_conf(), {}, lake.folder / "log")
    yield handle.session
    handle.close()


class DeathError(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def sql(lake: Lake) -> Callable[[str], None]:
    """A statement that another program runs on the lake."""

    def run(text: str) -> None:
        conf = lake.spark_conf()
        handle = SessionHandle(str(lake.folder.resolve()), conf, {}, lake.folder / "log")
        LakemirrorCursor(handle.session).execute(text)
        handle.close()

    return run


@pytest.fixture
def around(monkeypatch: pytest.MonkeyPatch) -> Callable[[Hook], None]:
    """Let a hook run each statement that writes."""
    execute = LakemirrorCursor.execute

    def set_up(hook: Hook) -> None:
        def hooked(self: LakemirrorCursor, sql: str, *parameters: object) -> None:
            statement = re.sub(r"/[*].*?[*]/", "", sql, flags=re.DOTALL)
            if WRITES.match(statement):
                hook(statement, lambda: execute(self, sql, *parameters))
            else:
                execute(self, sql, *parameters)

        monkeypatch.setattr(LakemirrorCursor, "execute", hooked)

    return set_up


def death_after(writes: int, written: list[str]) -> Hook:
    """Let so many statements run, which are added to ``written``, and die instead of the next."""

    def die(statement: str, run: Callable[[], None]) -> None:
        if len(written) == writes:
            raise DeathError("the process died here")
        run()
        written.append(statement)

    return die


def let_all_run(statement: str, run: Callable[[], None]) -> None:
    run()


@pytest.fixture
def dies(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let statements fail at random (seed 0: no more), as if the process had died there."""
    execute = LakemirrorCursor.execute

    def set_up(seed: int) -> None:
        chance = random.Random(seed)

        def dying(self: LakemirrorCursor, sql: str, *parameters: Any) -> None:
            if seed and chance.random() < 0.1:
                raise RuntimeError("the process died here")
            execute(self, sql, *parameters)

        monkeypatch.setattr(LakemirrorCursor, "execute", dying)

    return set_up
