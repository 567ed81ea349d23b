"""The demo's project on a schedule: landing and mirrors every few minutes, days once a day.

Airflow has an environment of its own, without dbt: its tasks call the commands of the project's.

    LAKEMIRROR_PROJECT   the folder of the dbt project
    LAKEMIRROR_BIN       the folder with its commands, such as /srv/shop/.venv/bin
"""

import os
from datetime import timedelta

import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG
from airflow.timetables.interval import CronDataIntervalTimetable
from lakemirror_day import DaySensor

PROJECT, BIN = os.environ["LAKEMIRROR_PROJECT"], os.environ["LAKEMIRROR_BIN"]
SOURCE = "shop"
# how often the mirrors of each tag of dbt's are merged: fresher costs more
FREQUENCIES = {"every_5m": "*/5 * * * *", "every_1h": "7 * * * *"}
WARNED = 99  # the exit code that shows a task as skipped
EACH = {
    "start_date": pendulum.datetime(2026, 1, 1, tz="UTC"),
    "catchup": False,
    "max_active_runs": 1,  # a run that takes longer than its interval is not overtaken
    "default_args": {"retries": 2, "retry_delay": timedelta(minutes=1)},
}


def dbt(task_id: str, arguments: str, **given: object) -> BashOperator:
    """A call of dbt, which starts Spark once for all models that it selects."""
    own = f"--target-path target/airflow/{{{{ dag.dag_id }}}} --log-path logs/{{{{ dag.dag_id }}}}"
    return command(task_id, f"{BIN}/dbt {arguments} {own}", **given)


def command(task_id: str, line: str, **given: object) -> BashOperator:
    return BashOperator(
        task_id=task_id, bash_command=line, cwd=PROJECT, append_env=True, **given
    )


def warnings() -> BashOperator:
    """Skipped where a model of the last call of dbt has warned: its log names each."""
    results = "target/airflow/{{ dag.dag_id }}/run_results.json"
    said = f"{BIN}/python -m json.tool {results} | grep -A 9 '\"status\": \"warn\"'"
    return command("warnings", f"{said} && exit {WARNED} || true", skip_on_exit_code=WARNED)


for tag, cron in FREQUENCIES.items():
    with DAG(f"{SOURCE}_{tag}", schedule=cron, **EACH):
        (
            dbt("land", "run --select landing")
            >> dbt("merge", f"build --select tag:{tag}")
            >> warnings()
        )

nightly = CronDataIntervalTimetable("30 0 * * *", timezone="UTC")
with DAG(f"{SOURCE}_days", schedule=nightly, **EACH):
    (
        dbt("land", f"run --select landing path:models/ops/{SOURCE}")
        >> DaySensor(
            task_id="day",
            lakemirror=f"{BIN}/lakemirror",
            folder=PROJECT,
            source=SOURCE,
            day="{{ data_interval_start | ds }}",
        )
        >> dbt("publish", f"build --select path:models/daily/{SOURCE} marts")
        >> warnings()
        >> command("maintain", f"{BIN}/lakemirror maintain --budget 1h", trigger_rule="none_failed")
        >> command("status", f"{BIN}/lakemirror status")
    )
