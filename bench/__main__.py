"""Merge the same batches with every system, round by round, and say how they compare.

    python -m bench                       a small case, on the console
    python -m bench full                  every case, as a report with plots in bench/results
    python -m bench full --only "A day"   one case of these, on the console

Each system and case has a process, a Spark and a lake of its own; the systems of a case take turns,
and one works at a time. A time counts only if the table has the right rows afterwards.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench.data import Case
from bench.plan import FULL, SMOKE, Part
from bench.report import RESULTS, table, write_report


class Worker:
    """A system's process."""

    def __init__(self, system: str, case: Case, folder: Path) -> None:
        self.log = folder.with_suffix(".log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "bench.worker",
                    system,
                    json.dumps(asdict(case)),
                    str(folder),
                ],
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


def measure(part: Part) -> dict[str, dict[str, Any]]:
    """By system: first rows, rounds, idle runs and the check, or why it was not measured."""
    case, systems = part.case, part.systems
    results: dict[str, dict[str, Any]] = {name: {"rounds": [], "idle": []} for name in systems}
    with tempfile.TemporaryDirectory() as folder:
        workers = {
            name: Worker(name, case, Path(folder) / f"{n}") for n, name in enumerate(systems)
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

        newest = case.rounds + 1  # after the table's first rows and a round to warm up
        for batch in range(newest + 1):
            for name in systems:
                answer = ask(name, f"merge {batch}")
                if answer and batch == 0:
                    results[name]["first"] = answer
                elif answer and batch > 1:
                    results[name]["rounds"].append(answer)
        for turn in range(4):
            for name in part.idle:
                answer = ask(name, f"idle {newest}")
                if answer and turn:
                    results[name]["idle"].append(answer)
        for name in systems:
            results[name] |= ask(name, "check") or {}
            workers[name].end()
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("plan", nargs="?", choices=["smoke", "full"], default="smoke")
    parser.add_argument("--only", default="", help="what the titles of the cases begin with")
    given = parser.parse_args()
    begin = time.monotonic()
    measured = []
    plan = FULL if given.plan == "full" else SMOKE
    for part in (part for part in plan if part.title.startswith(given.only)):
        results = measure(part)
        measured.append((part, results))
        print("\n".join(table(part, results)), flush=True)
        if given.plan == "full" and not given.only:
            write_report(RESULTS, measured, time.monotonic() - begin)


if __name__ == "__main__":
    main()
