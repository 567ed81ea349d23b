"""What Spark's event log says of the statements of a program: their plans, stages and tasks."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EVENTS = "events"  # of Spark, in the folder of a program
EXECUTION = "spark.sql.execution.id"
# what moves no row: the code of a stage is numbered as it is made, and a projection may be in two
PLAIN = re.compile(r"WholeStageCodegen.*|Project")
STAGED = re.compile(r"[0-9a-f]{6,}")  # a batch's table, an index of a view


@dataclass
class Stage:
    """A stage of a job, as it ran.

    Attributes:
        rows: what each task has read, of tables and of shuffles.
        scanned: bytes that each task has read of tables.
        gathered: rows that it has read of shuffles.
        executors: on which its tasks ran that have read something.
        shuffled: bytes that it has written for other stages.
        written: bytes that it has written to tables.
        busy: seconds of a core.
    """

    rows: list[int] = field(default_factory=list)
    scanned: list[int] = field(default_factory=list)
    gathered: int = 0
    executors: set[str] = field(default_factory=set)
    shuffled: int = 0
    written: int = 0
    busy: float = 0

    @property
    def bytes(self) -> int:
        """What it has read of tables."""
        return sum(self.scanned)

    @property
    def largest(self) -> float:
        """The part that its largest task has read: of rows, or of bytes where it reads tables
        alone, whose files Spark divides by their bytes.
        """
        read = self.rows if self.gathered else self.scanned
        return max(read) / sum(read) if any(read) else 0


@dataclass
class Statement:
    """A statement that Spark has run.

    Attributes:
        time: when it began, in seconds since 1970.
        plan: a line for each node of its physical plan as it was first made.
        stages: those that ran for it.
        seconds: how long it took.
        jobs: how many Spark ran for it.
    """

    time: float
    plan: tuple[str, ...]
    stages: list[Stage] = field(default_factory=list)
    seconds: float = 0
    jobs: int = 0

    @property
    def rows(self) -> int:
        """Those of the stage that has read the most."""
        return max((sum(stage.rows) for stage in self.stages), default=0)


def logging_in(folder: Path) -> dict[str, str]:
    """Settings by which Spark writes an event log to a program's folder."""
    (folder / EVENTS).mkdir()
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": str(folder / EVENTS),
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.compress": "false",
    }


def read_statements(folder: Path) -> list[Statement]:
    """The statements of a program that has ended, in their order."""
    [log] = (folder / EVENTS).iterdir()
    statements: dict[str, Statement] = {}
    stages: dict[int, Stage] = {}
    for line in log.read_text("utf-8").splitlines():
        event = json.loads(line)
        kind = event["Event"].rpartition(".")[2]
        if kind == "SparkListenerSQLExecutionStart":
            plan = tuple(nodes(event["sparkPlanInfo"]))
            statements[str(event["executionId"])] = Statement(event["time"] / 1000, plan)
        elif kind == "SparkListenerSQLExecutionEnd":
            statement = statements[str(event["executionId"])]
            statement.seconds = event["time"] / 1000 - statement.time
        elif kind == "SparkListenerJobStart":
            statement = statements.get(event["Properties"].get(EXECUTION, ""))
            if statement is not None:
                statement.jobs += 1
            for number in event["Stage IDs"]:
                if statement is not None and number not in stages:
                    stages[number] = Stage()
                    statement.stages.append(stages[number])
        elif kind == "SparkListenerTaskEnd" and event["Stage ID"] in stages:
            add_task(stages[event["Stage ID"]], event)
    return list(statements.values())


def add_task(stage: Stage, event: Mapping[str, Any]) -> None:
    """Count a task that has ended."""
    metrics = event.get("Task Metrics") or {}
    read = metrics.get("Input Metrics", {})
    shuffled = metrics.get("Shuffle Read Metrics", {}).get("Total Records Read", 0)
    rows = read.get("Records Read", 0) + shuffled
    stage.rows.append(rows)
    stage.scanned.append(read.get("Bytes Read", 0))
    stage.gathered += shuffled
    stage.shuffled += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
    stage.written += metrics.get("Output Metrics", {}).get("Bytes Written", 0)
    stage.busy += metrics.get("Executor Run Time", 0) / 1000
    if rows:
        stage.executors.add(event["Task Info"]["Executor ID"])


def nodes(plan: Mapping[str, Any], depth: int = 0) -> Iterator[str]:
    """The nodes of a plan, indented, by names that are the same in each run."""
    if not PLAIN.fullmatch(plan["nodeName"]):
        yield " " * depth + STAGED.sub("#", plan["nodeName"])
        depth += 1
    for child in plan["children"]:
        yield from nodes(child, depth)


def between(statements: Sequence[Statement], begin: float, end: float) -> list[Statement]:
    """Those that began in a time, in seconds since 1970."""
    return [statement for statement in statements if begin <= statement.time <= end]


def heavy(statements: Sequence[Statement], rows: int) -> list[Statement]:
    """Those with a stage that has read so many rows."""
    return [statement for statement in statements if statement.rows >= rows]


def table_of(statements: Sequence[Statement], at_least: float = 0.1) -> list[str]:
    """A line for each statement that took so many seconds, as Markdown, and one for the rest."""
    lines = [
        "| Seconds | Core seconds | Jobs | Rows | Read MB | Shuffled MB | Written MB | Statement |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for each in (each for each in statements if each.seconds >= at_least):
        sums = {
            name: sum(getattr(stage, name) for stage in each.stages)
            for name in ("busy", "bytes", "shuffled", "written")
        }
        tables = {line.split()[1] for line in each.plan if "BatchScan" in line}
        lines.append(
            f"| {each.seconds:.2f} | {sums['busy']:.1f} | {each.jobs} | {each.rows:,} "
            f"| {sums['bytes'] / 1e6:.0f} | {sums['shuffled'] / 1e6:.0f} "
            f"| {sums['written'] / 1e6:.0f} | {each.plan[0]} {' '.join(sorted(tables))} |"
        )
    rest = [each.seconds for each in statements if each.seconds < at_least]
    return [*lines, f"| {sum(rest):.2f} | | | | | | | {len(rest)} others |"]
