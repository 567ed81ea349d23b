"""The results of a run, as Markdown and plots."""

import argparse
import csv
import json
import os
import platform
import subprocess
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from math import log2
from pathlib import Path
from statistics import median
from typing import Any

from matplotlib.figure import Figure

from bench.plan import COPY, DAY, HAND, HAND_COPY, MERGED, OURS, RELOAD, Part
from bench.systems import SYSTEMS
from lakemirror.jars import COORDINATES

RESULTS = Path(__file__).parent / "results"
Results = dict[str, dict[str, Any]]
Measured = list[tuple[Part, Results]]
HEAD = [
    "| System | Merge, s: median (range) | Ratio | First rows, s | Read, s | Shuffled MB "
    "| Spilled MB | Added MB | Added files |",
    "|---|---|---|---|---|---|---|---|---|",
]
HOW = """\
Each system has a process, a Spark (`local[2]`, the memory that its case gives) and a lake of its
own; all systems of a case read one log, take turns, and one works at a time; a first round warms
them up. A row counts only if a hash of the table's rows is that of the whole log's newest events.
*Read* is one query over all live rows after the last round, *added* is what all commits of a merge
add, with its tombstones; *floor* reads the key column once and writes the changed rows. Only the
case of Debezium's JSON, and the reload of JSON, decode; others read decoded events (*one
from_json*, *decode*, and *decode and fold* write nothing). Times are of
one machine: compare the ratios."""
SKIPPED = """\
Not measured: Spark's AUTO CDC, which came after Spark 4.1: Iceberg 1.12.0 has no jar for a Spark
that has it. Hudi and Paimon: of neither is a jar for Spark 4.1 in the registry that this run
resolves its jars from (`org.apache.hudi:hudi-spark4.1-bundle_2.13`,
`org.apache.paimon:paimon-spark-4.1_2.13`)."""


def is_valid(result: dict[str, Any]) -> bool:
    return "skipped" not in result and result.get("is_right", False)


def middle(result: dict[str, Any], what: str = "rounds", field: str = "seconds") -> float:
    """The median of a system's rounds, of its idle runs, or of the first rows."""
    return median(r[field] for r in result[what])


def quotient(above: dict[str, Any], below: dict[str, Any], *what: str) -> float | None:
    """How often one system's median goes into another's; None where one does not count."""
    if not (is_valid(above) and is_valid(below)):
        return None
    return middle(above, *what) / middle(below, *what)


def first_rows(result: dict[str, Any]) -> str:
    """How long the first rows took, where a system has got them apart."""
    return f"{middle(result, 'first'):.1f}" if result["first"] else ""


def table(part: Part, results: Results) -> list[str]:
    """A case's systems; the ratio is to the first."""
    lines = [f"## {part.title}", "", f"{part.case.name}; {part.case.rounds} rounds.", "", *HEAD]
    first = results[part.systems[0]]
    for name, result in results.items():
        if not is_valid(result):
            reason = result.get("skipped", "its rows are wrong").replace("\n", " ")
            lines.append(f"| {name} | not counted: {reason} | | | | | | | |")
            continue
        rounds = result["rounds"]
        times = sorted(r["seconds"] for r in rounds)
        ratio = quotient(result, first)
        shuffled, spilled, added = (
            middle(result, "rounds", field) / 1e6
            for field in ("shuffleWriteBytes", "diskBytesSpilled", "added-files-size")
        )
        files = median(r["added-data-files"] + r["added-delete-files"] for r in rounds)
        lines.append(
            f"| {name} | {median(times):.1f} ({times[0]:.1f}..{times[-1]:.1f}) "
            f"| {'' if ratio is None else f'{ratio:.2f}'} "
            f"| {first_rows(result)} | {rounds[-1]['read']:.1f} | {shuffled:.1f} "
            f"| {spilled:.1f} | {added:.1f} | {files:.0f} |"
        )
    for name in part.idle:
        if is_valid(results[name]):
            lines.append(f"\nNothing to do: {name} {middle(results[name], 'idle'):.2f} s.")
    return [*lines, ""]


def write_report(folder: Path, measured: Measured, duration: float) -> None:
    """Write what has been measured so far: report.md, its plots and results.json."""
    folder.mkdir(exist_ok=True)
    plots = [plot(folder, measured) for plot in (plot_cases, plot_growth, plot_rounds)]
    lines = [
        "# What merging costs",
        "",
        run_on("make bench-full", duration),
        "",
        HOW,
        "",
        *goals(measured),
    ]
    lines += [f"![{name}]({name}.svg)\n" for name in plots if name]
    for part, results in measured:
        lines += table(part, results)
    lines += [SKIPPED, ""]
    (folder / "report.md").write_text("\n".join(lines), encoding="utf-8")
    raw = [{"title": part.title, "results": results} for part, results in measured]
    (folder / "results.json").write_text(json.dumps(raw, indent=1) + "\n", encoding="utf-8")


def write_trend(measured: Measured) -> None:
    """Add a line for each case and system to trend.csv: how many times as long as the first one a
    merge takes at this commit. Ratios of one run compare with those of another; seconds do not."""
    file = RESULTS / "trend.csv"
    is_new = not file.exists()
    with file.open("a", encoding="utf-8", newline="") as opened:
        lines = csv.writer(opened)
        if is_new:
            lines.writerow(["commit", "case", "system", "ratio"])
        for part, results in measured:
            first = results[part.systems[0]]
            for name in results:
                ratio = quotient(results[name], first)
                if ratio is not None:
                    lines.writerow(
                        [commit(), f"{part.title}: {part.case.name}", name, f"{ratio:.2f}"]
                    )


def commit() -> str:
    """The commit that is measured; one with a plus is not all of it."""
    command = ["git", "describe", "--always", "--dirty=+", "--exclude", "*"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip()


def write_page(name: str, lines: list[str]) -> None:
    """Write a page of bench/results."""
    (RESULTS / f"{name}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


def publish(
    doc: str | None, name: str, title: str, command: str, measure: Callable[[bool], list[str]]
) -> None:
    """A bench's main: measure, show the report's lines, and write their page after a full run.

    Args:
        doc: the bench's, for --help.
        measure: gives the lines; of the full plan, or a small one.
    """
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("plan", nargs="?", choices=["smoke", "full"], default="smoke")
    full = parser.parse_args().plan == "full"
    begin = time.monotonic()
    lines = measure(full)
    print("\n".join(lines))
    if full:
        told = run_on(command, time.monotonic() - begin)
        write_page(name, [f"# {title}", "", told, "", *lines])


def spread(found: Sequence[float]) -> str:
    """The median and the range."""
    return f"{median(found):.1f} ({min(found):.1f} to {max(found):.1f})"


def run_on(command: str, duration: float) -> str:
    """What was run, for how many seconds, and on what."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    jars = [*COORDINATES[:1], *SYSTEMS["Delta Lake"].jars[:1]]
    versions = [f"{name} {version(name)}" for name in ("dbt-core", "dbt-spark", "pyspark")]
    return (
        f"`{command}` at commit {commit()}, in {duration / 60:.0f} minutes, on "
        f"{os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}; {', '.join([*versions, *jars])}."
    )


def goals(measured: Measured) -> list[str]:
    """What was aimed at, beside what was seen."""
    by_title = {part.title: results for part, results in measured}

    def ratio(title: str, above: str, below: str = OURS, *what: str) -> float | None:
        results = by_title.get(title, {})
        return quotient(results.get(above, {}), results.get(below, {}), *what)

    one, stock = "One percent of 8 million rows", "dbt-spark merge"
    small, large = (f"Growth: {n} million rows" for n in (4, 16))
    json_, parse = "Debezium's JSON", "one from_json"
    grown = quotient(*(by_title.get(title, {}).get(OURS, {}) for title in (large, small)))
    rows = [
        (
            "JSON into nothing by the staging, times one from_json",
            "<= 1.3",
            ratio(json_, "decode", parse),
        ),
        ("JSON to mirror, times one from_json", "<= 1.6", ratio(json_, MERGED, parse)),
        ("first rows of 8M: ours, times a CTAS by hand", "<= 1.3", ratio(one, OURS, HAND, "first")),
        ("80,000 into 8M: dbt-spark's merge, times ours", ">= 8", ratio(one, stock)),
        ("80,000 into 8M: a MERGE by hand, times ours", ">= 1.5", ratio(one, HAND)),
        (
            "80,000 into 8M: Delta Lake (deletion vectors), times ours",
            ">= 1.5",
            ratio(one, "Delta Lake"),
        ),
        ("10,000 into 1M: a MERGE by hand, times ours", ">= 1.0", ratio("Ten rounds", HAND)),
        ("800,000 into 16M: a MERGE by hand, times ours", ">= 1.0", ratio("Many changes", HAND)),
        ("ours, times the floor", "<= 2.5", ratio(one, OURS, "floor")),
        (
            "bytes that ours writes, times those of the changed rows",
            "<= 1.5",
            ratio(one, OURS, "floor", "rounds", "added-files-size"),
        ),
        ("a full reload of 16M rows from JSON, times ours", ">= 24", ratio(large, RELOAD)),
        # the table doubles twice
        ("exponent of growth, 4 to 16M rows", "<= 0.6", grown and log2(grown) / 2),
        ("a day, times a copy of its mirror by hand", "<= 1.6", ratio("A day", DAY, COPY)),
        ("a day, times a copy of a hand's table", "", ratio("A day", DAY, HAND_COPY)),
        ("idle, times dbt-spark's", "<= 0.25", ratio(one, OURS, stock, "idle")),
    ]
    lines = ["| Case | Aim | Seen |", "|---|---|---|"]
    lines += [f"| {text} | {aim} | {seen:.2f} |" for text, aim, seen in rows if seen is not None]
    return [*lines, ""]


def plot_cases(folder: Path, measured: Measured) -> str | None:
    """Medians of the first case, a bar a system."""
    part, results = measured[0]
    valid = {name: middle(result) for name, result in results.items() if is_valid(result)}
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    axes = figure.subplots()
    axes.barh(list(valid)[::-1], list(valid.values())[::-1])
    axes.set(title=part.case.name, xlabel="seconds a merge, median")
    return save(figure, folder, "systems")


def plot_growth(folder: Path, measured: Measured) -> str | None:
    """The same number of changes into tables of two sizes."""
    grown = [(p, r) for p, r in measured if p.title.startswith("Growth")]
    if len(grown) < 2:
        return None
    figure = Figure(figsize=(6, 3.5), layout="constrained")
    axes = figure.subplots()
    for name in (OURS, HAND):
        points = [(p.case.rows, middle(r[name])) for p, r in grown if is_valid(r[name])]
        axes.plot(*zip(*points, strict=True), marker="o", label=name)
    axes.set(title="40,000 changed keys", xlabel="rows", ylabel="seconds a merge", ylim=(0, None))
    axes.legend()
    return save(figure, folder, "growth")


def plot_rounds(folder: Path, measured: Measured) -> str | None:
    """Merging and reading, round after round without maintenance."""
    found = [(p, r) for p, r in measured if p.title == "Ten rounds"]
    if not found:
        return None
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    for axes, field in zip(figure.subplots(1, 2), ("seconds", "read"), strict=True):
        for name, result in found[0][1].items():
            if is_valid(result):
                times = [r[field] for r in result["rounds"]]
                axes.plot(range(2, len(times) + 2), times, marker="o", label=name)
        axes.set(title={"seconds": "merge", "read": "read all rows"}[field], xlabel="round")
        axes.set(ylabel="seconds", ylim=(0, None))
    axes.legend()
    return save(figure, folder, "rounds")


def save(figure: Any, folder: Path, name: str) -> str:
    figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    return name
