"""A lake that many machines share, as the environment names it: Spark standalone with two workers,
a catalog on PostgreSQL, and S3. `make test-cluster` builds the demo there, and by a REST catalog.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import yaml
from bench import scale
from stack import packages
from stack.cluster import Cluster, RestCatalog
from stack.services import HOST, family, free_port
from stack.yarn import JARS, Yarn

from lakemirror import lake as lakes
from support.clock import clock, set_ahead
from support.dbt_process import DbtProcess
from support.faulty_proxy import FaultyProxy, one_in
from support.five_commands import OwnProject
from support.lake import PROFILES, Lake
from support.one_table import Shop, change
from support.recordings import write
from support.source_state import (
    assert_commerce_daily,
    assert_commerce_mirrors,
    assert_shop_daily,
    assert_shop_mirrors,
    lake_rows,
)

pytestmark = pytest.mark.xdist_group("live")

SECRETS = {
    "LAKEMIRROR_CATALOG_PASSWORD": "hush'@:/4711",
    "AWS_ACCESS_KEY_ID": "hushid4712",
    "AWS_SECRET_ACCESS_KEY": "hush+/4713",
    "AWS_SESSION_TOKEN": "hush/+4714",
}
SCRIPT = Path(sys.executable).with_name("lakemirror")
in_test_cluster = pytest.mark.skipif(
    not os.environ.get("LAKEMIRROR_TEST_CLUSTER"), reason="in make test-cluster"
)


@pytest.fixture(scope="module")
def cluster(folder: Path) -> Iterator[Cluster]:
    if packages.missing():
        pytest.skip(f"not installed: {', '.join(packages.missing())}; make stack-install")
    made = Cluster(folder / "cluster", free_port(Cluster.PORTS))
    made.folder.chmod(0o755)
    try:
        made.up(with_rest=bool(os.environ.get("LAKEMIRROR_TEST_CLUSTER")))
        yield made
    finally:
        for service in made.services:
            service.stop()  # a worker ends its executors


def use(
    cluster: Cluster, kind: str, monkeypatch: pytest.MonkeyPatch, **other: str
) -> dict[str, Any]:
    """Let the environment name a catalog, with secrets; returns its properties."""
    monkeypatch.delenv("LAKEMIRROR_LAKE")
    for name, value in {**cluster.environment(kind), **SECRETS, **other}.items():
        monkeypatch.setenv(name, value)
    return named_by(os.environ)


def named_by(environment: Mapping[str, str]) -> dict[str, Any]:
    """The properties of the catalog that an environment names."""
    kind = environment["LAKEMIRROR_CATALOG_TYPE"]
    catalog = {
        "type": kind,
        "uri": environment["LAKEMIRROR_CATALOG_URI"],
        "warehouse": environment["LAKEMIRROR_WAREHOUSE"],
    }
    if kind == "jdbc":
        login = {"jdbc.user": "USER", "jdbc.password": "PASSWORD"}
        catalog |= {k: environment[f"LAKEMIRROR_CATALOG_{name}"] for k, name in login.items()}
    return lakes.catalog_of(catalog, environment)


def content(file: Path) -> bytes:
    """What a file says; nothing where it has gone meanwhile."""
    try:
        return file.read_bytes()
    except OSError:
        return b""


def command_lines() -> bytes:
    """What everybody sees of this machine's processes."""
    return b"".join(map(content, Path("/proc").glob("[0-9]*/cmdline")))


def test_a_lake_of_the_environment(
    lake: Lake, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W3: executors write to S3, dbt and the commands read one lake; no password and no key is in
    anything that they leave, nor in the list of processes."""
    shop = Shop(lake)
    changes = [change(1, "c", 1, 1), change(2, "c", 2, 2), change(3, "u", 1, 3)]
    write(lake.recordings, "first", changes)
    profiles = deepcopy(PROFILES)
    events = lake.folder / "events"
    events.mkdir()
    target = profiles["lakemirror"]["outputs"]["cluster"]
    target["jars"] = ["org.postgresql:postgresql:42.7.8"]
    target["server_side_parameters"] = {
        **profiles["lakemirror"]["outputs"]["local"]["server_side_parameters"],
        **target["server_side_parameters"],
        "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(events),
    }
    (shop.folder / "profiles.yml").write_text(yaml.safe_dump(profiles), encoding="utf-8")
    properties = use(cluster, "jdbc", monkeypatch)
    monkeypatch.setenv("DBT_PROFILES_DIR", str(shop.folder))
    arguments = ("--target", "cluster", "--project-dir", str(shop.folder))
    seen = b""
    with DbtProcess(lake, "cluster", "--log-level-file", "debug", "run", *arguments) as run:
        while run.process.poll() is None:
            seen += command_lines()
            time.sleep(1)
        assert run.wait(), run.console
    assert b"CoarseGrainedExecutorBackend" in seen

    rows = lake_rows(lakes.load(properties), "mirror.shop__t", ["id"])
    assert {key: row["v"] for (key,), row in rows.items()} == {1: 3, 2: 2}

    status = [SCRIPT, "status", "--target", "cluster"]
    done = subprocess.run(status, cwd=shop.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mirror.shop__t" in done.stdout
    monkeypatch.setenv("LAKEMIRROR_CATALOG_USER", "nobody")
    refused = subprocess.run(status, cwd=shop.folder, capture_output=True, text=True)
    assert refused.returncode == 1
    assert 'role "nobody" does not exist' in refused.stderr

    assert list(events.iterdir())
    folders = (lake.folder, shop.folder, cluster.folder)
    left = [file for folder in folders for file in folder.rglob("*") if file.is_file()]
    secrets = [
        s for text in SECRETS.values() for s in (text.encode(), json.dumps(text)[1:-1].encode())
    ]
    found = [str(file) for file in left if any(s in content(file) for s in secrets)]
    assert found == []
    said = done.stdout + done.stderr + refused.stdout + refused.stderr + run.console
    assert not [s for s in secrets if s in said.encode() or s in seen]


@in_test_cluster
@pytest.mark.parametrize("kind", ["jdbc", "rest"])
def test_the_demo(lake: Lake, cluster: Cluster, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value of each mirror and day is the source's."""
    lake.land_demo()
    properties = use(cluster, kind, monkeypatch)
    with DbtProcess(lake, kind, "build", "--target", "cluster") as build:
        assert build.wait(), build.console
    catalog = lakes.load(properties)
    assert_shop_mirrors(catalog)
    for day in ("2026-01-29", "2026-01-30", "2026-01-31"):
        assert_shop_daily(catalog, day)
    assert_commerce_mirrors(catalog)
    assert_commerce_daily(catalog)


@in_test_cluster
@pytest.mark.parametrize("recording", ["mariadb/plain", "postgres/schemas"])
def test_a_recording(tmp_path: Path, cluster: Cluster, recording: str) -> None:
    """The five commands, with a catalog that others share, and executors elsewhere."""
    environment = cluster.environment("jdbc") | cluster.make_catalog(recording.partition("/")[0])
    project = OwnProject(tmp_path, environment, "--catalog", "jdbc")
    project.land(recording)
    project.build(recording)
    catalog = lakes.load(named_by(environment))
    project.assert_mirrors(catalog, recording)


@in_test_cluster
def test_machines_that_are_lost(
    lake: Lake, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F32: executors die while they land, merge and publish, a worker goes, and so does the driver:
    what is left of all runs is what one run makes."""
    lake.land_demo()
    properties = use(cluster, "jdbc", monkeypatch, **cluster.make_catalog("lost"))
    build = ("build", "--target", "cluster")

    with DbtProcess(lake, "first", *build) as run:
        kill_executor_while(run, "START python incremental model ops.landing", cluster)
        run.wait_for(lambda: "START sql mirror model mirror.shop__orders" in run.console)
        cluster.workers[1].kill()
        run.kill_when(lambda: "OK created sql mirror model mirror.shop__" in run.console)

    with DbtProcess(lake, "second", *build) as run:
        kill_executor_while(run, "START sql mirror model mirror.shop__", cluster)
        cluster.workers[1].start()
        for model in ("sql mirror model mirror.commerce__", "sql daily model daily.shop__"):
            kill_executor_while(run, f"START {model}", cluster)
        assert run.wait(), run.console
    catalog = lakes.load(properties)
    assert_shop_mirrors(catalog)
    for day in ("2026-01-29", "2026-01-30", "2026-01-31"):
        assert_shop_daily(catalog, day)
    assert_commerce_mirrors(catalog)
    assert_commerce_daily(catalog)


@in_test_cluster
def test_two_writers_at_once(
    lake: Lake, cluster: Cluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """F33, F34, F35: two engines build one lake, one by a clock that is half a minute ahead, until
    it is killed; S3 refuses requests and loses answers, and the catalog loses those to commits."""
    warehouse = cluster.make_catalog("two")["LAKEMIRROR_WAREHOUSE"]
    at = cluster.folder, free_port(), cluster.postgresql, cluster.s3
    catalog = RestCatalog(*at, database="two")
    catalog.start()
    lake.land_demo()
    try:
        with (
            FaultyProxy(cluster.s3.address, refuses=one_in(50), loses=one_in(100)) as s3,
            FaultyProxy(catalog.address, loses=some_commits()) as rest,
        ):
            properties = use(
                cluster,
                "rest",
                monkeypatch,
                LAKEMIRROR_CATALOG_URI=rest.address,
                LAKEMIRROR_WAREHOUSE=warehouse,
                AWS_ENDPOINT_URL=s3.address,
            )
            set_ahead(tmp_path, seconds=30)  # Iceberg bears with a minute
            build_at_once(lake, clock(tmp_path))
            assert s3.refused
            assert s3.lost
            assert rest.lost
            found = lakes.load(properties)
            assert_shop_mirrors(found)
            for day in ("2026-01-29", "2026-01-30", "2026-01-31"):
                assert_shop_daily(found, day)
    finally:
        catalog.stop()


def some_commits() -> Callable[[str, str], bool]:
    """Of a catalog's requests a few commits, be they early or late."""
    numbers = count()

    def is_one(method: str, path: str) -> bool:
        is_commit = method == "POST" and re.search(r"/tables/[^/]+$", path)
        return bool(is_commit) and next(numbers) in (5, 30, 80)

    return is_one


def build_at_once(lake: Lake, own_clock: dict[str, str]) -> None:
    """A build on the cluster, and one on this machine, which is killed; then as many on the cluster
    as it takes: what has failed goes on."""
    select = ("landing", "watermark_shop", "path:models/mirror/shop", "path:models/daily/shop")
    run = ("run", "--target", "cluster", "--select", *select)
    with DbtProcess(lake, "cluster", *run) as on_cluster:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in {"LAKEMIRROR_SPARK_MASTER": "local[1]", **own_clock}.items():
                patch.setenv(name, value)
            own = DbtProcess(lake, "own", *run)
        with own:
            merged = "OK created sql mirror model mirror.shop__"
            while own.process.poll() is None and merged not in own.console:
                time.sleep(0.1)
        on_cluster.wait()
    for number in range(5):
        with DbtProcess(lake, f"again{number}", *run) as again:
            if again.wait():
                return
    raise AssertionError(again.console)


def kill_executor_while(run: DbtProcess, said: str, cluster: Cluster) -> None:
    """SIGKILL an executor once a run has said something: the oldest that there is then."""
    run.wait_for(lambda: said in run.console)
    run.wait_for(lambda: bool(executors(cluster)))
    os.kill(executors(cluster)[0], signal.SIGKILL)


def executors(cluster: Cluster) -> list[int]:
    """The processes that run tasks, from the oldest."""
    below = {pid for worker in cluster.workers for pid in family(worker.pid)}
    return sorted(pid for pid in below if b"Executor" in content(Path(f"/proc/{pid}/cmdline")))


@in_test_cluster
def test_the_same_plans_with_any_master(cluster: Cluster, tmp_path: Path) -> None:
    """One core, two, and two workers: each statement that reads a step's rows has the same plan,
    and none of its stages is one task's work. The mirror has the right rows each time."""
    found = scale.measure(cluster, scale.SMALL, tmp_path)
    assert scale.problems(found) == []


@pytest.fixture
def yarn(folder: Path) -> Iterator[Yarn]:
    made = Yarn(folder, free_port(Yarn.PORTS))
    try:
        made.up()
        yield made
    finally:
        made.down()


@in_test_cluster
def test_executors_that_yarn_starts(
    lake: Lake, cluster: Cluster, yarn: Yarn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The target of docs/guides/yarn-kubernetes.md, with the jars of this machine: its containers
    land, merge and publish, and the commands read what they have written."""
    shop = Shop(lake)
    changes = [change(1, "c", 1, 1), change(2, "c", 2, 2), change(3, "u", 1, 3)]
    write(lake.recordings, "first", changes)
    profiles = deepcopy(PROFILES)
    profiles["lakemirror"]["outputs"]["cluster"]["server_side_parameters"] |= {
        "spark.yarn.jars": f"local:{JARS}/*",
        "spark.executor.instances": "2",
        "spark.executor.memory": "600m",
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.sql.shuffle.partitions": "2",
    }
    (shop.folder / "profiles.yml").write_text(yaml.safe_dump(profiles), encoding="utf-8")
    own = cluster.make_catalog("yarn") | {"LAKEMIRROR_SPARK_MASTER": "yarn"} | yarn.environment
    properties = use(cluster, "jdbc", monkeypatch, **own)
    monkeypatch.setenv("DBT_PROFILES_DIR", str(shop.folder))
    arguments = ("run", "--target", "cluster", "--project-dir", str(shop.folder))
    with DbtProcess(lake, "yarn", *arguments) as run:
        assert run.wait(), run.console
    rows = lake_rows(lakes.load(properties), "mirror.shop__t", ["id"])
    assert {key: row["v"] for (key,), row in rows.items()} == {1: 3, 2: 2}
    containers = [*yarn.folder.glob("logs/application_*/container_*")]
    assert len(containers) == 3  # that of the program itself has no task
    left = {file: content(file) for file in yarn.folder.rglob("*") if file.is_file()}
    told = {
        name: {f.name for f, t in left.items() if s.encode() in t} for name, s in SECRETS.items()
    }
    assert told.pop("LAKEMIRROR_CATALOG_PASSWORD") == set()
    # Spark itself sends AWS's keys of its environment
    assert set().union(*told.values()) <= {"__spark_hadoop_conf__.xml"}
