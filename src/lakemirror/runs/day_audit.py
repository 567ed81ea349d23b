"""An audit of a day before readers see it: its rows are compared with the log, folded until the
day's midnight by another way."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from lakemirror.runs import evolve, messages
from lakemirror.runs.audit import (
    KEPT,
    Audit,
    is_cut,
    make_tables,
    newest_truncate,
    overlaps,
    removals,
)
from lakemirror.runs.batch import TOLD
from lakemirror.runs.mirror_plan import unsent_columns
from lakemirror.runs.state import State, States
from lakemirror.runs.warehouse import names_of
from lakemirror.source.evolution import Evolution
from lakemirror.state import window
from lakemirror.state.audits import BRANCH
from lakemirror.state.ops_tables import AUDITS, NOW


@dataclass(frozen=True)
class Written:
    """A day that is written, and that no reader sees yet.

    Attributes:
        day: as ``2026-01-31``.
        rows: its rows, as a query in parentheses.
        evolution: how the mirror's columns became these.
    """

    day: str
    rows: str
    evolution: Evolution


class DayAudit:
    """Compare a day with all that raw had when its run began.

    Attributes:
        states: of the day's mirror.
        state: what the day is made of.
    """

    def __init__(self, states: States, state: State, written: Written) -> None:
        self.states, self.state, self.written = states, state, written
        self.warehouse, self.model = states.warehouse, states.model

    def prove(self) -> None:
        """Keep what was found in ops.audits, and end the run where a row differs."""
        started = time.monotonic()
        warehouse, audit, day = self.warehouse, self.audit, self.written.day
        ops = warehouse.layers.ops
        make_tables(warehouse)
        [counts] = warehouse.rows(self.pinned(warehouse.sql("audit_counts_sql", *self.compared)))
        findings, unjudged = int(counts["findings"]), int(counts["unjudged"])
        if findings:
            found = warehouse.sql("audit_findings_sql", *self.compared, KEPT)
            warehouse.run(self.pinned(found))
        row = {
            "audit_id": audit.id,
            "model": audit.model,
            "audited_at": NOW,
            "bookmark": self.states.raw.head,
            "keys": int(counts["keys"]),
            "findings": findings,
            "unjudged": unjudged,
            "notes": "; ".join([f"the day {day}", *self.notes(unjudged)]),
            "seconds": round(time.monotonic() - started, 3),
            "against": BRANCH,
        }
        warehouse.run(AUDITS.insert_sql(ops, [row]))
        if findings:
            warehouse.refuse(messages.day_not_published(audit.model, day, audit.id, findings, ops))

    def notes(self, unjudged: int) -> list[str]:
        """What could not be judged."""
        notes = []
        if self.unsettled:
            notes.append(messages.columns_unjudged(sorted(self.unsettled)))
        if self.lacks_records:
            notes.append(messages.raw_lacks_records(self.states.mirror.raw))
        if unjudged:
            notes.append(messages.keys_unjudged(unjudged))
        return notes

    # -- what is compared --------------------------------------------------------------------

    @property
    def compared(self) -> tuple[str, Audit]:
        """What the macros of an audit compare."""
        return self.changes, self.audit

    def pinned(self, query: str) -> str:
        """A query over all of raw, and not only over what a commit of the mirror leaves to read."""
        head = self.states.raw.head
        return self.states.pinned(query, f"version as of {head}" if head else "where false")

    @cached_property
    def changes(self) -> str:
        """The changes of before midnight, in the day's columns."""
        is_before = f"_src_ts < timestamp '{self.state.time}' or _src_ts is null"
        listed = self.warehouse.sql("key_columns", self.names)
        query = f"select {listed} from {self.state.changes} where {is_before}"
        query = self.model.with_staging(query)
        return self.warehouse.sql("fitted_sql", query, self.written.evolution)

    @cached_property
    def audit(self) -> Audit:
        """What the comparison is told."""
        states, state, warehouse = self.states, self.state, self.warehouse
        facts = warehouse.rows(self.pinned(warehouse.sql("log_facts_sql", self.changes)))
        kinds = self.kinds
        return Audit(
            id=self.model.invocation_id[:8],
            model=self.model.name,
            reader=self.reader,
            mirror=self.written.rows,
            tombstones=f"(select * from {state.deletes} where _src_ts < timestamp '{state.time}')",
            key=state.key,
            kinds=kinds,
            types=kinds,
            filled=unsent_columns([*kinds, *self.unsent], state.key),
            deletes="hard",
            part=0,
            parts=1,
            floor=newest_truncate(state.base, [row["truncated"] for row in facts]),
            overlaps=overlaps([row["_tx_log"] for row in facts]),
            removals=removals(states.table.snapshots),
            lacks=self.lacks_records,
            is_cut=is_cut(states.table.snapshots),
            pruned_until=states.memory.pruned_until,
        )

    @property
    def kinds(self) -> Mapping[str, str]:
        """The day's columns that are compared, with their types."""
        places, columns = (
            self.written.evolution.places,
            self.warehouse.columns_of(f"select * from {self.written.rows}"),
        )
        given = {*self.states.fitted.places.values()} - self.unsettled - {"_unsent"}
        compared = {places.get(name, name) for name in given}
        return {c["name"]: c["data_type"] for c in columns if c["name"] in compared}

    @property
    def names(self) -> list[str]:
        """The columns of the changes that the mirror takes, or that tell of a change."""
        fitted, given = self.states.fitted, names_of(self.states.staged_columns)
        there = {*given, *(column["name"] for column in fitted.fitted)} - {*fitted.replaced}
        return [name for name in (*names_of(self.states.columns), *TOLD) if name in there]

    @property
    def unsent(self) -> list[str]:
        """``_unsent``, where the mirror has it."""
        return [name for name in names_of(self.states.columns) if name == "_unsent"]

    @property
    def reader(self) -> str:
        """The mirror's model."""
        relation = str(self.states.mirror.relation)
        return self.model.mirrors()[relation].name

    @cached_property
    def lacks_records(self) -> bool:
        """Whether raw does not have all that has landed."""
        return window.RETAINED in self.states.raw.properties or bool(self.states.lacking)

    @cached_property
    def unsettled(self) -> set[str]:
        """The columns whose rows a commit that the day starts from is yet to give other values."""
        warehouse, base, raw = self.warehouse, self.state.base, self.states.mirror.raw
        if base is None:
            return set()
        columns = [*evolve.returned_columns(warehouse, raw), *evolve.late_columns(warehouse, raw)]
        places = self.states.fitted.places
        names = [each["name"] for each in evolve.unrenewed(columns, base)]
        return {places[name] for name in names if name in places}
