"""What a table's metadata says, as Iceberg writes it."""

import json

from lakemirror.state.table_metadata import TableMetadata
from lakemirror.state.window import Snapshot

FIRST = {
    "snapshot-id": 6,
    "sequence-number": 1,
    "timestamp-ms": 1,
    "summary": {"operation": "append", "total-records": "2"},
}
NEXT = FIRST | {"snapshot-id": 7, "parent-snapshot-id": 6, "summary": {"operation": "replace"}}


def test_snapshots_and_properties():
    """The operation is no part of what a commit says: lakemirror's properties stand beside it."""
    text = {
        "format-version": 3,
        "current-snapshot-id": 7,
        "properties": {"write.merge.mode": "copy-on-write"},
        "snapshots": [FIRST, NEXT | {"timestamp-ms": 2}],
        "refs": {"main": {"snapshot-id": 7, "type": "branch"}},
    }
    columns, fields = [("id", "int", "the key")], ["bucket(2, id)"]
    found = TableMetadata.read(json.dumps(text), columns, fields)
    assert found.snapshots == [
        Snapshot(6, None, "append", {"total-records": "2"}),
        Snapshot(7, 6, "replace", {}),
    ]
    assert found.properties == {
        "write.merge.mode": "copy-on-write",
        "current-snapshot-id": "7",
        "format-version": "3",
    }
    assert (found.refs, found.times) == ({"main": 7}, {6: 1, 7: 2})
    assert (found.columns, found.partitioning) == (columns, fields)


def test_a_table_without_a_commit():
    for head in ({}, {"current-snapshot-id": None}, {"current-snapshot-id": -1}):
        found = TableMetadata.read(json.dumps({"format-version": 2} | head), [], [])
        assert found.properties["current-snapshot-id"] == "none"
        assert found.snapshots == []
