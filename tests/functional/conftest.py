"""One Spark JVM for the whole suite: dbt runs in this process, on a lake of each test's own."""

import os
import random
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt_common.tests import enable_test_caching
from pyspark.sql import SparkSession
from stack.packages import missing
from stack.services import Kafka, free_port

from dbt.adapters.lakemirror import session
from dbt.adapters.lakemirror.runs import DbtWarehouse
from dbt.adapters.lakemirror.session import LakemirrorCursor, SessionHandle
from lakemirror import java
from support.deaths import WRITES, Hook
from support.lake import PROJECT, Lake
from support.spark_code import make_code
from support.statements import Statements

enable_test_caching()  # dbt's own, for suites: no text of Jinja is parsed twice


@pytest.fixture
def lake_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One place for all tests of a process: what dbt has parsed holds for all."""
    return tmp_path_factory.getbasetemp() / "lake"


@pytest.fixture(scope="session")
def jvm(tmp_path_factory: pytest.TempPathFactory) -> None:
    conf = Lake(tmp_path_factory.mktemp("first")).spark_conf()
    session.root_session(conf, tmp_path_factory.getbasetemp() / "spark.log")


@pytest.fixture
def lake(
    jvm: None,
    request: pytest.FixtureRequest,
    lake_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Lake]:
    """A new lake."""
    made = Lake(lake_folder)
    make_code(request.node.get_closest_marker("compiled") is not None)
    monkeypatch.chdir(PROJECT)
    for name, value in {
        "DBT_PROFILES_DIR": "profiles",
        "LAKEMIRROR_LAKE": str(made.folder),
        "LAKEMIRROR_RECORDINGS": str(made.recordings),
        # what no test reads is not written
        "DBT_WRITE_JSON": "false",
        "DBT_LOG_LEVEL_FILE": "none",
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
    """Let a hook run each statement that writes, each publication, and each staged batch's end."""
    execute, drop_table, publish = LakemirrorCursor.execute, java.drop_table, java.publish

    def set_up(hook: Hook) -> None:
        def hooked(self: LakemirrorCursor, sql: str, *parameters: object) -> None:
            statement = re.sub(r"/[*].*?[*]/", "", sql, flags=re.DOTALL)
            if WRITES.match(statement):
                hook(statement, lambda: execute(self, sql, *parameters))
            else:
                execute(self, sql, *parameters)

        def dropping(session: object, catalog: object, stage: object) -> None:
            hook(f"drop table {stage}", lambda: drop_table(session, catalog, stage))

        def publishing(session: object, relation: object, branch: str) -> None:
            hook(f"publish {relation}", lambda: publish(session, relation, branch))

        monkeypatch.setattr(LakemirrorCursor, "execute", hooked)
        monkeypatch.setattr(java, "drop_table", dropping)
        monkeypatch.setattr(java, "publish", publishing)

    return set_up


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Statements:
    """All that reaches Spark, but for what a run of dbt keeps in the schema ops; and of Iceberg's
    API the metadata that a model reads, its publication, and the staged batches that it drops."""
    heard, execute, metadata = Statements(), LakemirrorCursor.execute, DbtWarehouse.metadata
    drop_table, publish = java.drop_table, DbtWarehouse.publish

    def hooked(self: LakemirrorCursor, sql: str, *parameters: object) -> None:
        if not sql.lstrip().startswith("insert into ops.runs"):
            heard.append(sql)
        execute(self, sql, *parameters)

    def reading(self: DbtWarehouse, relation: object) -> object:
        heard.append(f'/* "model.{self.context["model"]["name"]}" */ metadata {relation}')
        return metadata(self, relation)

    def publishing(self: DbtWarehouse, relation: object, branch: str) -> bool:
        heard.append(f'/* "model.{self.context["model"]["name"]}" */ publish {relation}')
        return publish(self, relation, branch)

    def dropping(session: object, catalog: object, stage: object) -> None:
        heard.append(f"drop table {stage}")
        drop_table(session, catalog, stage)

    monkeypatch.setattr(LakemirrorCursor, "execute", hooked)
    monkeypatch.setattr(DbtWarehouse, "metadata", reading)
    monkeypatch.setattr(DbtWarehouse, "publish", publishing)
    monkeypatch.setattr(java, "drop_table", dropping)
    return heard


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


@pytest.fixture(scope="session")
def kafka() -> Iterator[Kafka]:
    lacking = [name for name in missing() if name == "Kafka's jars"]
    if lacking:
        pytest.skip("Kafka is not installed: make stack-install")
    folder = Path(tempfile.mkdtemp(prefix="lakemirror-kafka-"))
    broker = Kafka(folder, free_port(2))
    try:
        broker.start()
        yield broker
    finally:
        broker.kill()
        shutil.rmtree(folder)
