"""The example's DAGs, which Airflow runs in an environment of its own: `make test-airflow`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.lake import DEMO, PROJECT, Lake
from support.recordings import read, write
from support.source_state import assert_shop_daily

BIN = Path(sys.executable).parent
EXAMPLE = PROJECT / "examples" / "airflow"
COPIED = ("dbt_project.yml", "profiles", "models", "seeds", "snapshots")
NOON = 1769774400000  # 2026-01-30 12:00, while a day of the recording still comes
IN_TEST_AIRFLOW = os.environ.get("LAKEMIRROR_AIRFLOW")  # the folder of its commands

pytestmark = pytest.mark.skipif(not IN_TEST_AIRFLOW, reason="in make test-airflow")


class Airflow:
    """Airflow with the example's DAGs, over a copy of the demo's project."""

    def __init__(self, lake: Lake) -> None:
        self.project = lake.folder / "shop"
        self.project.mkdir()
        for name in COPIED:
            copy = shutil.copytree if (PROJECT / name).is_dir() else shutil.copy
            copy(PROJECT / name, self.project / name)
        self.environment = os.environ | {
            "LAKEMIRROR_PROJECT": str(self.project),
            "LAKEMIRROR_BIN": str(BIN),
            "DBT_PROFILES_DIR": str(self.project / "profiles"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "DBT_WRITE_JSON": "true",
            "AIRFLOW_HOME": str(lake.folder / "airflow"),
            "AIRFLOW__CORE__DAGS_FOLDER": str(EXAMPLE / "dags"),
            "AIRFLOW__CORE__PLUGINS_FOLDER": str(EXAMPLE / "plugins"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        }
        self.said("db", "migrate")

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [Path(str(IN_TEST_AIRFLOW)) / "airflow", *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def said(self, *arguments: str) -> str:
        """What a command says, whatever comes of it."""
        return self.start(*arguments).communicate()[0]

    def listed(self, *arguments: str) -> list[dict[str, Any]]:
        text = self.said(*arguments, "--output", "json")
        return json.loads(text[text.index("[{") :])

    def run(self, dag: str, at: str) -> tuple[dict[str, str], str]:
        """Run a DAG's tasks one after the other: their states, and its log."""
        log = self.said("dags", "test", dag, at)
        return self.states(dag), log

    def states(self, dag: str) -> dict[str, str]:
        """Of the tasks of the newest run."""
        newest = max(self.listed("dags", "list-runs", dag), key=lambda run: run["start_date"])
        tasks = self.listed("tasks", "states-for-dag-run", dag, newest["run_id"])
        return {found["task_id"]: found["state"] for found in tasks}


@pytest.fixture
def airflow(lake: Lake) -> Airflow:
    return Airflow(lake)


def test_a_day_is_published_once_it_is_complete(lake: Lake, airflow: Airflow) -> None:
    """The sensor holds no worker; another run lands what it waits for, as every five minutes."""
    lines = read(DEMO / "shop.jsonl.gz")
    late = [line for line in lines if json.loads(line)["timestamp"] >= NOON]
    write(lake.recordings, "early", [line for line in lines if line not in set(late)])
    merged, log = airflow.run("shop_every_5m", "2026-01-30T12:00:00")
    assert merged == {"land": "success", "merge": "success", "warnings": "success"}, log

    days = airflow.start("dags", "test", "shop_days", "2026-01-31T01:00:00")
    assert days.stdout
    before = ""
    for line in days.stdout:
        before += line
        if "task_id=day" in line and "deferred" in line.lower():
            break
    assert days.poll() is None, before
    write(lake.recordings, "late", late)
    landed = subprocess.run(
        [BIN / "dbt", "run", "--select", "landing", "path:models/ops/shop"],
        cwd=airflow.project,
        env=airflow.environment,
        capture_output=True,
        text=True,
    )
    assert landed.returncode == 0, landed.stdout
    log = before + days.communicate()[0]
    states = airflow.states("shop_days")
    assert states == dict.fromkeys(states, "success"), log
    assert set(states) == {"land", "day", "publish", "maintain", "status", "warnings"}
    assert_shop_daily(lake.catalog, "2026-01-30")


def test_a_failure_is_red_and_a_warning_is_skipped(lake: Lake, airflow: Airflow) -> None:
    """A hand in a mirror is a warning of the next run, and a misspelt setting fails it."""
    lake.land_demo()
    merged, log = airflow.run("shop_every_5m", "2026-02-01T00:00:00")
    assert set(merged.values()) == {"success"}, log

    lake.catalog.load_table("mirror.shop__products").delete("stock < 150")
    warned, log = airflow.run("shop_every_5m", "2026-02-01T00:05:00")
    assert warned == {"land": "success", "merge": "success", "warnings": "skipped"}, log
    assert "mirror_shop__products: " in log

    model = airflow.project / "models/mirror/shop/mirror_shop__orders.sql"
    model.write_text("{{ config(merge_modus='x') }}" + model.read_text("utf-8"), encoding="utf-8")
    failed, log = airflow.run("shop_every_5m", "2026-02-01T00:10:00")
    assert failed == {"land": "success", "merge": "failed", "warnings": "upstream_failed"}, log
    assert "merge_modus" in log
