"""An audit of a mirror against its living source: digests of groups of keys, then of rows, and then
the rows themselves, as often as it takes until both sides hold still.

What is done is kept meanwhile: see lakemirror.runs.source_progress.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from lakemirror.runs import messages
from lakemirror.runs.audit import KEPT
from lakemirror.runs.batch import tombstones_of
from lakemirror.runs.source_progress import Progress, State, Suspect, fingerprint
from lakemirror.runs.warehouse import Table, Warehouse
from lakemirror.source import canonical
from lakemirror.source.canonical import GROUP, SUMMED
from lakemirror.source.reading import Key, Limits, Reading, SourceTable, reading
from lakemirror.state import window
from lakemirror.state.audits import SOURCE
from lakemirror.state.ops_tables import AUDIT_FINDINGS, AUDITS, NOW

SECONDS = 30  # a transaction of the source is no longer than a page and this
ROWS = 2_000_000  # whose digests are compared at once
PAUSE = 5  # seconds until a replica is asked again how far it is behind
LOOKS = 8  # at keys that have differed; the last one ends the audit
LOOKED_AT = 20_000  # keys that are looked at again
# whose JSON is Spark's
PLAIN = (
    *(canonical.WHOLE, canonical.BOOLEAN, canonical.CLOCK, canonical.TEXT, canonical.DAYS),
    *(canonical.BYTES, canonical.PADDED),
)


@dataclass(frozen=True)
class SourceAsked:
    """What an audit against the source is to do.

    Attributes:
        id: names it in ops.audits.
        url: of the database; it is shown nowhere.
        limits: how it is read.
        siblings: the mirrors of the source: their newest events tell how far its log was merged.
        say: takes a line of progress.
    """

    id: str
    url: str
    limits: Limits
    siblings: Sequence[Any]
    say: Callable[[str], object]


@dataclass
class Seen:
    """What a look has seen.

    Attributes:
        found: the keys that differ.
        moving: those of which a side has moved since the last look.
        unproven: those that differ, and of which nobody knows whether the log has more.
        ahead: those of which the mirror knows what a replica does not know yet.
        rewritten: how many were written since by newer events.
    """

    found: list[Suspect] = field(default_factory=list)
    moving: list[Suspect] = field(default_factory=list)
    unproven: list[Suspect] = field(default_factory=list)
    ahead: list[Suspect] = field(default_factory=list)
    rewritten: int = 0


class SourceAudit:
    """Compare a mirror with its table in the source.

    Attributes:
        table: the mirror.
        source: the source's table.
        uncompared: the columns that are not compared, each with its type.
    """

    def __init__(
        self,
        warehouse: Warehouse,
        model: str,
        table: Table,
        paired: tuple[SourceTable, Sequence[str]],
        asked: SourceAsked,
    ) -> None:
        self.warehouse, self.model, self.table = warehouse, model, table
        (self.source, self.uncompared), self.asked = paired, asked
        self.started = time.monotonic()
        told = fingerprint(self.source)
        self.progress = Progress(warehouse, asked.id, model, told, asked.say)

    # -- the first look ----------------------------------------------------------------------

    def compare(self) -> None:
        """Read the source by pages, and find the keys whose rows differ.

        An audit of the mirror that did not end goes on where it was.
        """
        state = self.progress.taken_over()
        if state.is_compared:
            return
        self.read(state)
        mirror = self.mirror_groups()
        names = sorted({*mirror, *state.groups})
        unlike = [name for name in names if mirror.get(name) != state.groups.get(name)]
        self.asked.say(
            f"{self.model}: {state.keys} rows in {state.chunks} chunks, "
            f"{len(unlike)} of {len(names)} groups of keys differ"
        )
        suspects = [*self.suspects(unlike, state)]
        if not suspects:
            self.end(state.keys, [], 0, self.notes(state, Seen()))
            return
        summary = {"keys": state.keys, "chunks": state.chunks, "position": state.position}
        self.progress.keep_suspects(0, summary | {"merged": ""}, suspects)

    def read(self, state: State) -> None:
        begun, rows = time.monotonic(), state.keys
        while not state.is_read:
            with self.reading() as source:
                until, kept = time.monotonic() + SECONDS, State(last=state.last)
                state.position = source.position
                while kept.chunks == 0 or not (kept.is_read or time.monotonic() > until):
                    page = source.page(kept.last, self.asked.limits.chunk)
                    kept.add(page)
                    state.add(page)
                    self.throttle(state.keys - rows, begun)
                    self.asked.say(f"{self.model}: {state.keys} rows read")
            kept.position = state.position
            self.progress.keep(kept)

    @contextmanager
    def reading(self) -> Iterator[Reading]:
        """A read that begins where a replica is not too far behind: it has to follow, too."""
        while True:
            with reading(self.asked.url, self.source) as source:
                lag = source.behind or 0.0
                if lag <= self.asked.limits.max_lag:
                    yield source
                    return
            self.asked.say(f"{self.model}: the replica is {lag:.0f} s behind, and is not read")
            time.sleep(PAUSE)

    def throttle(self, rows: int, begun: float) -> None:
        """Wait until no more rows a second were read than may be."""
        most = self.asked.limits.rows_per_second
        if most:
            due = rows / most
            time.sleep(max(0.0, begun + due - time.monotonic()))

    def mirror_groups(self) -> dict[str, tuple[int, int]]:
        query = self.warehouse.sql(
            "mirror_groups_sql", self.table.as_of_now(), self.source, GROUP, SUMMED
        )
        rows = self.warehouse.unlogged(query)
        return {name: (int(keys), int(total)) for name, keys, total in rows}

    def suspects(self, groups: Sequence[str], state: State) -> Iterator[Suspect]:
        """The keys of some groups whose rows differ; not more of them at once than memory has."""
        each = max(1, ROWS * 16**GROUP // max(state.keys, 1))
        for start in range(0, len(groups), each):
            part = groups[start : start + each]
            query = self.warehouse.sql(
                "mirror_digests_sql", self.table.as_of_now(), self.source, GROUP, part
            )
            mirror: dict[Key, str] = {}
            for texts, row in self.warehouse.unlogged(query):
                key = tuple(texts)
                mirror[key] = " ".join(sorted([row, *mirror.get(key, "").split()]))
            yield from self.unlike(mirror, part)

    def unlike(self, mirror: Mapping[Key, str], groups: Sequence[str]) -> Iterator[Suspect]:
        left = dict(mirror)
        last, is_read, begun, rows = None, False, time.monotonic(), 0
        chunk = self.asked.limits.chunk
        while not is_read:
            with self.reading() as source:
                until, since = time.monotonic() + SECONDS, str(source.clock)
                is_first = True
                while is_first or not (is_read or time.monotonic() > until):
                    is_first = False
                    found, last = source.digests(last, chunk, groups)
                    is_read, rows = last is None, rows + chunk
                    for key, row in found.items():
                        there = left.pop(key, None)
                        if there != row:
                            yield Suspect(key, row, there, since)
                    if not is_read:
                        self.throttle(rows, begun)
        yield from (Suspect(key, None, row, since) for key, row in left.items())

    # -- the next looks ----------------------------------------------------------------------

    def look(self, number: int) -> None:
        """Look again at the keys that have differed; then the audit ends, if it can.

        A key is clean whose row in the mirror is the source's of now, or that of the last look:
        the mirror is behind. One whose mirror has got an event from after that look was written as
        a whole since; a time alone does not say so, since a session of the source may have a clock
        of its own. A finding is where neither side has moved since a time of the source that was
        merged before the last round began.
        """
        state = self.progress.known()
        merged = self.merged()
        looked, rest = state.suspects[:LOOKED_AT], state.suspects[LOOKED_AT:]
        unread = [each for each in looked if not self.is_readable(each.key)]
        keys = [each.key for each in looked if self.is_readable(each.key)]
        mirror, events = self.mirror_texts(keys)
        source, since, is_replica = self.source_texts(keys)
        seen = Seen()
        for each in looked:
            there, rows = source.get(each.key), mirror.get(each.key, [])
            row, own = digest_of([there] if there else []), digest_of(rows)
            if each in unread or own in (row, each.source):
                continue
            newest, event = events.get(each.key, ("", ""))
            if newest > each.since and each.event not in (None, event):
                seen.rewritten += 1
            elif is_replica and newest > since:
                seen.ahead.append(Suspect(each.key, row, own, since, event))
            elif (row, own) != (each.source, each.mirror):
                seen.moving.append(Suspect(each.key, row, own, since, event))
            elif each.event is None or state.merged <= each.since:
                seen.unproven.append(replace(each, event=event))
            else:
                seen.found.append(each)
        left = [*seen.moving, *seen.unproven, *seen.ahead, *rest]
        self.asked.say(
            f"{self.model}: look {number}: of {len(state.suspects)} keys {len(seen.found)} differ, "
            f"{len(seen.moving)} still move, {len(seen.unproven) + len(rest)} wait for the log"
        )
        if left and number < LOOKS:
            summary = {n: getattr(state, n) for n in ("keys", "chunks", "position")}
            known = [*seen.found, *left, *unread]
            self.progress.keep_suspects(number, summary | {"merged": merged}, known)
            return
        notes = [*self.notes(state, seen), *lacking(len(seen.unproven), len(unread), len(rest))]
        is_judged = not (seen.unproven or unread or rest)
        findings = [row for each in seen.found for row in self.findings(each, source, mirror)]
        self.end(state.keys if is_judged else None, findings, len(left) + len(unread), notes)

    def notes(self, state: State, seen: "Seen") -> list[str]:
        """What was read, and what was not compared."""
        chunks = f"{state.chunks} chunk{'' if state.chunks == 1 else 's'}"
        notes = [f"{chunks} at {state.position}" if state.position else chunks]
        notes += [f"not compared: {', '.join(self.uncompared)}"] if self.uncompared else []
        notes += [f"keys written since by newer events: {seen.rewritten}"] if seen.rewritten else []
        notes += [f"keys that are still moving: {len(seen.moving)}"] if seen.moving else []
        if seen.ahead:
            notes.append(f"keys that the replica does not know as the log does: {len(seen.ahead)}")
        return notes

    def is_readable(self, key: Key) -> bool:
        """Whether the database's driver has such values."""
        try:
            for column, text in zip(self.source.key, key, strict=True):
                column.value(text)
        except (ValueError, OverflowError):
            return False
        return True

    def merged(self) -> str:
        """The time of the source (UTC) of the newest change that its mirrors have."""
        commits = (Table.read(self.warehouse, each).own_commit for each in self.asked.siblings)
        return max((c.summary.get(window.NEWEST_EVENT, "") for c in commits if c), default="")

    def source_texts(self, keys: Sequence[Key]) -> tuple[dict[Key, list[str | None]], str, bool]:
        """The rows of the source, its time at which they were so, and whether it is a replica."""
        with reading(self.asked.url, self.source) as source:
            return source.texts(keys), str(source.clock), source.behind is not None
        raise AssertionError

    def mirror_texts(
        self, keys: Sequence[Key]
    ) -> tuple[dict[Key, list[list[str | None]]], dict[Key, tuple[str, str]]]:
        """The rows of the mirror, of a key there may be several; and the newest event that it knows
        of a key, be it a delete: its time (UTC), and its order."""
        found: dict[Key, list[list[str | None]]] = {}
        events: dict[Key, tuple[str, str]] = {}
        if keys:
            texts = [canonical.row_text(key) for key in keys]
            memory = Table.read(self.warehouse, tombstones_of(self.table.relation)).memory()
            deletes = None if memory.is_unwritten else memory.deletes
            relation = self.table.as_of_now()
            query = self.warehouse.sql("mirror_texts_sql", relation, deletes, self.source, texts)
            for key_texts, row, at, event in self.warehouse.unlogged(query):
                key = tuple(key_texts)
                events[key] = max((at or "", event), events.get(key, ("", "")))
                if row is not None:
                    found.setdefault(key, []).append(list(row))
        return found, events

    # -- what is found -----------------------------------------------------------------------

    def findings(
        self,
        found: Suspect,
        source: Mapping[Key, list[str | None]],
        mirror: Mapping[Key, list[list[str | None]]],
    ) -> Iterator[dict[str, Any]]:
        """The differences of a key, as rows of ops.audit_findings."""
        there, rows = source.get(found.key), mirror.get(found.key, [])
        row = {
            "audit_id": self.asked.id,
            "model": self.model,
            "unique_key": self.key_json(found.key),
            "source_order": "",
        }
        if there is None or not rows:
            kind = "lost" if not rows else "added"
            sides = {"in_mirror": rows[0] if rows else None, "by_log": there}
            yield row | {"kind": kind} | {n: self.row_json(t) for n, t in sides.items()}
        elif len(rows) > 1:
            copies = {"in_mirror": f"{len(rows)} rows", "by_log": "1 row"}
            yield row | {"kind": "doubled"} | copies
        else:
            for column, own, other in zip(self.source.columns, rows[0], there, strict=True):
                if own != other:
                    yield row | {
                        "kind": "changed",
                        "column_name": column.name,
                        "in_mirror": column.shown(own),
                        "by_log": column.shown(other),
                    }

    def row_json(self, texts: Sequence[str | None] | None) -> str | None:
        if texts is None:
            return None
        pairs = zip(self.source.columns, texts, strict=True)
        shown = {column.name: column.plain(text) for column, text in pairs if text is not None}
        return json.dumps(shown, ensure_ascii=False, separators=(",", ":"))

    def key_json(self, key: Key) -> str:
        """A key as Spark's to_json has it: a repair asks for it so."""
        kinds = {column["name"]: column["data_type"] for column in self.table.columns}
        texts = {c.name: c.shown(text) for c, text in zip(self.source.key, key, strict=True)}
        if all(column.kind in PLAIN for column in self.source.key):
            plain = {c.name: c.in_json(text) for c, text in zip(self.source.key, key, strict=True)}
            return json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
        [row] = self.warehouse.unlogged(self.warehouse.sql("key_text_sql", texts, kinds))
        return str(row[0])

    def end(
        self, keys: int | None, findings: list[dict[str, Any]], unjudged: int, notes: list[str]
    ) -> None:
        """Keep what was found, and forget what was done for that."""
        self.record(keys, findings, unjudged, notes)
        self.progress.forget()

    def record(
        self,
        keys: int | None,
        findings: Sequence[dict[str, Any]],
        unjudged: int,
        notes: Sequence[str],
        part: int | None = 0,
    ) -> None:
        """Keep what was found in ops.audits.

        Args:
            part: 0 where all keys were compared, None where it was some.
        """
        ops = self.warehouse.layers.ops
        if findings:
            self.warehouse.unlogged(AUDIT_FINDINGS.insert_sql(ops, findings[:KEPT]))
        row = {
            "audit_id": self.asked.id,
            "model": self.model,
            "audited_at": NOW,
            "snapshot": self.table.head,
            "part": part,
            "parts": None if part is None else 1,
            "keys": keys,
            "findings": len(findings),
            "unjudged": unjudged,
            "notes": "; ".join(notes),
            "seconds": round(time.monotonic() - self.started, 3),
            "against": SOURCE,
        }
        self.warehouse.run(AUDITS.insert_sql(ops, [row]))


def lacking(unproven: int, unread: int, rest: int) -> list[str]:
    """Why some keys are not judged."""
    notes = [messages.keys_unread(unread)] if unread else []
    notes += [f"keys that were not looked at again: {rest}"] if rest else []
    if unproven:
        notes.append(
            f"keys that differ, and of which nobody knows whether the log has more: {unproven}. It "
            "was not seen to go on (is the connector running, has the source heartbeats?)"
        )
    return notes


def unjudged(asked: SourceAsked, model: str, why: str) -> dict[str, Any]:
    """A row of ops.audits of a mirror that could not be compared at all."""
    row = {"audit_id": asked.id, "model": model, "audited_at": NOW, "findings": 0}
    return row | {"unjudged": 0, "notes": why, "seconds": 0.0, "against": SOURCE}


def digest_of(rows: Sequence[Sequence[str | None]]) -> str | None:
    """The digest of the rows of a key; None without a row.

    >>> digest_of([]) is None
    True
    """
    return " ".join(sorted(map(canonical.digest, rows))) or None
