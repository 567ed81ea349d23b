"""The demo's orders, and each day of them, with Comet: what the database held.

A process of its own, since a JVM has Comet from its start on. `make comet` runs all suites of
order, convergence, types and days with it.
"""

import json
import subprocess
import sys

import pytest

from support.dbt_process import DbtProcess
from support.depth import whole_only
from support.lake import Lake
from support.recordings import demo_lines, write
from support.source_state import assert_shop_daily, assert_shop_mirrors

TOPICS = ("shop", "shop.shop.heartbeat", "shop.shop.orders")
SHOP = ["landing", "mirror_shop__orders", "path:models/ops/shop", "daily_shop__orders"]
# connections of one process, one after the other; of a table, how Spark would read it
OPENED = """
import json, sys
from pathlib import Path
from dbt.adapters.lakemirror.session import SessionHandle

lake, *confs = json.loads(sys.argv[1])
for conf in confs:
    try:
        handle = SessionHandle(lake, conf, {}, Path(lake) / "spark.log")
        handle.session.sql("create namespace if not exists s")
        handle.session.sql("create or replace table s.t as select 1 as x")
        [row] = handle.session.sql("explain select sum(x) from s.t").collect()
        handle.session.sql("create or replace table s.u as select cast(null as string) as x")
        [unlike] = handle.session.sql("select * from s.u where x is distinct from 'a'").collect()
        assert unlike[0] is None
        handle.close()
        print("opened", "native" if "Comet" in row[0] else "plain")
    except Exception as error:
        print(str(error).split(chr(10))[-1].strip())
"""


@pytest.fixture(autouse=True)
def comet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAKEMIRROR_ACCELERATE", "comet")


def test_the_demo_is_the_same(lake: Lake) -> None:
    write(lake.recordings, "shop", demo_lines("shop", *TOPICS))
    with DbtProcess(lake, "shop", "build", "--select", *SHOP) as build:
        assert build.wait(), build.console
    assert_shop_mirrors(lake.catalog, ["orders"])
    days = lake.catalog.load_table("daily.shop__orders").scan(selected_fields=("ds",)).to_arrow()
    found = sorted({str(day) for day in days["ds"].to_pylist()})
    assert found
    for day in found:
        assert_shop_daily(lake.catalog, day, ["orders"])


def test_where_it_cannot_start(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence, and nothing is made."""
    monkeypatch.setenv("LAKEMIRROR_ACCELERATE", "velox")
    with DbtProcess(lake, "refused", "run") as run:
        assert not run.wait()
    assert "accelerate: comet is expected, and not velox" in run.console
    assert not (lake.folder / "catalog.db").exists()


def opened(lake: Lake, *confs: dict[str, str]) -> list[str]:
    """What the connections say."""
    given = json.dumps([str(lake.folder), *confs])
    command = [sys.executable, "-c", OPENED, given]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()


def test_a_process_whose_spark_runs_without_it(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another target has started it: that is said, and nothing goes on without Comet."""
    conf = lake.spark_conf()
    monkeypatch.delenv("LAKEMIRROR_ACCELERATE")
    plain, refused = opened(lake, lake.spark_conf(), conf)
    assert plain == "opened plain"
    assert refused.startswith("accelerate: another target has started this process's Spark without")


@whole_only
def test_a_native_library_that_does_not_load(lake: Lake) -> None:
    """Each connection says so, and the next one of another profile has a Spark of its own."""
    conf = lake.spark_conf()
    broken = conf | {"spark.driver.extraJavaOptions": "-Dos.arch=sparc"}
    failed = "accelerate: Comet's native library has not loaded"
    said = opened(lake, broken, broken, conf)
    assert [line[: len(failed)] for line in said] == [failed, failed, "opened native"]
