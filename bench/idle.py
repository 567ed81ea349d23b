"""Run a project of many mirrors when nothing has changed, beside as many stock incremental models.

python -m bench.idle            10 of each, on the console
python -m bench.idle full       100 of each, for bench/results/idle.md
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from dbt.cli.main import dbtRunner

from bench.data import Case, batch_sql, create_raw_sql
from bench.report import publish, spread
from bench.session import open_session
from bench.systems import PROJECT

CASE = Case(1_000, 100)
TURNS = 4  # the first one warms up
KINDS = {"mirrors": "mirror", "stock incremental models": "stock"}


class Project:
    """A copy of bench/project with many models of each kind, on one raw table."""

    def __init__(self, folder: Path, models: int) -> None:
        self.folder = folder / "project"
        shutil.copytree(PROJECT, self.folder)
        texts = {"mirror": "select * from {{ ref('stg_rows') }}"}
        texts["stock"] = (PROJECT / "models/stock_merge.sql").read_text("utf-8")
        for kind, text in texts.items():
            own = self.folder / "models" / kind
            shutil.rmtree(own, ignore_errors=True)
            own.mkdir()
            for number in range(models):
                config = "{{ config(unique_key='id', buckets=none) }}\n" if kind == "mirror" else ""
                (own / f"{kind}_t{number}.sql").write_text(config + text, "utf-8")
        for name in ("daily_events", "daily_rows", "stg_events", "watermark_bench"):
            (self.folder / f"models/{name}.sql").unlink()

    def run(self, kind: str, batch: int) -> float:
        """Seconds of a run of all models of a kind, with all that dbt does."""
        arguments = ["run", "--select", f"{kind}.*", "--project-dir", str(self.folder), "--quiet"]
        arguments += ["--profiles-dir", str(self.folder), "--log-path", str(self.folder / "logs")]
        begin = time.monotonic()
        result = dbtRunner().invoke([*arguments, "--vars", json.dumps({"batch": batch})])
        if not result.success:
            raise RuntimeError(result.exception or [r.message for r in result.result])
        return time.monotonic() - begin


def measure(models: int) -> list[str]:
    """The report's lines."""
    times: dict[str, list[float]] = {name: [] for name in KINDS}
    first = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["LAKEMIRROR_LAKE"] = str(folder / "lake")
        spark = open_session(folder / "lake", "2g")
        for statement in ("create namespace raw", create_raw_sql(CASE), batch_sql(CASE, 0)):
            spark.sql(statement)
        project = Project(folder, models)
        for title, kind in KINDS.items():
            first[title] = project.run(kind, 0)
        for turn in range(TURNS):
            for title, kind in KINDS.items():
                took = project.run(kind, 1)  # of batch 1 there is no row
                print(f"{title}: {took:.1f} s", file=sys.stderr, flush=True)
                if turn:
                    times[title].append(took)
    return [
        f"A project of {models} models of each kind on one raw table, 2 threads; `dbt run` of all,",
        "with dbt's own start, in one process.",
        "",
        "| | First run, s | Idle run, s: median (range) | Idle, s a model |",
        "|---|---|---|---|",
        *(
            f"| {models} {title} | {first[title]:.0f} | {spread(found)} "
            f"| {median(found) / models:.2f} |"
            for title, found in times.items()
        ),
    ]


def main() -> None:
    command = "python -m bench.idle full"
    title = "What a run costs that finds nothing"
    publish(__doc__, "idle", title, command, lambda full: measure(100 if full else 10))


if __name__ == "__main__":
    main()
