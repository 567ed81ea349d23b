"""Spark Connect: a server that lives in another time zone, without ANSI, and knows the catalog."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from stack.services import free_port

from support.dbt_process import DbtProcess
from support.depth import DEEP, whole_only
from support.lake import Lake
from support.recordings import demo_lines, write
from support.source_state import SHOP_DAYS, assert_shop_daily, assert_shop_mirrors

SPARK = Path(pyspark.__file__).parent
SERVER = "org.apache.spark.sql.connect.service.SparkConnectServer"
OTHERWISE = {
    "spark.sql.session.timeZone": "America/New_York",
    "spark.sql.ansi.enabled": "false",
    "spark.connect.grpc.binding.address": "127.0.0.1",
}
# connections of one process: two at once, then one more, and what the first has left
OPENED = """
import json
from pathlib import Path
from dbt.adapters.lakemirror.session import REQUIRED, SessionHandle

def opened():
    return SessionHandle("", {}, REQUIRED, Path("spark.log"))

first, second = opened(), opened()
ids = [handle.session.session_id for handle in (first, second)]
first.session.sql("select 1 as x").createOrReplaceTempView("mine")
first.session.conf.set("spark.sql.shuffle.partitions", "7")
first.close()
third = opened()
ids.append(third.session.session_id)
print(json.dumps({
    "ids": ids,
    "has_view": third.session.catalog.tableExists("mine"),
    "partitions": third.session.conf.get("spark.sql.shuffle.partitions"),
    "zone": third.session.sql("select current_timezone()").first()[0],
}))
"""


@pytest.fixture
def server(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server whose default catalog is the lake's; SPARK_REMOTE names it."""
    port = free_port()
    conf = lake.spark_conf() | OTHERWISE | {"spark.connect.grpc.binding.port": str(port)}
    settings = [part for key, value in conf.items() for part in ("--conf", f"{key}={value}")]
    command = [SPARK / "bin" / "spark-submit", "--class", SERVER, *settings, "spark-internal"]
    log = lake.folder / "server.log"
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=os.environ | {"SPARK_HOME": str(SPARK)},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        while "Spark Connect server started at" not in log.read_text("utf-8"):
            assert process.poll() is None, log.read_text("utf-8")
            time.sleep(0.2)
        monkeypatch.setenv("SPARK_REMOTE", f"sc://127.0.0.1:{port}")
        yield
    finally:
        process.kill()
        process.wait()


@whole_only
def test_a_server_somewhere_else(lake: Lake, server: None) -> None:
    """W1, W4: each value is the source's; its sessions are used again, and forget what was set."""
    done = subprocess.run([sys.executable, "-c", OPENED], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    first, second, third = found["ids"]
    assert first != second
    assert third == first
    assert (found["has_view"], found["partitions"], found["zone"]) == (False, "2", "UTC")

    write(lake.recordings, "shop", demo_lines("shop"))
    tables = SHOP_DAYS if DEEP else ("orders",)
    selected = ["landing", *(f"+daily_shop__{table}" for table in tables)]
    arguments = ["build", "--target", "connect", "--select", *selected]
    with DbtProcess(lake, "connect", *arguments) as build:
        assert build.wait(), build.console
    assert_shop_mirrors(lake.catalog, tables)
    for day in ("2026-01-29", "2026-01-30", "2026-01-31"):
        assert_shop_daily(lake.catalog, day, tables)
