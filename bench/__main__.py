"""Merge the same batches with every system, round by round, and say how they compare.

    python -m bench --rows 1000000 --keys 10000 --systems lakemirror 'dbt-spark merge'

Each system and case has a process, a Spark and a lake of its own; the systems take turns, one
merges at a time. A time counts only if the table has the right rows afterwards.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from bench.data import Case
from bench.systems import SYSTEMS

MEMORY = "2g"
HEAD = """\
| System | Seconds, median (range) | Ratio | Shuffled MB | Spilled MB | Added MB | Added files |
|---|---|---|---|---|---|---|"""


class Worker:
    """A system's process."""

    def __init__(self, system: str, case: Case, folder: Path, memory: str) -> None:
        arguments = [system, json.dumps(asdict(case)), str(folder), memory]
        self.log = folder.with_suffix(".log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "bench.worker", *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )

    def ask(self, command: str) -> dict[str, Any]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        line = ""
        with suppress(BrokenPipeError):
            self.process.stdin.write(f"{command}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("\n".join(self.log.read_text().splitlines()[-5:]))
        return json.loads(line)

    def end(self) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


def measure(case: Case, systems: list[str], memory: str) -> dict[str, dict[str, Any]]:
    """By system: its rounds and its check, or why it was not measured."""
    results: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        workers = {
            name: Worker(name, case, Path(folder) / f"{n}", memory)
            for n, name in enumerate(systems)
        }
        for batch in range(case.rounds + 2):  # the table's first rows, and a round to warm up
            for name in [name for name in workers if "skipped" not in results.get(name, {})]:
                try:
                    answer = workers[name].ask(str(batch))
                except RuntimeError as error:
                    results[name] = {"skipped": str(error)}
                    continue
                print(f"{case.name}: {name}, batch {batch}: {answer}", file=sys.stderr, flush=True)
                rounds = results.setdefault(name, {"first": answer, "rounds": []})["rounds"]
                if batch > 1:
                    rounds.append(answer)
        for name, worker in workers.items():
            if "skipped" not in results[name]:
                results[name] |= worker.ask("check")
            worker.end()
    return results


def report(case: Case, results: dict[str, dict[str, Any]]) -> str:
    lines = [f"## {case.name}", "", HEAD]
    own = median(r["seconds"] for r in results["lakemirror"]["rounds"])
    for name, result in results.items():
        if "skipped" in result or not result["is_right"]:
            lines.append(f"| {name} | {result.get('skipped', 'its rows are wrong')} | | | | | |")
            continue
        seconds = sorted(r["seconds"] for r in result["rounds"])
        shuffled, spilled, added = (
            median(r[field] for r in result["rounds"]) / 1e6
            for field in ("shuffleWriteBytes", "diskBytesSpilled", "added-files-size")
        )
        files = median(r["added-data-files"] + r["added-delete-files"] for r in result["rounds"])
        lines.append(
            f"| {name} | {median(seconds):.1f} ({seconds[0]:.1f}..{seconds[-1]:.1f}) "
            f"| {median(seconds) / own:.2f} | {shuffled:.1f} | {spilled:.1f} | {added:.1f} "
            f"| {files:.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, default=10_000)
    parser.add_argument("--systems", nargs="*", default=list(SYSTEMS))
    parser.add_argument("--memory", default=MEMORY)
    given = parser.parse_args()
    case = Case(given.rows, given.keys)
    print(report(case, measure(case, given.systems, given.memory)))


if __name__ == "__main__":
    main()
