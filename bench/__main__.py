"""Merge the same batches with every system, round by round, and say how they compare.

    python -m bench                       a small case, on the console
    python -m bench full                  every case, as a report with plots in bench/results
    python -m bench full --only "A day"   one case of these, on the console
    python -m bench memory                32 million rows in a heap of 2 GB, on the console
    python -m bench --profile             the same, and what each merge has asked of Spark
    python -m bench --trend               its ratios go to bench/results/trend.csv, too

Each system and case has a process, a Spark and a lake of its own; all systems of a case read one
log, take turns, and one works at a time. A time counts only if the table has the right rows
afterwards.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bench.data import Case
from bench.plan import PLANS, Part
from bench.report import RESULTS, table, write_report, write_trend


class Worker:
    """A system's process."""

    def __init__(self, system: str, case: Case, log: Path, folder: Path, profiles: bool) -> None:
        self.system = system
        self.log, self.folder = folder.with_suffix(".log"), folder
        command = [sys.executable, "-m", "bench.worker", system, json.dumps(asdict(case))]
        command += [str(log), str(folder), *(["profile"] if profiles else [])]
        with self.log.open("w") as said:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=said, text=True
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
        profile = self.folder / "profile.md"
        if profile.exists():
            print(f"## {self.system}\n\n{profile.read_text('utf-8')}", flush=True)


def write_log(case: Case, folder: Path) -> Path:
    """The log of a case, in a lake of its own, and a file that says what is where."""
    command = [sys.executable, "-m", "bench.log", json.dumps(asdict(case)), str(folder)]
    subprocess.run(command, check=True)
    return folder / "log.json"


def measure(part: Part, profiles: bool = False) -> dict[str, dict[str, Any]]:
    """By system: first rows, rounds, idle runs and whether its rows are right, or why not measured.

    ``last`` is the batch that follows the rounds, where the case has one.
    """
    case, systems = part.case, part.systems
    results: dict[str, dict[str, Any]] = {
        name: {"first": [], "rounds": [], "last": [], "idle": []} for name in systems
    }
    with tempfile.TemporaryDirectory() as folder:
        log = write_log(case, Path(folder) / "log")
        workers = {
            name: Worker(name, case, log, Path(folder) / f"{n}", profiles)
            for n, name in enumerate(systems)
        }

        def ask(name: str, command: str) -> dict[str, Any] | None:
            if "skipped" in results[name]:
                return None
            try:
                answer = workers[name].ask(command)
            except RuntimeError as error:
                results[name]["skipped"] = str(error)
                return None
            print(f"{case.name}: {name}: {command}: {answer}", file=sys.stderr, flush=True)
            return answer

        for name in systems:
            ask(name, "ready")  # what has yet to start would take the cores of the first one
        for batch in range(case.batches):
            is_last = batch == case.batches - 1
            for name in systems:
                if name in part.once and not is_last:
                    continue
                answer = ask(name, f"merge {batch}")
                if answer and name in part.once:
                    results[name]["rounds"].append(answer)
                elif answer and batch == 0:
                    results[name]["first"].append(answer)
                elif answer and batch > 1:
                    results[name]["rounds" if batch <= case.newest else "last"].append(answer)
        for turn in range(4):
            for name in part.idle:
                answer = ask(name, f"idle {case.newest}")
                if answer and turn:
                    results[name]["idle"].append(answer)
        wanted = json.loads(log.read_text())["wanted"]
        for name in systems:
            found = ask(name, "state") or {}
            results[name] |= {"is_right": found == wanted, **found}
            workers[name].end()
    return results


def last(part: Part, results: dict[str, dict[str, Any]]) -> Iterator[tuple[Part, dict[str, Any]]]:
    """The batch that follows the rounds, as a case by itself."""
    if part.case.last_keys:
        case = replace(part.case, keys=part.case.last_keys, rounds=1, last_keys=0)
        systems = [name for name in part.systems if name not in part.once]
        alone = {name: {**results[name], "rounds": results[name]["last"]} for name in systems}
        yield Part("Many changes", case, systems), alone


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", nargs="?", choices=[*PLANS], default="smoke")
    parser.add_argument("--only", default="", help="what the titles of the cases begin with")
    parser.add_argument("--profile", action="store_true", help="what each merge asks of Spark")
    parser.add_argument("--trend", action="store_true", help="add the ratios to trend.csv")
    given = parser.parse_args()
    begin = time.monotonic()
    measured = []
    for part in (part for part in PLANS[given.plan] if part.title.startswith(given.only)):
        results = measure(part, given.profile)
        for found in [(part, results), *last(part, results)]:
            measured.append(found)
            print("\n".join(table(*found)), flush=True)
        if given.plan == "full" and not given.only:
            write_report(RESULTS, measured, time.monotonic() - begin)
    if given.trend:
        write_trend(measured)


if __name__ == "__main__":
    main()
