"""What a table's metadata says of it at one moment."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from lakemirror.state.window import HEAD, Snapshot

FORMAT = "format-version"


@dataclass(frozen=True)
class TableMetadata:
    """A table as it was when its metadata was read, once.

    Attributes:
        properties: by name, with those that ``show tblproperties`` has beside them: the main
            branch's newest snapshot, ``none`` where there is none, and the format version.
        snapshots: all of them.
        columns: name, Spark's type and comment of each.
        partitioning: the partition fields, as Spark writes them.
        refs: the snapshots of tags and branches, by their names.
        times: when each snapshot was committed, in milliseconds since 1970.
        former: how many former metadata files it names.
    """

    properties: Mapping[str, str]
    snapshots: Sequence[Snapshot]
    columns: Sequence[tuple[str, str, str | None]]
    partitioning: Sequence[str]
    refs: Mapping[str, int] = field(default_factory=dict)
    times: Mapping[int, int] = field(default_factory=dict)
    former: int = 0

    @classmethod
    def read(
        cls,
        text: str,
        columns: Sequence[tuple[str, str, str | None]],
        partitioning: Sequence[str],
    ) -> "TableMetadata":
        """Iceberg's JSON of a table's metadata, with what Spark has its own words for.

        >>> read = TableMetadata.read('{"format-version": 2, "current-snapshot-id": -1}', [], [])
        >>> dict(read.properties)
        {'current-snapshot-id': 'none', 'format-version': '2'}
        """
        found = json.loads(text)
        head = found.get(HEAD)
        own = {
            HEAD: "none" if head in (None, -1) else str(head),
            FORMAT: str(found[FORMAT]),
        }
        return cls(
            properties=found.get("properties", {}) | own,
            snapshots=[snapshot_of(snapshot) for snapshot in found.get("snapshots", ())],
            refs={name: ref["snapshot-id"] for name, ref in found.get("refs", {}).items()},
            times={
                each["snapshot-id"]: each["timestamp-ms"] for each in found.get("snapshots", ())
            },
            former=len(found.get("metadata-log", ())),
            columns=columns,
            partitioning=partitioning,
        )


def snapshot_of(found: Mapping[str, Any]) -> Snapshot:
    """A snapshot of Iceberg's JSON of one, whose summary has the operation too."""
    summary = {**found["summary"]}
    operation = summary.pop("operation")
    return Snapshot(found["snapshot-id"], found.get("parent-snapshot-id"), operation, summary)
