"""What a table may be set back to, and what is refused with its reason: F26, F29."""

from datetime import UTC, datetime, timedelta

import pytest

from lakemirror.state.rollback import (
    Hold,
    TargetError,
    previous_commit,
    target,
    tombstones_of,
)
from lakemirror.state.window import Snapshot, lineage

BOOKMARK = {"lakemirror.raw-snapshot-id": "1"}
NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
SNAPSHOTS = [
    Snapshot(1, 0, "append", {**BOOKMARK, "lakemirror.tombstones-snapshot-id": "71"}),
    Snapshot(2, 1, "overwrite", {"lakemirror.part": "of the next commit"}),
    Snapshot(3, 2, "append", BOOKMARK),
    Snapshot(4, 3, "replace"),
    Snapshot(5, 4, "overwrite"),
]


def at(wanted, refs=()):
    times = {s.id: NOON + timedelta(hours=s.id) for s in SNAPSHOTS}
    return target(wanted, SNAPSHOTS, 5, dict(refs), times.__getitem__).id


def test_a_snapshot_a_tag_or_a_time():
    assert (at("3"), at("4"), at("kept", {"kept": 1})) == (3, 4, 1)
    assert at("2026-01-31T14:59:59") == 1  # the part at 14:00 is no state
    assert at("2026-01-31T15:00:00+00:00") == at("2026-02-28") == 3


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("9", "the table has no snapshot 9: it has expired, or never was"),
        ("2", "part of a run .overwrite 2. since the merge 1. --to 1 is that merge"),
        ("5", "of others .overwrite 5. since the merge 3. --to 3 is that merge"),
        ("2026-01-31", "no merge of the table is there from until 2026-01-31"),
        ("yesterday", "yesterday is neither a snapshot, nor a tag of the table, nor a time"),
    ],
)
def test_what_is_no_state_is_refused(wanted, problem):
    with pytest.raises(TargetError, match=problem):
        at(wanted)


def test_undo_takes_back_what_others_did_first():
    assert previous_commit(SNAPSHOTS, 5).id == 3
    assert previous_commit(SNAPSHOTS, 4).id == 1
    with pytest.raises(TargetError, match="no merge before the newest one"):
        previous_commit(SNAPSHOTS, 1)


def test_what_carries_a_merge_on_is_that_merge():
    carried = Snapshot(6, 4, "append", {**BOOKMARK, "lakemirror.maintains": "3"})
    assert previous_commit([*SNAPSHOTS, carried], 6).id == 1
    foreign = Snapshot(7, 6, "overwrite")
    assert previous_commit([*SNAPSHOTS, carried, foreign], 7).id == 6


def test_the_deletes_of_a_state_are_those_that_its_commit_names():
    assert tombstones_of(lineage(SNAPSHOTS, 2)) == 71
    assert tombstones_of(lineage(SNAPSHOTS, 4)) is None  # a commit of an older version


def test_a_hold_is_a_property():
    hold = Hold(1, None, 3)
    assert Hold.of({"lakemirror.held": hold.as_property()}) == hold
    assert Hold.of({}) is None
