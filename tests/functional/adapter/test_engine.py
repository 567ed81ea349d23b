"""Spark as a profile starts it: what it is told, who sees it, and who may talk to it."""

import json
import subprocess
import sys

import pytest

from lakemirror.class_data import archive
from lakemirror.jars import class_path
from support.dbt_process import DbtProcess
from support.depth import deep_only
from support.lake import Lake
from support.one_table import Shop, change
from support.recordings import write

SECRET = "hush-4711"
# a connection of a process whose Spark may run already: what it goes by, what `ps` shows of its
# JVM, and where that listens
OPENED = """
import json, os, sys
from pathlib import Path
from pyspark import SparkContext
from dbt.adapters.lakemirror import session

lake, conf, running = json.loads(sys.argv[1])
if running:
    session.root_session({**conf, **running}, Path(lake) / "spark.log")
handle = session.SessionHandle(lake, conf, session.REQUIRED, Path(lake) / "spark.log")
jvm = Path(f"/proc/{SparkContext._gateway.proc.pid}")
sockets = {os.readlink(file) for file in (jvm / "fd").iterdir() if file.is_symlink()}
listening = set()
for kind in ("tcp", "tcp6"):
    for line in (jvm / "net" / kind).read_text().splitlines()[1:]:
        _, address, _, state, *_, inode = line.split()[:10]
        if state == "0A" and f"socket:[{inode}]" in sockets:
            listening.add(address.partition(":")[0])
asked = "select current_timezone(), cast(timestamp_seconds(0) as string)"
zone, at = handle.session.sql(asked).first()
try:
    handle.session.sql("select 1 div 0").collect()
    is_ansi = False
except Exception:
    is_ansi = True
print(json.dumps({
    "zone": zone, "at": at, "is_ansi": is_ansi, "listening": sorted(listening),
    "arguments": (jvm / "cmdline").read_text(),
    "archives": [n for n in (jvm / "maps").read_text().split() if "/classes-" in n],
}))
"""


def opened(lake: Lake, more: dict[str, str], running: dict[str, str]) -> dict:
    given = json.dumps([str(lake.folder), lake.spark_conf() | more, running])
    command = [sys.executable, "-c", OPENED, given]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "running",
    [{}, {"spark.sql.session.timeZone": "America/New_York", "spark.sql.ansi.enabled": "false"}],
)
def test_what_a_connection_goes_by(lake: Lake, running: dict[str, str]) -> None:
    """W1, W3, W5: UTC and ANSI, whatever has started Spark; no setting of a catalog is an argument
    that `ps` shows; and Spark listens to this machine alone."""
    secrets = {
        "spark.sql.catalog.lake.jdbc.password": SECRET,
        "spark.hadoop.fs.s3a.secret.key": SECRET,
    }
    found = opened(lake, secrets, running)
    assert (found["zone"], found["at"], found["is_ansi"]) == ("UTC", "1970-01-01 00:00:00", True)
    assert "org.apache.spark.deploy.SparkSubmit" in found["arguments"]
    assert SECRET not in found["arguments"]
    loopback = {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}
    assert found["listening"]
    assert {*found["listening"]} <= loopback
    assert SECRET not in (lake.folder / "spark.log").read_text()
    assert {*found["archives"]} == {str(archive(class_path()))}


RAN = """
{{ config(materialized='table') }}
select distinct reflect('java.lang.System', 'getProperty', 'sun.java.command') as command
from {{ ref('mirror_shop__t') }}
"""


@deep_only
def test_executors_that_are_other_processes(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster on this machine, by the environment alone: it gets the jars."""
    shop = Shop(lake)
    shop.write("models/marts/ran.sql", RAN)
    changes = [change(1, "c", 1, 1), change(2, "c", 2, 2), change(3, "u", 1, 3)]
    write(lake.recordings, "first", changes)
    monkeypatch.setenv("LAKEMIRROR_SPARK_MASTER", "local-cluster[2,1,1024]")
    with DbtProcess(lake, "cluster", "run", "--project-dir", str(shop.folder)) as run:
        assert run.wait(), run.console
    assert shop.values() == {1: 3, 2: 2}
    [row] = lake.catalog.load_table("marts.ran").scan().to_arrow().to_pylist()
    assert "CoarseGrainedExecutorBackend" in row["command"]
