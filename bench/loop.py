"""How fresh a resident loop keeps ten mirrors of two databases that change all the time.

The databases, Kafka and Connect are those of ``make stack-up``, on the same cores.

python -m bench.loop          three minutes, on the console
python -m bench.loop full     ten, for bench/results/loop.md
"""

import json
import re
import signal
import subprocess
import sys
import time
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import Any

from stack.demo import FIRST_MARK, Live, begin, leave_mark
from stack.services import Stack

from bench.report import publish, spread
from lakemirror.lake import pyiceberg_catalog
from lakemirror.state.commits import history, properties
from lakemirror.state.window import BOOKMARK, OFFSETS, offsets_in

COMMAND = "run --every 1s --maintain-every 3m --select landing mirror.*"
ROUND = re.compile(r"(\d+) models? in ([\d.]+) s")
CARE = "cared for"
PLACED = ("value", "_kfk_partition", "_kfk_offset")
PAUSE = 1.0  # seconds between the changes of each database


@dataclass
class Heard:
    """What a loop has said: the models and seconds of each round, and how often it has cared."""

    rounds: list[tuple[int, float]] = field(default_factory=list)
    cares: int = 0

    def listen(self, lines: Any) -> None:
        for line in lines:
            sys.stderr.write(line)
            if found := ROUND.search(line):
                self.rounds.append((int(found[1]), float(found[2])))
            self.cares += CARE in line


def measure(live: Live, seconds: int) -> tuple[Heard, dict[str, list[float]]]:
    """Run a loop for so long, and change both databases meanwhile.

    Returns:
        What the loop has said, and by source how long after its commit each change of the second
        half was in the mirror.

    Raises:
        RuntimeError: the loop has failed.
    """
    command = [Path(sys.executable).with_name("lakemirror"), *COMMAND.split()]
    loop = subprocess.Popen(command, cwd=live.project, stdout=subprocess.PIPE, text=True)
    heard = Heard()
    listener = Thread(target=heard.listen, args=(loop.stdout,))
    listener.start()
    start, sent, mark = time.time(), dict[int, float](), live.mark
    while loop.poll() is None and time.time() < start + seconds:
        for load in live.loads.values():
            load.step(1)
        mark += 1
        leave_mark(live.loads, mark)
        sent[mark] = time.time()
        time.sleep(PAUSE)
    loop.send_signal(signal.SIGINT)  # the round that runs is the last one
    if loop.wait():
        raise RuntimeError("the loop has failed")
    listener.join()
    late = {mark: at for mark, at in sent.items() if at > start + seconds / 2}
    return heard, {source: lags(live.lake, source, late) for source in live.loads}


def lags(lake: Path, source: str, sent: Mapping[int, float]) -> list[float]:
    """Seconds from when a row of visits was committed to the mirror's commit that has it.

    A mirror's commit says up to which of raw's it has read, and raw's up to which offset it has
    landed. What is not there yet is left out.
    """
    catalog = pyiceberg_catalog(lake)
    raw = catalog.load_table(f"raw.{source}__visits")
    mirror = catalog.load_table(f"mirror.{source}__visits")
    commits = history(raw)[::-1]
    landings = [commit for commit in commits if OFFSETS in properties(commit)]
    ends = [offsets_in(properties(commit)[OFFSETS]) for commit in landings]
    place = {commit.snapshot_id: number for number, commit in enumerate(commits)}
    read_by = [(int(properties(each).get(BOOKMARK, 0)), each) for each in history(mirror)[::-1]]
    merges = [
        (place[bookmark], commit.timestamp_ms / 1000)
        for bookmark, commit in read_by
        if bookmark in place
    ]
    read = [number for number, _ in merges]
    found = []
    for row in raw.scan(selected_fields=PLACED).to_arrow().to_pylist():
        event = json.loads(row["value"] or "{}")
        event = event.get("payload", event)  # a connector may send its schema beside it
        key = (event.get("after") or {}).get("id", 0)
        if key < FIRST_MARK or key not in sent:
            continue
        partition, offset = row["_kfk_partition"], row["_kfk_offset"]
        landed = bisect_right(ends, offset, key=lambda end: end.get(partition, 0))
        merged = bisect_left(read, place[landings[landed].snapshot_id])
        if merged < len(merges):
            found.append(merges[merged][1] - sent[key])
    return found


def page(heard: Heard, late: Mapping[str, Sequence[float]]) -> list[str]:
    """The report's lines: of rounds and changes in the second half."""
    most = max(models for models, _ in heard.rounds)
    warm = [took for models, took in heard.rounds[len(heard.rounds) // 2 :] if models == most]
    rows = {f"a round of all {most} models": warm}
    rows |= {f"{source}: from a commit to the mirror's": each for source, each in late.items()}
    return [
        f"`lakemirror {COMMAND}`: {len(heard.rounds)} rounds, of which the first took "
        f"{heard.rounds[0][1]:.0f} s; the tables were cared for {heard.cares} times. Each database "
        f"had a transaction and a row more each {PAUSE:g} s. In the second half:",
        "",
        "| | Seconds: median (range) | Seen |",
        "|---|---|---|",
        *(f"| {name} | {spread(found)} | {len(found)} |" for name, found in rows.items()),
    ]


def run(full: bool) -> list[str]:
    live = begin(Stack.of_environment(), f"bench-{int(time.time())}", timeout=1800)
    return page(*measure(live, 600 if full else 180))


def main() -> None:
    publish(__doc__, "loop", "How fresh a loop keeps ten mirrors", "make bench-loop", run)


if __name__ == "__main__":
    main()
