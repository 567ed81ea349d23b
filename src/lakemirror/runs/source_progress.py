"""What an audit against the source has done so far: rows of ops.source_audits, until it ends.

One that was killed goes on where it was.
"""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from lakemirror.runs.lake import make_ops_table
from lakemirror.runs.warehouse import Warehouse
from lakemirror.source.reading import Key, Page, SourceTable
from lakemirror.state.ops_tables import NOW, SOURCE_AUDITS

READ, LOOKED = "read", "looked "
SUSPECTS = 2_000  # in a row of ops.source_audits


@dataclass(frozen=True)
class Suspect:
    """A key whose rows have differed.

    Attributes:
        source: the digest of its row in the source when that was read last; None without a row.
        mirror: the mirror's, likewise.
        since: the source's time since which both are so.
        event: the newest event that the mirror knew of the key at the last look; None before one.
    """

    key: Key
    source: str | None
    mirror: str | None
    since: str
    event: str | None = None


@dataclass
class State:
    """What an audit has done so far.

    Attributes:
        last: the last key that was read; None before the first, and after the last.
        keys: how many rows the source had.
        groups: by group of keys, the rows and the sum of their digests.
        chunks: how many were read.
        position: where the source's log was.
        merged: the time of the source up to which its log was merged at the last look.
    """

    last: Key | None = None
    keys: int = 0
    groups: dict[str, tuple[int, int]] = field(default_factory=dict)
    chunks: int = 0
    position: str = ""
    is_read: bool = False
    suspects: list[Suspect] = field(default_factory=list)
    is_compared: bool = False
    merged: str = ""

    def add(self, page: Page) -> None:
        """Take in a page that was read."""
        for name, (rows, total) in page.groups.items():
            known = self.groups.get(name, (0, 0))
            self.groups[name] = (known[0] + rows, known[1] + total)
            self.keys += rows
        self.chunks += 1
        self.last, self.is_read = page.last, page.last is None


def fingerprint(source: SourceTable) -> str:
    """Changes with what is compared."""
    columns = "".join(map(repr, (*source.key, *source.columns)))
    return hashlib.sha256(columns.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Progress:
    """What the audit of a mirror has done.

    Attributes:
        fingerprint: of what is compared: what was read of other columns is of no use.
        say: takes a line of progress.
    """

    warehouse: Warehouse
    audit_id: str
    model: str
    fingerprint: str
    say: Callable[[str], object]

    @property
    def table(self) -> str:
        return f"{self.warehouse.layers.ops}.{SOURCE_AUDITS.name}"

    @property
    def is_of_model(self) -> str:
        return f"model = {self.warehouse.sql('lakemirror_string', self.model)}"

    @property
    def is_mine(self) -> str:
        name = self.warehouse.sql("lakemirror_string", self.audit_id)
        return f"{self.is_of_model} and audit_id = {name}"

    def keep(self, read: State) -> None:
        """Keep what was read since the last time."""
        self.insert(READ, [asdict(read)])

    def keep_suspects(
        self, number: int, summary: Mapping[str, Any], suspects: Sequence[Suspect]
    ) -> None:
        """In one commit, so that none is lost; then what was known before goes."""
        parts = range(0, max(len(suspects), 1), SUSPECTS)
        self.insert(
            f"{LOOKED}{number:04}",
            [
                {**summary, "suspects": [asdict(each) for each in suspects[n : n + SUSPECTS]]}
                for n in parts
            ],
        )

    def insert(self, step: str, states: Iterable[Mapping[str, Any]]) -> None:
        rows = [
            {
                "audit_id": self.audit_id,
                "model": self.model,
                "step": step,
                "state": json.dumps({**state, "fingerprint": self.fingerprint}, default=str),
                "done_at": NOW,
            }
            for state in states
        ]
        self.warehouse.unlogged(SOURCE_AUDITS.insert_sql(self.warehouse.layers.ops, rows))

    def steps(self) -> list[tuple[str, dict[str, Any]]]:
        """What was done of the mirror's audit that has not ended, in its order."""
        rows = self.warehouse.unlogged(
            f"select step, state from {self.table} where {self.is_mine} order by done_at"
        )
        return [(step, json.loads(state)) for step, state in rows]

    def taken_over(self) -> State:
        """What an audit has done that did not end; of other columns, that is nothing."""
        make_ops_table(self.warehouse, SOURCE_AUDITS)
        if self.warehouse.rows(f"select 1 from {self.table} where {self.is_of_model} limit 1"):
            name = self.warehouse.sql("lakemirror_string", self.audit_id)
            self.warehouse.retry(
                f"update {self.table} set audit_id = {name} where {self.is_of_model}"
            )
        steps = self.steps()
        if any(done["fingerprint"] != self.fingerprint for _, done in steps):
            self.forget()
            return State()
        if any(step.startswith(LOOKED) for step, _ in steps):
            self.say(f"{self.model}: looks again at what has differed before")
            return self.known()
        state = State()
        for _, done in steps:
            groups = {name: tuple(counts) for name, counts in done["groups"].items()}
            state.add(Page(tuple(done["last"]) if done["last"] else None, groups))
            state.chunks += done["chunks"] - 1
            state.position = done["position"]
        if steps:
            self.say(f"{self.model}: goes on after {state.keys} rows")
        return state

    def known(self) -> State:
        """What the newest look has left."""
        steps = [(step, done) for step, done in self.steps() if step.startswith(LOOKED)]
        if not steps:
            self.warehouse.refuse(
                f"another audit has taken over that of {self.model}: run it again"
            )
        newest = max(step for step, _ in steps)
        parts = [done for step, done in steps if step == newest]
        suspects = [
            Suspect(**{**each, "key": tuple(each["key"])}) for p in parts for each in p["suspects"]
        ]
        names = ("keys", "chunks", "position", "merged")
        told = {name: parts[0][name] for name in names}
        return State(**told, is_compared=True, suspects=suspects)

    def forget(self) -> None:
        """The audit has ended."""
        self.warehouse.retry(f"delete from {self.table} where {self.is_mine}")
