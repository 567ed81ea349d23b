"""What a table's commits tell of it, read by PyIceberg: its rows, what they have read, its days."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.exceptions import NoSuchNamespaceError
from pyiceberg.manifest import DataFileContent, FileFormat
from pyiceberg.table.puffin import PuffinFile
from pyiceberg.table.snapshots import ancestors_of

from lakemirror.layers import layers_of_catalog
from lakemirror.state.window import BOOKMARK, DAY, DROPPED_BY, FOREIGN, NEWEST_EVENT, PREFIX

TOMBSTONES = "__tombstones"  # what the name of a mirror's table of deletes ends with


@dataclass(frozen=True)
class Events:
    """What has become of the events that a table has read: read is the sum of the others.

    Attributes:
        other: read, and counted as nothing else; 0 unless a commit of another version of the
            package counts what this one does not know.
    """

    read: int = 0
    applied: int = 0
    stale: int = 0
    duplicate: int = 0
    ignored: int = 0
    quarantined: int = 0
    other: int = 0


@dataclass(frozen=True)
class Read:
    """What a mirror or a log has read.

    Attributes:
        events: by all the commits that are known.
        since: the time (UTC) of the oldest of these, where older ones have expired; else None.
        newest_source_time: of all events, UTC; None where none has one.
    """

    events: Events
    since: datetime | None
    newest_source_time: datetime | None


def tables_in(catalog: Any, namespace: str) -> list[str]:
    """The names of a schema's tables in order; none where there is no such schema."""
    try:
        return sorted(name for *_, name in catalog.list_tables(namespace))
    except NoSuchNamespaceError:
        return []


def ops_table(catalog: Any, name: str) -> Any:
    """A table of the schema ops; None where it is not there."""
    ops = layers_of_catalog(catalog).ops
    return catalog.load_table(f"{ops}.{name}") if name in tables_in(catalog, ops) else None


def read_by(table: Any) -> Read | None:
    """What a mirror or a log has read; None where it has never committed a batch."""
    commits = history(table)
    own = [commit for commit in commits if BOOKMARK in properties(commit)]
    if not own:
        return None
    newest = properties(own[0]).get(NEWEST_EVENT)
    oldest = datetime.fromtimestamp(own[-1].timestamp_ms / 1000, UTC)
    return Read(
        sum_of(map(properties, own)),
        oldest if commits[-1].parent_snapshot_id is not None else None,
        datetime.fromisoformat(newest).replace(tzinfo=UTC) if newest else None,
    )


def sum_of(commits: Iterator[Mapping[str, str]]) -> Events:
    """The events of commits, by their properties.

    >>> sum_of(iter([{"lakemirror.read": "3", "lakemirror.stale": "1"}]))
    Events(read=3, applied=0, stale=1, duplicate=0, ignored=0, quarantined=0, other=2)
    """
    names = [field.name for field in fields(Events) if field.name != "other"]
    sums = dict.fromkeys(names, 0)
    for commit in commits:
        for name in names:
            sums[name] += int(commit.get(PREFIX + name, 0))
    return Events(**sums, other=2 * sums["read"] - sum(sums.values()))


def days_of(table: Any) -> set[str]:
    """The days that a daily table has published: an empty one has a commit, and no partition."""
    committed = {properties(commit).get(DAY) for commit in history(table)} - {None}
    rows = table.inspect.partitions().to_pylist() if table.current_snapshot() else []
    partitions = [row.get("partition", {}) for row in rows]
    return {*map(str, committed)} | {str(part["ds"]) for part in partitions if "ds" in part}


def live_rows(table: Any) -> int:
    """How many rows a table has, by its metadata and its deletes alone: no data file is read."""
    snapshot = table.current_snapshot()
    if snapshot is None:
        return 0
    totals = properties(snapshot)
    if totals.get("total-delete-files") == "0" and "total-records" in totals:
        return int(totals["total-records"])
    tasks = list(table.scan().plan_files())
    deletes = {file.file_path: file for task in tasks for file in task.delete_files}
    found = {path: deleted(table.io, file) for path, file in deletes.items()}
    return sum(
        task.file.record_count
        - deleted_of(task.file.file_path, [found[file.file_path] for file in task.delete_files])
        for task in tasks
    )


def deleted_of(path: str, found: Sequence[Mapping[str, Any]]) -> int:
    """How many rows of a data file are deleted: its vector stands for all other deletes."""
    mine = [deletes[path] for deletes in found if path in deletes]
    vectors = [deletes for deletes in mine if isinstance(deletes, int)]
    if vectors or not mine:
        return max(vectors, default=0)
    return len(pa.chunked_array(mine, pa.int64()).unique())


def deleted(io: Any, file: Any) -> dict[str, Any]:
    """What a file of deletes deletes, by data file: a vector's count, or the rows' positions."""
    if file.content != DataFileContent.POSITION_DELETES:
        raise NotImplementedError(f"{file.file_path} has deletes that are none of positions")
    with io.new_input(file.file_path).open() as stream:
        if file.file_format == FileFormat.PUFFIN:
            blobs = PuffinFile(stream.read()).footer.blobs
            vectors = [blob.properties for blob in blobs]
            return {v["referenced-data-file"]: int(v["cardinality"]) for v in vectors}
        rows = pq.read_table(stream, columns=["file_path", "pos"])
    positions: dict[str, list[pa.Array]] = defaultdict(list)
    for batch in rows.to_batches():
        for path in batch["file_path"].unique().to_pylist():
            positions[path].append(batch.filter(pa.compute.equal(batch["file_path"], path))["pos"])
    return {path: pa.concat_arrays(arrays) for path, arrays in positions.items()}


def history(table: Any) -> list[Any]:
    """The commits that made the table what it is, newest first."""
    return list(ancestors_of(table.current_snapshot(), table.metadata))


def properties(snapshot: Any) -> dict[str, str]:
    return dict(snapshot.summary.additional_properties) if snapshot.summary else {}


def foreign_ids(commits: Sequence[Any]) -> set[int]:
    """The commits that are of others: those that a run has found, and those since the newest run
    but for one of ours that has dropped hours or days.

    Args:
        commits: newest first.
    """
    found: set[int] = set()
    dropped: set[str] = set()
    is_told = False  # a run has come later, and has told of the commits of others
    for commit in commits:
        said = properties(commit)
        is_told = is_told or BOOKMARK in said or DAY in said
        found |= {int(number) for number in json.loads(said.get(FOREIGN, "[]"))}
        dropped |= {said[DROPPED_BY]} if DROPPED_BY in said else set()
        if not is_told and str(commit.snapshot_id) not in dropped:
            found.add(commit.snapshot_id)
    return found
