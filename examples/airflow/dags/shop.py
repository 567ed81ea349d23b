"""The demo's project on a schedule: landing and mirrors every few minutes, days once a day.

Airflow has an environment of its own, without dbt: its tasks call the commands of the project's.

    LAKEMIRROR_PROJECT   the folder of the dbt project
    LAKEMIRROR_BIN       the folder with its commands, such as /srv/shop/.venv/bin
"""

import json
import os
from datetime import timedelta
from pathlib import Path

import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG, task
from airflow.sdk.exceptions import AirflowSkipException
from airflow.timetables.interval import CronDataIntervalTimetable
from lakemirror_day import DaySensor

PROJECT, BIN = os.environ["LAKEMIRROR_PROJECT"], os.environ["LAKEMIRROR_BIN"]
SOURCE = "shop"
# how often the mirrors of each tag of dbt's are merged: fresher costs more
FREQUENCIES = {"every_5m": "*/5 * * * *", "every_1h": "7 * * * *"}
EACH = {
    "start_date": pendulum.datetime(2026, 1, 1, tz="UTC"),
    "catchup": False,
    "max_active_runs": 1,  # a run that takes longer than its interval is not overtaken
    "default_args": {"retries": 2, "retry_delay": timedelta(minutes=1)},
}


def dbt(task_id: str, arguments: str) -> BashOperator:
    """A call of dbt, which starts Spark once for all models that it selects."""
    own = "--target-path target/airflow/{{ dag.dag_id }} --log-path logs/{{ dag.dag_id }}"
    return command(task_id, f"{BIN}/dbt --no-use-colors {arguments} {own}")


def command(task_id: str, line: str, **given: object) -> BashOperator:
    return BashOperator(task_id=task_id, bash_command=line, cwd=PROJECT, append_env=True, **given)


@task
def warnings(dag_id: str) -> None:
    """Skipped where the last call of dbt has warned, with what it has said."""
    results = Path(PROJECT, "target", "airflow", dag_id, "run_results.json")
    found = json.loads(results.read_text(encoding="utf-8"))["results"]
    warned = [f"{one['unique_id']}: {one['message']}" for one in found if one["status"] == "warn"]
    if warned:
        raise AirflowSkipException("\n".join(warned))


for tag, cron in FREQUENCIES.items():
    with DAG(f"{SOURCE}_{tag}", schedule=cron, **EACH):
        (
            dbt("land", "run --select landing")
            >> dbt("merge", f"build --select tag:{tag}")
            >> warnings("{{ dag.dag_id }}")
        )

nightly = CronDataIntervalTimetable("30 0 * * *", timezone="UTC")
with DAG(f"{SOURCE}_days", schedule=nightly, **EACH):
    published = dbt(
        "publish", f"build --select path:models/daily/{SOURCE} consistent_cut path:seeds marts"
    )
    (
        dbt("land", f"run --select landing path:models/ops/{SOURCE}")
        >> DaySensor(
            task_id="day",
            lakemirror=f"{BIN}/lakemirror",
            folder=PROJECT,
            source=SOURCE,
            day="{{ data_interval_start | ds }}",
        )
        >> published
        >> command("maintain", f"{BIN}/lakemirror maintain --budget 1h")
        >> command("status", f"{BIN}/lakemirror status")
    )
    published >> warnings("{{ dag.dag_id }}")
