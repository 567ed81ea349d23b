"""The demo with Comet: each mirror and each day is what the databases held.

A process of its own, since a JVM has Comet from its start on. `make comet` runs all suites of
order, convergence, types and days with it.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from dbt_common.exceptions import DbtDatabaseError
from pyspark.sql import SparkSession

from dbt.adapters.lakemirror.session import root_session
from lakemirror.comet import PLUGIN, PLUGINS
from support.dbt_process import DbtProcess
from support.lake import Lake
from support.small_project import Project
from support.source_state import (
    assert_commerce_daily,
    assert_commerce_mirrors,
    assert_shop_daily,
    assert_shop_mirrors,
)

# a model that says how Spark would run a query
PLAN = """
def model(dbt, session):
    dbt.config(materialized="table")
    return session.sql("explain select sum(_kfk_offset) from raw.shop__orders")
"""

# three connections of one process: two whose JVM has no library of Comet's, and one that has it
OPENED = """
import json, sys
from pathlib import Path
from dbt.adapters.lakemirror.session import SessionHandle

lake, conf = json.loads(sys.argv[1])
for options in (conf, conf, conf | {"spark.driver.extraJavaOptions": ""}):
    try:
        SessionHandle(lake, options, {}, Path(lake) / "spark.log")
        print("opened")
    except Exception as error:
        print(str(error).split(chr(10))[-1].strip())
"""


@pytest.fixture(autouse=True)
def comet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMIRROR_ACCELERATE", "comet")


def test_the_demo_is_the_same(lake: Lake) -> None:
    lake.land_demo()
    with DbtProcess(lake, "demo", "build") as build:
        assert build.wait(), build.console
    assert_commerce_mirrors(lake.catalog)
    assert_shop_mirrors(lake.catalog)
    assert_commerce_daily(lake.catalog)
    days = lake.catalog.load_table("daily.shop__orders").scan(selected_fields=("ds",)).to_arrow()
    found = sorted({str(day) for day in days["ds"].to_pylist()})
    assert found
    for day in found:
        assert_shop_daily(lake.catalog, day)
    assert "CometIcebergNativeScan" in plan(lake)


def plan(lake: Lake) -> str:
    """How Spark would read a raw table."""
    project = Project(lake)
    project.write("models/plan.py", PLAN)
    arguments = ["run", "--project-dir", str(project.folder)]
    with DbtProcess(lake, "plan", *arguments) as run:
        assert run.wait(), run.console
    [row] = lake.catalog.load_table("marts.plan").scan().to_arrow().to_pylist()
    return str(row["plan"])


def test_where_it_cannot_start(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, and nothing is made."""
    monkeypatch.setenv("LAKEMIRROR_ACCELERATE", "velox")
    with DbtProcess(lake, "refused", "run") as run:
        assert not run.wait()
    assert "accelerate: comet is expected, and not velox" in run.console
    assert not (lake.folder / "catalog.db").exists()


def test_a_process_whose_spark_runs_without_it(
    lake: Lake, spark: SparkSession, tmp_path: Path
) -> None:
    """Another target has started it: that is said, and nothing goes on without Comet."""
    with pytest.raises(DbtDatabaseError, match="started this process's Spark without Comet"):
        root_session({PLUGINS: PLUGIN}, tmp_path / "spark.log")


def test_a_native_library_that_does_not_load(lake: Lake) -> None:
    """Each connection says so, and the next one of another profile has a Spark of its own."""
    conf = lake.spark_conf() | {"spark.driver.extraJavaOptions": "-Dos.arch=sparc"}
    given = json.dumps([str(lake.folder), conf])
    ran = subprocess.run([sys.executable, "-c", OPENED, given], capture_output=True, text=True)
    failed = "accelerate: Comet's native library has not loaded"
    assert [line[: len(failed)] for line in ran.stdout.splitlines()] == [failed, failed, "opened"]
