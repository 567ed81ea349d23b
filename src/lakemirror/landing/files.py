"""Landing: recorded Kafka records become rows of raw tables."""

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from lakemirror.landing import quarantine, raw
from lakemirror.landing.erased import erased_columns
from lakemirror.landing.frames import frame_of
from lakemirror.landing.schema_history import has_schema, land_schemas
from lakemirror.landing.topics import SIDE_TABLES, is_ambiguous, raw_tables
from lakemirror.notices import listener

REPORT = (
    "file string, file_size bigint, file_modified_at timestamp, topic string, `partition` int, "
    "from_offset bigint, to_offset bigint, records bigint, rows bigint, rejected bigint, "
    "proven_offset bigint, end_offset bigint, newest_src_ts timestamp, "
    "raw_table string, landed_at timestamp"
)
FILE = ["file", "file_size", "file_modified_at"]
RECORD = (
    "struct<topic: string, partition: int, offset: bigint, timestamp: bigint, key: string, "
    "value: string>"
)
TOPIC = "^[A-Za-z0-9._-]{1,249}$"  # what Kafka lets a topic be called
HAS_VALUE = "coalesce(array_contains(json_object_keys(line), 'value'), false)"
LEAST_AT_ONCE, MOST_AT_ONCE = 2, 8  # topics: each has a session, and a commit that waits


def topics_at_once(session: SparkSession) -> int:
    """How many topics land at once: one a core that Spark has, of few and of many at the most. What
    a Connect server has is not known."""
    if not hasattr(session, "_jsparkSession"):
        return LEAST_AT_ONCE
    return min(max(session.sparkContext.defaultParallelism, LEAST_AT_ONCE), MOST_AT_ONCE)


def land_files(
    session: SparkSession, folder: str, landed: DataFrame | None, topic_sources: Mapping[str, str]
) -> DataFrame:
    """Land every new file of ``folder`` (``*.jsonl``, ``*.jsonl.gz``, also in its subfolders), or
    the one file that it is.

    A line is a Kafka record: topic, partition, offset, timestamp (ms), key and value (texts or
    null). A line that is none goes to ops.quarantine. A file that has changed is landed again:
    what is there already is not added twice. Topics that would share a raw table are left out with
    a warning, and the files that have them are landed again by each run until they do not.

    Args:
        landed: what earlier runs have returned; None when there was none.
        topic_sources: see lakemirror.landing.topics.raw_table.

    Returns:
        A row per file, topic and partition, of the columns REPORT; ``rows`` are new in raw.
    """
    hidden = hidden_files(Path(folder))
    if hidden:
        listener()(hidden_warning(hidden))
    files = new_files(session, folder, landed)
    if not files:
        return frame_of(session, [], REPORT)
    now = raw.timestamp_now(session)
    # the others are not read, and a file that appears from now on waits for the next run
    lines = recorded(session, folder, "text").where(
        F.col("file").isin([file["file"] for file in files])
    )
    # one copy of a record that several lines or files deliver
    record = ["_kfk_topic", "_kfk_partition", "_kfk_offset", "key", "value"]
    line = ["rejected_line", "rejected_from"]
    records = parse_records(lines, now).dropDuplicates([*record, *line]).persist()
    try:
        parts, rejected = count_records(records)
        if rejected or quarantine.has_open_lines(session):
            bad = records.where("rejected_line is not null")
            quarantine.reject_lines(session, [file["file"] for file in files], bad)
        if rejected:
            listener()(rejected_warning(rejected, quarantine.table_in(session)))
        accepted = records.where("rejected_line is null")
        topics = {part["topic"] for part in parts}
        asked = [topic for topic in topics if is_ambiguous(topic, topic_sources)]
        sides = raw.sides_of(accepted, asked)
        tables = raw_tables(topics, topic_sources, sides)
        raw.make_schema(session)
        waiting = raw.waiting_topics(session, tables, tables, topic_sources, sides, listener())
        landing = [part for part in parts if part["topic"] not in waiting]
        tables = {topic: table for topic, table in tables.items() if topic not in waiting}
        rows = land_topics(session, accepted, landing, tables, topic_sources, now)
        again = {part["file"] for part in parts if part["topic"] in waiting}
        report = [
            (
                *(*file, *row, rejected.get(file["file"], 0) if n == 0 else 0),
                *(row[3], None, None, tables.get(row[0]), now),
            )
            for file in files
            if file["file"] not in again
            for n, row in enumerate(rows.get(file["file"], [(None,) * 4 + (0, 0)]))
        ]
        return frame_of(session, report, REPORT)
    finally:
        records.unpersist()


def rejected_warning(rejected: Mapping[str, int], table: str) -> str:
    """What is said of lines that are no records.

    Args:
        rejected: how many each file has.
        table: the quarantine.

    >>> rejected_warning({"a.jsonl": 2, "b.jsonl": 1}, "ops.quarantine")[:49]
    '3 lines are no Kafka records, of a.jsonl, b.jsonl'
    """
    files, lines = sorted(rejected), sum(rejected.values())
    named = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return (
        f"{lines} lines are no Kafka records, of {named}. They are in {table}: mend the files, "
        "which are landed again when they have changed."
    )


def recorded(session: SparkSession, folder: str, kind: str) -> DataFrame:
    """The files of a folder, with what identifies each file as it is now.

    Args:
        kind: ``text`` for a row per line of theirs, ``binaryFile`` for a row per file.

    Raises:
        FileNotFoundError: the folder does not exist.
    """
    reader = session.read.options(recursiveFileLookup="true", pathGlobFilter="*.{jsonl,jsonl.gz}")
    try:
        found = reader.format(kind).load(literal(folder))
    except AnalysisException as error:
        if error.getCondition() != "PATH_NOT_FOUND":
            raise
        raise FileNotFoundError(f"recordings of the model landing: there is no {folder}") from error
    return found.select(
        *([F.col("value").alias("line")] if kind == "text" else []),
        F.col("_metadata.file_path").alias("file"),
        F.col("_metadata.file_size").alias("file_size"),
        F.col("_metadata.file_modification_time").alias("file_modified_at"),
    )


def hidden_files(folder: Path) -> list[str]:
    """The files of a folder on this machine, or the one that it is, that Spark leaves out: a name
    on the way to them begins with _ or a dot."""
    files = (
        [folder] if folder.is_file() else [*folder.rglob("*.jsonl"), *folder.rglob("*.jsonl.gz")]
    )
    return sorted(
        str(file)
        for file in files
        if any(
            part.startswith(("_", ".")) and "=" not in part
            for part in (file.relative_to(folder).parts or (file.name,))
        )
    )


def hidden_warning(files: Sequence[str]) -> str:
    """What is said of files that Spark leaves out.

    >>> hidden_warning(["r/_orders.jsonl"])[:40]
    'r/_orders.jsonl: is not landed, since Sp'
    """
    others = f" (and {len(files) - 1} more)" if len(files) > 1 else ""
    return (
        f"{files[0]}{others}: is not landed, since Spark leaves out files and folders whose names "
        "begin with _ or a dot. Give it another name"
    )


def literal(path: str) -> str:
    """A path as Hadoop's patterns have it: that of a file or folder which is there is none, and is
    the same to a server that runs elsewhere.

    >>> literal("s3://recordings/*/shop")
    's3://recordings/*/shop'
    """
    if not Path(path).exists():
        return path
    return re.sub(r"([\\*?{}[\]])", r"\\\1", os.path.abspath(path))


def new_files(session: SparkSession, folder: str, landed: DataFrame | None) -> list[Row]:
    """The files that no earlier run has landed as they are now, by FILE; none of them is read."""
    files = recorded(session, folder, "binaryFile").where("file_size > 0")
    if landed is not None:
        files = files.join(landed.select(*FILE), FILE, "left_anti")
    return sorted(
        Row(**file.asDict() | {"file_modified_at": raw.utc(file["file_modified_at"])})
        for file in files.collect()
    )


def parse_records(lines: DataFrame, now: datetime) -> DataFrame:
    """Lines as rows of raw tables, with ``file``; a bad line is the ``rejected_line``."""
    records = (
        lines.where("trim(line) <> ''")
        # as an array: a parser of one record ignores whatever follows it on its line
        .withColumn("records", F.from_json(F.format_string("[%s]", "line"), f"array<{RECORD}>"))
        .withColumn("record", F.expr("if(size(records) = 1, records[0], null)"))
        .withColumn(
            "is_record",
            F.expr(
                f"coalesce(record.topic rlike '{TOPIC}', false) "
                "and record.partition is not null and record.offset is not null "
                # a record without a value says so: else a misspelt member would be a tombstone
                f"and (record.value is not null or {HAS_VALUE})"
            ),
        )
        .selectExpr(
            "if(is_record, null, line) as rejected_line",
            "if(is_record, null, file) as rejected_from",
            "file",
            "record.key",
            "record.value",
            "record.topic as _kfk_topic",
            "record.partition as _kfk_partition",
            "record.offset as _kfk_offset",
            "timestamp_micros(try_multiply(record.timestamp, 1000L)) as _kfk_timestamp",
        )
    )
    return with_source_time(records, now)


def with_source_time(records: DataFrame, now: datetime) -> DataFrame:
    """Records with ``_src_ts`` and ``_landed_at``."""
    return (
        records.withColumn("micros", F.expr(raw.SOURCE_MICROS))
        # a parser would take as long as all else
        .withColumn("event", F.from_json(F.expr("if(micros is null, value, null)"), raw.EVENT))
        .withColumn(
            "_src_ts", F.expr(f"coalesce(timestamp_micros(nullif(micros, 0L)), {raw.SOURCE_TIME})")
        )
        .drop("micros", "event")
        .withColumn("_landed_at", F.lit(now))
    )


def land_topics(
    session: SparkSession,
    records: DataFrame,
    parts: Sequence[Row],
    tables: Mapping[str, str],
    topic_sources: Mapping[str, str],
    now: datetime,
) -> dict[str, list[tuple]]:
    """Append each topic's records to its raw table, and keep the schemas that they tell.

    Args:
        parts: what count_records says of ``records``.
        tables: the raw table of each topic.

    Returns:
        By file: (topic, partition, from offset, to offset, records, new rows).

    Raises:
        RawConflictError: an offset is there with another record, or other writers do not let up.
        TopicError: another run gives one raw table to another topic.
    """
    existing, schema = raw.tables_of(session), raw.schema_of(session)
    erased = erased_columns(session)

    def land(topic: str) -> dict[tuple[str, int], int]:
        table, mine = tables[topic], [part for part in parts if part["topic"] == topic]
        offsets: dict[int, tuple[int, int]] = {}
        for part in mine:
            lowest, highest = offsets.get(part["partition"], (part["first"], part["last"]))
            bounds = min(lowest, part["first"]), max(highest, part["last"])
            offsets[part["partition"]] = bounds
        topic_records = records.where(F.col("_kfk_topic") == topic)
        of_table = erased.get(table, raw.NONE_ERASED)
        if table in existing:
            raw.claim(session, table, topic)
            new = raw.missing(session, table, topic_records, offsets, of_table)
        else:
            session.sql(raw.create_sql(schema, table, topic))
            new = {(part["file"], part["partition"]): part["records"] for part in mine}
        if new:
            raw.append(session, table, topic_records, offsets, erased=of_table)
        return new

    with ThreadPoolExecutor(topics_at_once(session)) as pool:
        new = dict(zip(sorted(tables), pool.map(land, sorted(tables)), strict=True))
    changes = {t for t in tables if tables[t].endswith(f"__{SIDE_TABLES['schema change']}")}
    described = {part["topic"] for part in parts if part["described"]} - changes
    land_schemas(session, records, changes, described, topic_sources, now)
    report: dict[str, list[tuple]] = {}
    for part in parts:
        file, topic, partition, *_ = part
        report.setdefault(file, []).append((*part[1:6], new[topic].get((file, partition), 0)))
    return report


def count_records(records: DataFrame) -> tuple[list[Row], dict[str, int]]:
    """What there is to land.

    Returns:
        (a row per file, topic and partition: where its offsets begin and end, how many records
        there are, and how many of them bring their schema; the number of bad lines by file).

    Raises:
        RawConflictError: two different records claim one place.
    """
    place = ["rejected_from", "_kfk_topic", "_kfk_partition", "_kfk_offset"]
    counts = (
        records.groupBy(*place)
        .agg(
            F.min("file").alias("file"),
            F.count("*").alias("records"),
            F.count_if(has_schema()).alias("described"),
        )
        .groupBy(
            "file", F.col("_kfk_topic").alias("topic"), F.col("_kfk_partition").alias("partition")
        )
        .agg(
            F.min("_kfk_offset").alias("first"),
            F.max("_kfk_offset").alias("last"),
            F.sum(F.expr("if(rejected_from is null, records, 0)")).alias("records"),
            F.sum("described").alias("described"),
            F.sum(F.expr("if(rejected_from is null, 0, records)")).alias("rejected"),
            F.min(F.expr("if(rejected_from is null and records > 1, _kfk_offset, null)")).alias(
                "clash"
            ),
        )
        .collect()
    )
    for row in counts:
        if row["clash"] is not None:
            raise raw.RawConflictError(raw.clash(row["topic"], row["partition"], row["clash"]))
    rejected: Counter[str] = Counter()
    for row in counts:
        rejected[row["file"]] += row["rejected"]
    parts = sorted(row for row in counts if row["records"])
    return parts, {file: lines for file, lines in rejected.items() if lines}
