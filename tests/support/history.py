"""Random histories of rows, what a connector sends of them, and the state they must come to.

It shares nothing with the project: a history is played in the source's own order, as it happens,
and the columns of order are only written down, never compared.
"""

from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

Row = dict[str, int | None]

# four quarters of the keys: (from instant, quarters, their log, epoch, rank at its start)
LOGS = {
    "shards": [
        (0, {0, 1}, "-80", 1, 4294967000),
        (0, {2, 3}, "80-", 1, 32000),
        (30, {0}, "-40", 2, 211),  # -80 splits
        (30, {1}, "40-80", 2, 199),
        (60, {2, 3}, "80-", 2, 31000),  # a server leaves: the epoch grows, the rank falls
        (80, {0, 1}, "-80", 3, 91),  # and they merge again under the old name
    ],
    "servers": [
        (0, {0, 1, 2, 3}, "1", 0, 4294967000),
        (50, {0, 1, 2, 3}, "2", 1, 4),  # another server takes over
    ],
}
LOGS["parts"] = LOGS["servers"]  # whose events may lack columns
TRUNCATES = {"shards": [], "servers": [45, 75], "parts": [45, 75]}  # after all else of the instant
INSTANTS = 100
KINDS = ["write", "write", "delete", "reinsert", "move", "snapshot", "twice"]
PARTS = ["touch", "touch", "rewrite", "adopt"]  # one column, the other, a row whose `w` is not told


def steps(world: str) -> st.SearchStrategy[list[tuple[int, str, int, int]]]:
    return st.lists(
        st.tuples(
            st.integers(0, INSTANTS - 1),  # when
            st.sampled_from(KINDS + PARTS if world == "parts" else KINDS),
            st.integers(0, 3),  # the quarter that it moves to
            st.integers(0, 2),  # how often its events are delivered again
        ),
        min_size=1,
        max_size=8,
    )


def position(world: str, quarter: int, instant: int) -> dict[str, Any]:
    """The log, the epoch and the rank of a quarter at an instant."""
    began = [log for log in LOGS[world] if log[0] <= instant and quarter in log[1]]
    start, _, log, epoch, rank = began[-1]
    return {"log": log, "epoch": epoch, "rank": rank + instant - start, "ts": instant}


@dataclass
class History:
    """A row's life: ``events`` as sent, and the source's own state at the end."""

    world: str
    key: int
    quarter: int
    events: list[dict[str, Any]] = field(default_factory=list)
    value: Row | None = None  # None: there is no row
    last: Row | None = None  # the values that a deleted row had
    writes: int = 0
    moved_at: int | None = None

    def send(self, op: str, instant: int, order: int, repeats: int, unsent: str = "") -> None:
        values = {name: None if name in unsent else n for name, n in self.value.items()}
        event = {"op": op, "id": self.key, **values, "unsent": [*unsent], "order": order}
        event |= position(self.world, self.quarter, instant)
        self.events += [event] * (1 + repeats)

    def write(self, instant: int, order: int, repeats: int, unsent: str = "") -> None:
        self.writes += 1
        op = "c" if self.value is None else "u"
        row = self.value or {"v": None, "w": None}
        new = {name: self.key * 100 + self.writes for name in row if name not in unsent}
        self.value, self.last = row | new, None
        self.send(op, instant, order, repeats, unsent)

    def delete(self, instant: int, order: int, repeats: int) -> None:
        if self.value is not None:
            self.send("d", instant, order, repeats, "vw" if self.world == "parts" else "")
            self.value, self.last = None, self.value

    def truncate(self) -> None:
        self.value, self.last = None, None


def play(
    world: str,
    key: int,
    quarter: int,
    moves: list[tuple[int, str, int, int]],
    until: int = INSTANTS,
) -> History:
    """The history of one row, step by step in the order of time, as far as before an instant."""
    history = History(world, key, quarter)
    truncates = [instant for instant in TRUNCATES[world] if instant < until]
    moves = [move for move in moves if move[0] < until]
    for place, (instant, kind, to, repeats) in enumerate(sorted(moves), start=1):
        while truncates and truncates[0] < instant:
            history.truncate()
            truncates.pop(0)
        order = 10 * place
        is_first = not history.events or history.events[-1]["ts"] < instant
        if history.moved_at == instant or (kind == "move" and not is_first):
            continue  # between unrelated shards there is only the time, in whole seconds
        if kind == "snapshot" and history.value is not None and is_first:
            if history.value["w"] is None:  # what nobody has told so far, a snapshot tells
                history.value["w"] = -history.key
            history.send("r", instant, -1, repeats)
        elif kind in ("delete", "reinsert", "move", "adopt"):
            history.delete(instant, order, repeats)
            if kind == "move":
                history.quarter, history.moved_at = to, instant
        if kind in ("write", "reinsert", "move", "twice"):
            history.write(instant, order + 1, repeats)
        if kind == "twice":
            history.write(instant, order + 2, repeats)
        if kind == "adopt" or (kind == "touch" and history.value):
            history.write(instant, order + 3, repeats, unsent="w")
        if kind == "rewrite" and history.value:
            history.write(instant, order + 3, repeats, unsent="v")
    if truncates:
        history.truncate()
    return history


def truncate_events(world: str) -> list[dict[str, Any]]:
    """The TRUNCATEs as sent, each twice: no key, and no row."""
    events = []
    for instant in TRUNCATES[world]:
        event = {"op": "t", "id": None, "v": None, "w": None, "unsent": [], "order": 1000}
        event |= position(world, 0, instant)
        events += [event] * 2
    return events
