"""A repair by the living source of what no event has told: raw gets a record of each row, at a
known place of the log, and the next run of the model merges it as any other.

The place is right after the newest record of the table that has landed, and is looked up before
the row is read: whatever the database had committed until then is in the row, and what it commits
later comes later in the log and wins. So nothing has to hold still, and a rebuild, a day and an
audit of the log know of the row.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakemirror.landing import raw as raw_table
from lakemirror.runs import marks, messages
from lakemirror.runs.audit import AuditRun
from lakemirror.runs.batch import carrying
from lakemirror.runs.source_audit import SourceAudit, digest_of
from lakemirror.runs.source_progress import Suspect
from lakemirror.runs.warehouse import Table
from lakemirror.source import canonical
from lakemirror.source.encode import Columns, EncodeError, Record, Told, record_of
from lakemirror.source.reading import Key
from lakemirror.state.order import ORDER

PARTITION = -1  # of the records that are no connector's
AT_ONCE = 500  # records in a statement
Place = tuple[int, int]  # partition and offset


@dataclass(frozen=True)
class Differing:
    """The keys whose rows differ, with both sides' texts.

    Attributes:
        unread: keys whose values the database's driver does not have.
    """

    keys: Sequence[Key]
    source: Mapping[Key, list[str | None]]
    mirror: Mapping[Key, list[list[str | None]]]
    unread: int
    is_replica: bool


@dataclass(frozen=True)
class Newest:
    """Where the log of a table ends.

    Attributes:
        src_ts: the newest time of the source (UTC).
        place: the order of the newest change, and its partition and offset in raw.
        image: those of the newest that has a row; None where none has.
    """

    log: str | None
    src_ts: str | None
    place: Any
    image: Any


@dataclass(frozen=True)
class New:
    """A record that is to be written, and what staging is to read of it."""

    offset: int
    told: Told
    place: Record
    key: str
    value: str


class SourceRepair:
    """Bring rows of the source into the log that no event has told.

    Attributes:
        audit: compares the mirror with its table in the source.
        run: knows the mirror's log.
    """

    def __init__(self, audit: SourceAudit, run: AuditRun) -> None:
        self.audit, self.run = audit, run
        self.warehouse, self.model, self.source = audit.warehouse, audit.model, audit.source

    def apply(self, given: Sequence[str], dry_run: bool) -> int:
        """Compare keys with the source, keep in ops.audits what differs, and write records of that.

        Args:
            given: the keys, as findings have them.

        Returns:
            How many records were written.

        Raises:
            DbtRuntimeError: it is no dry run, and the database is a replica, which may have a row
                as it was before what the log says of it.
        """
        problem = self.run.problem()
        if problem:
            self.audit.record(None, [], 0, [problem], part=None)
            return 0
        keys = self.keys(given)
        newest = None if dry_run else self.newest()  # before the rows are read
        found = self.compare(keys)
        if found.is_replica and not dry_run:
            self.warehouse.refuse(messages.replica(self.model))
        refused: list[str] = []
        written = self.write(found, newest, refused) if newest and found.keys else 0
        self.end(given, found, refused)
        return written

    def keys(self, given: Sequence[str]) -> list[Key]:
        """Keys as texts that both sides agree on."""
        assert self.audit.table is not None
        kinds = {column["name"]: column["data_type"] for column in self.audit.table.columns}
        query = self.warehouse.sql("canonical_keys_sql", self.source.key, kinds, given)
        return [tuple(row[0]) for row in self.warehouse.unlogged(query)] if given else []

    # -- what differs ------------------------------------------------------------------------

    def compare(self, keys: Sequence[Key]) -> Differing:
        """The keys whose rows are not the source's of now."""
        readable = [key for key in keys if None not in key and self.audit.is_readable(key)]
        mirror, _ = self.audit.mirror_texts(readable)
        source, _, is_replica = self.audit.source_texts(readable)

        def differs(key: Key) -> bool:
            there = source.get(key)
            return digest_of([there] if there else []) != digest_of(mirror.get(key, []))

        unlike = [key for key in dict.fromkeys(readable) if differs(key)]
        return Differing(unlike, source, mirror, len(keys) - len(readable), is_replica)

    def end(self, given: Sequence[str], found: Differing, refused: Sequence[str]) -> None:
        """Keep what differs in ops.audits."""
        sides = found.source, found.mirror
        rows = [
            row
            for key in found.keys
            for row in self.audit.findings(Suspect(key, None, None, ""), *sides)
        ]
        notes = [*dict.fromkeys(refused)]
        notes += [messages.keys_unread(found.unread)] if found.unread else []
        is_judged = not found.unread
        self.audit.record(len(given) if is_judged else None, rows, found.unread, notes, part=None)

    # -- what the log has --------------------------------------------------------------------

    @property
    def log(self) -> Table:
        return self.run.log

    @property
    def records(self) -> str:
        """All records that had landed when the log was first asked for."""
        clause = f"version as of {self.log.head}"
        return self.warehouse.sources.records_sql(self.run.raw, clause)

    def decoded(self, records: str) -> str:
        """What the model reads of records, in the mirror's columns."""
        query = marks.pinned(self.run.model.sql, self.run.raw, records)
        return self.warehouse.sql("fitted_sql", query, self.run.plan)

    def newest(self) -> Newest:
        """The end of the table's log, of several of the one that was written last.

        Raises:
            DbtRuntimeError: raw is not landing's, or has no change yet.
        """
        lacking = {*raw_table.COLUMNS} - {*self.log.names}
        if lacking:
            self.warehouse.refuse(messages.not_landings(self.model, self.run.raw, sorted(lacking)))
        query = self.warehouse.sql("newest_places_sql", self.decoded(self.records))
        found = [Newest(*row) for row in self.warehouse.unlogged(query)]
        logs = [each for each in found if each.image]
        if not logs:
            self.warehouse.refuse(messages.no_place(self.model, self.run.raw))
        return max(logs, key=lambda each: each.src_ts or "")

    def images(self, keys: Sequence[Key]) -> dict[Key, Any]:
        """Where the newest record with a row of each key is."""
        if not keys:
            return {}
        texts = [canonical.row_text(key) for key in keys]
        told = self.decoded(self.records), self.source.key, texts
        rows = self.warehouse.unlogged(self.warehouse.sql("newest_images_sql", *told))
        return {tuple(texts): image for texts, image in rows}

    def read_records(self, places: Iterable[Any]) -> dict[Place, Record]:
        """Records of raw by their partitions and offsets; what has a rank has its order, too."""
        by_place = {place_of(each): each for each in places}
        found = {}
        for part in parts_of([*by_place]):
            query = self.warehouse.sql("records_at_sql", self.records, part)
            for partition, offset, topic, key, value, src_ts in self.warehouse.unlogged(query):
                at = by_place[partition, offset]
                order = int(at["_tx_rank"]), int(at["_tx_order"])
                found[partition, offset] = Record(topic, key, value, src_ts, *order)
        return found

    # -- what is written ---------------------------------------------------------------------

    def write(self, found: Differing, newest: Newest, refused: list[str]) -> int:
        """Write the records that staging reads as the database has them.

        Args:
            refused: gets why others are not written.
        """
        images = self.images(found.keys)
        records = self.read_records([newest.place, newest.image, *images.values()])
        place, other = (records[place_of(each)] for each in (newest.place, newest.image))
        types = {c["name"]: c["type"] for c in self.warehouse.sources.columns(self.run.raw)}
        columns = Columns(self.source.key, self.source.columns, types, [*self.audit.uncompared])
        now = time.time_ns() // 1000
        new = []
        for number, key in enumerate(found.keys):
            told = Told(key, found.source.get(key))
            image = records[place_of(images[key])] if key in images else other
            try:
                texts = record_of(told, columns, place, image, key in images, now // 1000)
            except EncodeError as problem:
                refused.append(messages.not_written(str(problem)))
                continue
            new.append(New(now + number, told, place, *texts))
        kept = [each for part in parts_of(new) for each in self.readable(part, newest, refused)]
        for part in parts_of(kept):
            self.insert(part)
        return len(kept)

    def readable(self, new: Sequence[New], newest: Newest, refused: list[str]) -> Iterator[New]:
        """The records that staging reads as the database has them, right after their place."""
        query = self.warehouse.sql(
            "made_rows_sql", self.decoded(f"({self.selected(new)})"), self.source
        )
        rows = {row[-1]: row for row in self.warehouse.unlogged(query)}
        before = [int(newest.place[name]) for name in ORDER]
        for each in new:
            key, row, undecodable, log, *order, _ = rows[each.offset]
            wrong = unlike(each, key, row, [column.name for column in self.source.columns])
            if undecodable or wrong:
                names = undecodable or ", ".join(wrong)
                refused.append(messages.not_written(f"{names}: staging reads another value"))
            elif None in order or log != newest.log or order <= before:
                refused.append(messages.not_written("staging gives it another place"))
            else:
                yield each

    def selected(self, new: Sequence[New]) -> str:
        return self.warehouse.sql("made_records_sql", new, PARTITION)

    def insert(self, new: Sequence[New]) -> None:
        """One commit of raw, which says what it is."""
        with carrying(self.warehouse, {"repair": self.audit.asked.id, "repaired-by": "source"}):
            listed = ", ".join(raw_table.COLUMNS)
            self.warehouse.unlogged(f"insert into {self.run.raw} ({listed}) {self.selected(new)}")


def unlike(new: New, key: Sequence[Any], row: Sequence[Any], names: Sequence[str]) -> list[str]:
    """What staging reads otherwise than the database has it."""
    wrong = [] if tuple(key) == tuple(new.told.key) else ["the key"]
    if new.told.row is not None:
        pairs = zip(names, row, new.told.row, strict=True)
        wrong += [name for name, own, other in pairs if own != other]
    return wrong


def place_of(row: Any) -> Place:
    return int(row["_kfk_partition"]), int(row["_kfk_offset"])


def parts_of(each: Sequence[Any]) -> Iterator[Sequence[Any]]:
    for start in range(0, len(each), AT_ONCE):
        yield each[start : start + AT_ONCE]
