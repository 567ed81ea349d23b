"""The hours of raw that go: records that are older than the retention, and that nobody still reads.

They go by metadata alone, on a branch: a record that lands meanwhile is never among them. With them
comes what landing goes on from, and what they were.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any

from lakemirror.landing.topics import SIDE_TABLES
from lakemirror.layers import RAW
from lakemirror.runs import messages
from lakemirror.runs.batch import begin_branch, drop_whole_files
from lakemirror.runs.cared import MAINTENANCE, Cared, CaredTables
from lakemirror.runs.daily import published_days
from lakemirror.runs.project import ProjectModel
from lakemirror.runs.warehouse import Table
from lakemirror.state import days, window
from lakemirror.state.care import Outlived
from lakemirror.state.ops_tables import QUARANTINE

PARTITIONING = ["hours(_src_ts)"]
NO_FILES = "No FileSystem for scheme"  # Hadoop's words
ARCHIVES = window.PREFIX + "archives"  # of raw: the folders that records have been written to


class StillReadError(Exception):
    """No hour of a raw table may go; says who still reads it."""


@dataclass(frozen=True)
class Reader:
    """Who may read records again.

    Attributes:
        who: that, and what for.
        since: the source's time of the oldest one; None where it may read none.
        landed_since: when the oldest one without a time landed; None where it may read none.
    """

    who: str
    since: datetime | None
    landed_since: datetime | None = None


class Retention:
    """What may go of a raw table, and its going."""

    def __init__(self, tables: CaredTables, cared: Cared, table: Table) -> None:
        """Args:
        table: the raw table, as it was read: what comes later stays.
        """
        self.tables, self.cared, self.table = tables, cared, table
        self.warehouse = tables.warehouse

    # -- what may go -------------------------------------------------------------------------

    def outlived(self) -> Outlived | None:
        """The records that may go; None where there are none.

        Raises:
            StillReadError: there may be some, and somebody still reads them.
        """
        policy = self.cared.policy
        if policy.retention is None or self.table.head is None:
            return None
        if self.table.partitioning != PARTITIONING:
            raise StillReadError("it has no retention: its partitions are not hours(_src_ts)")
        limit = hour_of(datetime.now(UTC) - timedelta(seconds=policy.seconds("retention")))
        until = landed = limit
        if self.files(until, landed) is None:
            return None
        who = ""
        for reader in self.readers():
            if reader.since and hour_of(reader.since) < until:
                until, who = hour_of(reader.since), reader.who
            landed = min(landed, reader.landed_since or landed)
        found = self.files(until, landed)
        if found is None:
            raise StillReadError(who or "records without a time are still to be read")
        return found

    def files(self, until: datetime, landed_until: datetime) -> Outlived | None:
        """The whole files of records from before two times: see Outlived."""
        hours = int(until.timestamp()) // 3600
        rows = self.warehouse.rows(
            self.warehouse.sql("outlived_sql", self.table.as_of_now(), hours)
        )
        untimed = [row for row in rows if not row["has_time"]]
        landed = whole_until(
            [(row["first_landed"], row["last_landed"]) for row in untimed], micros(landed_until)
        )
        gone = [row for row in rows if row["has_time"]]
        gone += [row for row in untimed if is_before(row["last_landed"], landed)]
        records = sum(int(row["records"] or 0) for row in gone)
        if not records:
            return None
        size = sum(int(row["bytes"] or 0) for row in gone)
        moment = datetime.fromtimestamp(landed / 1e6, UTC)
        return Outlived(
            f"{until:%Y-%m-%d %H:%M:%S}", f"{moment:%Y-%m-%d %H:%M:%S.%f}", records, size
        )

    # -- who still reads ---------------------------------------------------------------------

    def readers(self) -> Iterator[Reader]:
        """Who may read records again.

        Raises:
            StillReadError: one may read all.
        """
        found = self.tables.readers_of(self.cared.name)
        for model in found:
            if model.kind not in ("mirror", "log", "daily", "cut"):
                raise StillReadError(f"{model.name} reads all of it in each run")
            if model.kind == "daily":
                day = self.first_open_day(model)
                yield Reader(f"{model.name} has to publish {day:%Y-%m-%d}", day)
            elif model.kind != "cut":
                self.refuse_unread(model)
        yield self.oldest_unread(bool(found))
        names = [model.name for model in found]
        if names and QUARANTINE.name in self.warehouse.tables(self.warehouse.layers.ops):
            who = "the quarantine has open records of it"
            yield self.oldest(who, "open_from_sql", self.table.as_of_now(), names)

    def refuse_unread(self, model: ProjectModel) -> None:
        """A model that has not begun reads all of raw."""
        exists = self.tables.project.exists(model.relation)
        table = Table.read(self.warehouse, model.relation) if exists else None
        if table is None or table.head is None or table.own_commit is None:
            raise StillReadError(f"{model.name} has not read it yet")

    def first_open_day(self, model: ProjectModel) -> datetime:
        """The beginning of the first day that a daily model has still to publish."""
        published: set[date] = set()
        if self.tables.project.exists(model.relation):
            table = Table.read(self.warehouse, model.relation)
            published = {date.fromisoformat(d) for d in published_days(self.warehouse, table)}
        if not published:
            raise StillReadError(f"{model.name} has not published a day yet")
        gaps = days.missing(published, model.config.get("keep_days"))
        first = min(gaps, default=max(published) + days.ONE_DAY)
        return datetime(first.year, first.month, first.day, tzinfo=UTC)

    def oldest_unread(self, has_readers: bool) -> Reader:
        """The oldest record since the oldest bookmark of any commit that is there."""
        refs = {
            name: number
            for name, number in self.tables.refs(self.table).items()
            if not name.startswith(MAINTENANCE)
        }
        ancestors = window.lineage(self.table.snapshots, self.table.head)
        places = {snapshot.id: place for place, snapshot in enumerate(ancestors)}
        strays = sorted(name for name, number in refs.items() if number not in places)
        if strays:
            raise StillReadError(f"what its {strays[0]} names is not in its history")
        marks = [places[i] for i in (*refs.values(), *self.tables.bookmarks) if i in places]
        if not marks:
            if has_readers or not self.is_side_table:
                raise StillReadError("no model has read it")
            return Reader("", None)
        oldest = ancestors[max(marks)].id
        try:
            found = window.next_window(
                self.cared.name, self.table.snapshots, self.table.head, oldest
            )
        except window.WindowError as error:
            raise StillReadError(str(error)) from error
        if found is None:
            return Reader("", None)
        who = "bookmarks of commits that may be rolled back to are older than its records"
        return self.oldest(who, "unread_from_sql", f"{self.table.relation} {found.clause}")

    @property
    def is_side_table(self) -> bool:
        """Whether its topic is the connector's own, of which no model is made."""
        return any(self.cared.name.endswith(f"__{side}") for side in SIDE_TABLES.values())

    def oldest(self, who: str, macro: str, *arguments: Any) -> Reader:
        row = self.warehouse.rows(self.warehouse.sql(macro, *arguments))[0]
        times = (row["source_micros"], row["landed_micros"])
        since, landed = (
            None if each is None else datetime.fromtimestamp(int(each) / 1e6, UTC) for each in times
        )
        return Reader(who, since, landed)

    # -- the act -----------------------------------------------------------------------------

    def drop(self, found: Outlived, invocation_id: str, archived: set[tuple[str, Outlived]]) -> str:
        """Let the records go: written to the archive first, where there is to be one.

        Args:
            archived: what this call has written to archives before, by raw's table.

        Returns:
            What was done.

        Raises:
            OvertakenError: something has landed meanwhile; nothing has gone.
        """
        warehouse, table = self.warehouse, self.table
        archive = self.cared.policy.archive
        if archive and (self.cared.name, found) not in archived:
            self.archive(found, archive)
            archived.add((self.cared.name, found))
        # before anything goes: what is made of raw later asks for that
        since = max(found.until, table.properties.get(window.RETAINED, ""))
        self.tell(window.RETAINED, since)
        self.tables.drop_dead_branches(table)
        begun = warehouse, table.relation, invocation_id, table.head, MAINTENANCE
        said = window.landed(window.lineage(table.snapshots, table.head))
        drop_whole_files(
            warehouse,
            table,
            begin_branch(*begun),
            lambda into: warehouse.sql("drop_hours_sql", into, found),
            {**said, "retained-from": found.until},
            self.cared.name,
        )
        return f"{found.records} records"

    def tell(self, name: str, value: str) -> None:
        """Say in raw's properties what is not said there."""
        if self.table.properties.get(name) != value:
            clause = self.warehouse.sql("properties_clause", {name: value})
            self.warehouse.retry(f"alter table {self.table.relation} set {clause}")

    def archive(self, found: Outlived, archive: str) -> None:
        """Write the records to a folder of Hive's layout: a partition of each day of the source,
        and in it one of each snapshot of raw that they were read from."""
        warehouse, records = self.warehouse, self.table.as_of_now()
        folder = archive_of(archive, self.cared.name)
        rows = warehouse.rows(warehouse.sql("archived_days_sql", records, found))
        places = {row["ds"]: f"{folder}/ds={row['ds']}/snapshot={self.table.head}" for row in rows}
        self.refuse_unknown(archive, next(iter(places.values()), folder))
        # an erasure asks for it, of a call that has died, too
        folders = json.loads(self.table.properties.get(ARCHIVES, "[]"))
        self.tell(ARCHIVES, json.dumps([*folders, *({archive} - {*folders})]))
        written = 0
        for day, place in places.items():
            warehouse.run(warehouse.sql("archive_sql", records, found, day, place))
            count = f"select count(*) as records from parquet.`{place}`"
            written += int(warehouse.rows(count)[0]["records"])
        if written != found.records:
            raise RuntimeError(
                f"{written} records are in {folder}, and not {found.records}: none has gone"
            )

    def refuse_unknown(self, archive: str, place: str) -> None:
        """Spark may have no file system for an archive.

        Args:
            place: the folder of a part; one of few files, or that is not there, is read at once.
        """
        try:
            self.warehouse.rows(f"select 1 from parquet.`{place}` limit 0")
        except Exception as error:
            if NO_FILES in str(error):
                raise ValueError(messages.no_file_system(archive)) from error


def archive_of(archive: str, table: str) -> str:
    """The folder of a raw table's records: that of an environment with a prefix is apart.

    >>> archive_of("s3://bucket/old/", "raw.shop__orders")
    's3://bucket/old/shop__orders'
    >>> archive_of("s3://bucket/old/", "dev_raw.shop__orders")
    's3://bucket/old/dev_raw/shop__orders'
    """
    schema, _, name = table.partition(".")
    return "/".join([archive.rstrip("/"), *([] if schema == RAW else [schema]), name])


def hour_of(moment: datetime) -> datetime:
    return moment.replace(minute=0, second=0, microsecond=0)


def micros(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def is_before(last: int | None, until: int) -> bool:
    return last is not None and last < until


def whole_until(files: Iterable[tuple[int | None, int | None]], until: int) -> int:
    """The newest time up to ``until`` at which no file has records of before and of since.

    Args:
        files: the first and the last time of each; a file that does not say them stays whole.

    >>> whole_until([(1, 4), (3, 8), (9, 12)], 10), whole_until([(1, 4), (6, 7)], 5)
    (1, 5)
    """
    known = [(first, last) for first, last in files if first is not None and last is not None]
    while True:
        cut = [first for first, last in known if first < until <= last]
        if not cut:
            return until
        until = min(cut)
