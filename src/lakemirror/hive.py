"""Days of a daily table as Hive-style Parquet, for readers that know nothing of Iceberg.

A day is a folder ``ds=2026-01-31``, written aside and moved in whole. The daily table stays what
decides: a folder says which of its commits it is a copy of.
"""

import json
import uuid
from collections.abc import Collection, Iterator
from datetime import UTC, date, datetime
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror.landing.frames import frame_of
from lakemirror.landing.raw import timestamp_now
from lakemirror.source.evolution import quoted
from lakemirror.state import window

REPORT = "ds date, snapshot_id bigint, rows bigint, folder string, exported_at timestamp"
MARK = "_lakemirror.json"  # readers leave out names that begin with _
ASIDE = "_lakemirror"
DAYS_ASIDE = 2  # what a run that died has left there goes after so many days
OBJECT_STORES = ("s3", "s3a", "s3n", "gs", "oss", "cos", "cosn")


class HiveError(Exception):
    """A day cannot be exported; says why. What was there is there."""


def export_days(
    session: SparkSession, table: str, location: str, hive_table: str | None = None
) -> DataFrame:
    """Write every day of a daily table whose folder is not there, or of an earlier commit.

    Days that prune_days has removed from the table stay where they are.

    Args:
        table: the daily table, ``daily.shop__orders``.
        location: a folder on a file system that moves a folder at once (POSIX, HDFS, ABFS).
        hive_table: a table of Spark's own catalog to register the days in, as
            ``spark_catalog.daily.shop__orders``: a Hive metastore's, where Spark has one.

    Returns:
        A row per day that was written, of the columns REPORT.

    Raises:
        HiveError: an object store, another run that exports the same day, or rows that are lost.
    """
    folder = Folder(session, location)
    folder.clean()
    snapshots, head = window.history_of(table, lambda query: session.sql(query).collect())
    now, rows = timestamp_now(session), []
    for day, commit in sorted(days_of(session, table, window.lineage(snapshots, head)).items()):
        told = folder.mark(day)
        if told and (commit is None or told["snapshot_id"] == commit.id):
            continue
        found = session.sql(
            f"select * except (ds) from {table} version as of {head} where ds = date '{day}'"
        )
        number = commit.id if commit else None
        properties = commit.summary if commit else {}
        mark = {"ds": f"{day}", "table": table, "snapshot_id": number} | {
            name: properties.get(window.PREFIX + name) for name in ("watermark", "proof")
        }
        count = folder.write(day, found, mark)
        rows.append((day, number, count, folder.of(day), now))
    if hive_table and head is not None:
        register(session, table, folder, hive_table)
    return frame_of(session, rows, REPORT)


def days_of(
    session: SparkSession, table: str, ancestors: list[window.Snapshot]
) -> dict[date, window.Snapshot | None]:
    """The days of a table, each with the newest commit of it; None where that has expired."""
    rows = session.sql(f"select distinct partition.ds from {table}.partitions").collect()
    found: dict[date, window.Snapshot | None] = {row[0]: None for row in rows}
    for snapshot in reversed(ancestors):
        if window.DAY in snapshot.summary:
            day = date.fromisoformat(snapshot.summary[window.DAY])
            # a day without a row has no partition, nor has one that prune_days has removed
            if day in found or not snapshot.added_records:
                found[day] = snapshot
    return found


def erase_days(session: SparkSession, location: str, condition: str, dry_run: bool) -> int:
    """How many rows of a folder's days a condition holds for; without ``dry_run`` the days that
    have some are written again without them, and stay copies of the commits that they were."""
    folder, found = Folder(session, location), 0
    for day in sorted(folder.days()):
        rows = session.read.parquet(folder.of(day))
        matched = rows.where(condition).count()
        found += matched
        mark = folder.mark(day)
        if matched and not dry_run and mark is not None:
            kept = rows.where(f"not coalesce({condition}, false)")
            folder.write(day, kept, {n: value for n, value in mark.items() if n != "rows"})
    return found


def erase_columns(
    session: SparkSession, location: str, names: Collection[str], dry_run: bool
) -> int:
    """How many rows of a folder's days have a value in columns of some names, in lower case;
    without ``dry_run`` the days that have some are written again with null there."""
    folder, found = Folder(session, location), 0
    for day in sorted(folder.days()):
        rows = session.read.parquet(folder.of(day))
        kinds = {f.name: f.dataType for f in rows.schema if f.name.lower() in names}
        if not kinds:
            continue
        matched = rows.where(" or ".join(f"{quoted(n)} is not null" for n in kinds)).count()
        found += matched
        mark = folder.mark(day)
        if matched and not dry_run and mark is not None:
            kept = rows.withColumns({n: F.lit(None).cast(kind) for n, kind in kinds.items()})
            folder.write(day, kept, {n: value for n, value in mark.items() if n != "rows"})
    return found


class Folder:
    """The folder that has the days."""

    def __init__(self, session: SparkSession, location: str) -> None:
        jvm: Any = session._jvm
        self.session, self.jvm = session, jvm
        conf = session._jsc.hadoopConfiguration()
        hadoop = jvm.org.apache.hadoop.fs
        root = hadoop.Path(location)
        scheme = root.toUri().getScheme() or hadoop.FileSystem.getDefaultUri(conf).getScheme()
        if scheme in OBJECT_STORES:
            raise HiveError(
                f"{location}: an object store ({scheme}) moves a folder file by file, so that "
                "readers would see half a day. Let them read the Iceberg table"
            )
        self.files = root.getFileSystem(conf)
        self.root = self.files.makeQualified(root)
        self.context = hadoop.FileContext.getFileContext(self.root.toUri(), conf)

    def path(self, *names: str) -> Any:
        found = self.root
        for name in names:
            found = self.jvm.org.apache.hadoop.fs.Path(found, name)
        return found

    def of(self, day: date) -> str:
        return str(self.path(f"ds={day}").toString())

    def days(self) -> Iterator[date]:
        """The days that are there."""
        for status in self.files.listStatus(self.root) if self.files.exists(self.root) else []:
            name = status.getPath().getName()
            if name.startswith("ds="):
                yield date.fromisoformat(name.removeprefix("ds="))

    def mark(self, day: date) -> dict[str, Any] | None:
        """What a day's folder says of itself; None where there is none, or it is not ours.

        Raises:
            HiveError: a folder is there that nobody here has written.
        """
        if not self.files.exists(self.path(f"ds={day}")):
            return None
        file = self.path(f"ds={day}", MARK)
        if not self.files.exists(file):
            raise HiveError(f"{self.of(day)} is there, and has no {MARK}: it is somebody else's")
        stream = self.files.open(file)
        try:
            text = self.jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8")
        finally:
            stream.close()
        return dict(json.loads(text))

    def write(self, day: date, rows: DataFrame, mark: dict[str, Any]) -> int:
        """Write a day aside, and move it to its place; how many rows it has.

        Raises:
            HiveError: another run moves the same day, or rows are lost.
        """
        name = f"{day}-{uuid.uuid4()}"
        aside, place = self.path(ASIDE, name), self.path(f"ds={day}")
        rows.write.option("compression", "zstd").parquet(str(aside.toString()))
        count, wanted = self.session.read.parquet(str(aside.toString())).count(), rows.count()
        if count != wanted:
            raise HiveError(f"{day}: {count} rows were written, and not {wanted}")
        stream = self.files.create(self.path(ASIDE, name, MARK))
        stream.write(bytearray(json.dumps(mark | {"rows": count}).encode()))
        stream.close()
        old = self.path(ASIDE, f"{name}-old")
        try:
            if self.files.exists(place):
                self.move(place, old)
            self.move(aside, place)
        except Py4JJavaError as error:
            raise HiveError(
                f"{self.of(day)} was moved by another run meanwhile. Run again."
            ) from error
        self.files.delete(old, True)
        return count

    def move(self, source: Any, target: Any) -> None:
        """A move onto something that is there fails."""
        gateway: Any = self.session.sparkContext._gateway
        options = gateway.new_array(getattr(self.jvm.org.apache.hadoop.fs, "Options$Rename"), 0)
        self.context.rename(source, target, options)

    def clean(self) -> None:
        """Remove what runs that died have left aside."""
        if not self.files.exists(self.path(ASIDE)):
            return
        for status in self.files.listStatus(self.path(ASIDE)):
            age = datetime.now(UTC).timestamp() - status.getModificationTime() / 1000
            if age > DAYS_ASIDE * 86400:
                self.files.delete(status.getPath(), True)


def register(session: SparkSession, table: str, folder: Folder, hive_table: str) -> None:
    """Make the days partitions of a table of Spark's own catalog."""
    columns = {f.name: f.dataType.simpleString() for f in session.table(table).schema}
    own = ", ".join(f"{quoted(n)} {kind}" for n, kind in columns.items())
    session.sql(
        f"create table if not exists {hive_table} ({own}) using parquet partitioned by (ds) "
        f"location '{folder.root.toString()}'"
    )
    there = {field.name for field in session.table(hive_table).schema}
    new = ", ".join(f"{quoted(n)} {kind}" for n, kind in columns.items() if n not in there)
    if new:
        session.sql(f"alter table {hive_table} add columns ({new})")
    days = " ".join(f"partition (ds = date '{day}')" for day in sorted(folder.days()))
    if days:
        session.sql(f"alter table {hive_table} add if not exists {days}")
