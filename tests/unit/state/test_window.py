"""Windows of a raw table, on histories that are written down."""

import pytest

from lakemirror.state.window import (
    BOOKMARK,
    DROPPED_BY,
    ERASED,
    LAST,
    NEWEST_EVENT,
    Snapshot,
    Window,
    WindowError,
    foreign_changes,
    foreign_commits,
    history_of,
    is_resynced,
    landed,
    lineage,
    newest_commit_before,
    newest_own_commit,
    next_window,
    outdated,
    snapshots_with,
)

RAW = "raw.shop__orders"
NAMES = ("kafka-offsets", "kafka-topic-id")


def snapshot(number, parent=None, operation="append", **counts):
    summary = {name.replace("_", "-"): str(count) for name, count in counts.items()}
    return Snapshot(number, parent, operation, summary)


def history(*snapshots):
    """A line of snapshots after 1, which appended 10 rows; their parents are set."""
    line = [snapshot(1, added_records=10, total_records=10)]
    for following in snapshots:
        line.append(Snapshot(following.id, line[-1].id, following.operation, following.summary))
    return line


APPEND = snapshot(2, added_records=5, total_records=15)


def test_hours_that_all_have_read_may_go():
    """F26, F28: those that their next commit names, and no others."""
    gone = snapshot(3, operation="delete", deleted_data_files=4, deleted_records=9)
    told = Snapshot(4, 3, "append", {DROPPED_BY: "3"})
    line = history(APPEND, gone, told, snapshot(5, added_records=2))
    assert next_window(RAW, line, 5, 2) == Window(2, 5, 2)
    assert next_window(RAW, line[:4], 4, 2) is None
    assert foreign_commits(lineage(line, 4)) == [line[1], line[0]]
    with pytest.raises(WindowError, match="delete snapshot 3"):
        next_window(RAW, history(APPEND, gone, snapshot(5, added_records=2)), 5, 2)


def test_what_landing_goes_on_from():
    first, second = ({f"lakemirror.{name}": each for name in NAMES} for each in ("1", "2"))
    line = [Snapshot(1, None, "append", first), Snapshot(2, 1, "append", second | {LAST: "true"})]
    after = Snapshot(3, 2, "replace", {"lakemirror.other": "x"})
    assert landed(lineage([*line, after], 3)) == dict.fromkeys(NAMES, "2")
    assert landed([after]) == {}


def test_lineage_follows_parents_and_no_clock():
    # listed in any order, ids that fall, and a branch beside the head's line
    snapshots = [snapshot(3, 9), snapshot(9), snapshot(5, 3), snapshot(7, 3)]
    assert [s.id for s in lineage(snapshots, 5)] == [5, 3, 9]


def test_lineage_ends_where_a_parent_has_expired():
    assert [s.id for s in lineage([snapshot(3, 2), snapshot(4, 3)], 4)] == [4, 3]


def test_lineage_of_an_empty_table():
    assert lineage([], None) == []


def test_the_bookmark_survives_maintenance_commits():
    own = [Snapshot(n, n - 1, "overwrite", {BOOKMARK: str(100 + n)}) for n in (1, 2)]
    compactions = [snapshot(3, 2, "replace"), snapshot(4, 3, "replace")]
    assert newest_own_commit(lineage([*own, *compactions], 4)) == own[1]


def test_a_table_that_no_run_has_merged_into_has_no_bookmark():
    assert newest_own_commit(lineage(history(APPEND), 2)) is None
    assert newest_own_commit([]) is None


def test_what_others_have_changed_since_a_snapshot():
    own = Snapshot(3, None, "delete", {"lakemirror.pruned-until": "x", "deleted-data-files": "1"})
    compacted = snapshot(4, None, "replace", deleted_data_files=1)
    foreign = snapshot(5, None, "delete", deleted_data_files=1)
    added = snapshot(6, None, "append")
    part = Snapshot(7, None, "append", {"lakemirror.part": "of the next commit"})
    line = [*reversed(history(APPEND, own, compacted, foreign, added, part))]
    assert [each.id for each in foreign_changes(line, 2)] == [6, 5]
    assert foreign_changes(line, 6) == []
    assert [each.id for each in foreign_changes(line, None)] == [5]


def test_the_newest_commit_before_a_midnight():
    """F49: of the mirror's history, and of what a tag keeps of it where it has expired."""

    def commit(number, parent, newest):
        return Snapshot(number, parent, "append", {BOOKMARK: "1", NEWEST_EVENT: newest})

    kept, other, cut, head = (
        commit(1, None, "2026-01-31 23:59:59"),
        commit(2, None, "2026-01-31 23:59:58"),
        commit(4, 3, "2026-02-01 07:00:00"),
        Snapshot(5, 4, "replace", {}),
    )
    found = [kept, other, cut, head]
    assert newest_commit_before("2026-02-02 00:00:00", found, 5, []) == cut
    assert newest_commit_before("2026-02-01 00:00:00", found, 5, []) is None
    assert newest_commit_before("2026-02-01 00:00:00", found, 5, [1, 2]) == kept
    assert newest_commit_before("2026-01-31 23:59:59", found, 5, [1, 2]) == other
    assert newest_commit_before("2026-01-31 00:00:00", found, 5, [1, 2]) is None


def test_a_window_has_the_bytes_of_its_files():
    first = snapshot(1, added_records=1, added_files_size=7, total_records=1, total_files_size=7)
    second = snapshot(2, 1, added_records=2, added_files_size=5, total_files_size=12)
    assert next_window(RAW, [first, second], 2, 1) == Window(1, 2, 2, 5)
    assert next_window(
        RAW, [first, snapshot(2, 1, total_records=3, total_files_size=12)], 2, None
    ) == (Window(None, 2, 3, 12))


def test_the_window_is_what_came_after_the_bookmark():
    snapshots = history(APPEND, snapshot(3, added_records=2, total_records=17))
    window = next_window(RAW, snapshots, 3, 1)
    assert window == Window(1, 3, 7)
    assert window.clause == "with ('start-snapshot-id' = '1', 'end-snapshot-id' = '3')"


def test_the_first_run_reads_the_version_as_of_the_end():
    # what was deleted or overwritten before cannot be skipped: the state is read
    snapshots = history(snapshot(2, operation="delete", deleted_data_files=1, total_records=6))
    window = next_window(RAW, snapshots, 2, None)
    assert window == Window(None, 2, 6)
    assert window.clause == "version as of 2"


@pytest.mark.parametrize("start", [None, 1])
def test_an_empty_table_has_no_window(start):
    assert next_window(RAW, [], None, start) is None


def test_nothing_added_is_no_window():
    assert next_window(RAW, history(APPEND), 2, 2) is None
    assert next_window(RAW, history(snapshot(2)), 2, 1) is None


def test_a_bookmark_that_has_expired_is_refused():
    snapshots = [snapshot(2, 1, added_records=5), snapshot(3, 2, added_records=2)]
    with pytest.raises(WindowError) as error:
        next_window(RAW, snapshots, 3, 1)
    assert str(error.value) == (
        "raw.shop__orders has no snapshot 1, the bookmark: it has expired, or the table is another."
    )


def test_a_bookmark_that_was_rolled_back_is_refused():
    snapshots = [*history(APPEND), snapshot(3, 1, added_records=4)]
    with pytest.raises(WindowError) as error:
        next_window(RAW, snapshots, 3, 2)
    assert str(error.value) == (
        "raw.shop__orders was rolled back: its snapshot 2, the bookmark, is not in its history."
    )


@pytest.mark.parametrize(
    "changing",
    [
        snapshot(2, operation="delete", deleted_data_files=1),
        snapshot(2, operation="overwrite", deleted_data_files=1, added_records=3),
        snapshot(2, operation="overwrite", added_delete_files=1),
        snapshot(2, operation="delete", removed_delete_files=1),
    ],
)
def test_a_change_inside_the_window_is_refused(changing):
    snapshots = history(changing, snapshot(3, added_records=2))
    with pytest.raises(WindowError) as error:
        next_window(RAW, snapshots, 3, 1)
    assert str(error.value) == (
        f"raw.shop__orders was changed by the {changing.operation} snapshot 2, and an "
        "incremental read would skip it in silence."
    )


def test_a_change_before_the_bookmark_was_read():
    snapshots = history(
        snapshot(2, operation="delete", deleted_data_files=1), snapshot(3, added_records=2)
    )
    assert next_window(RAW, snapshots, 3, 2) == Window(2, 3, 2)


def test_compaction_inside_the_window_adds_nothing_to_read():
    compaction = snapshot(3, operation="replace", added_records=15, deleted_data_files=9)
    assert next_window(RAW, history(APPEND, compaction), 3, 1) == Window(1, 3, 5)
    assert next_window(RAW, history(APPEND, compaction), 3, 2) is None


def test_an_erasure_inside_the_window_adds_nothing_and_hides_nothing():
    """F27, F53: it rewrites files, and all that it takes is read as erased."""
    counts = {"added-records": "9", "deleted-data-files": "1"}
    erasure = Snapshot(3, None, "overwrite", counts | {ERASED: "1b2c3d4e"})
    assert next_window(RAW, history(APPEND, erasure), 3, 2) is None
    assert next_window(RAW, history(erasure, APPEND), 2, 1) == Window(1, 2, 5)
    foreign = Snapshot(3, None, "overwrite", counts)
    with pytest.raises(WindowError):
        next_window(RAW, history(APPEND, foreign), 3, 2)


def test_an_overwrite_of_nothing_is_harmless():
    empty = snapshot(2, operation="overwrite", deleted_data_files=0)
    assert next_window(RAW, history(empty), 2, 1) is None
    assert next_window(RAW, history(empty, snapshot(3, added_records=2)), 3, 1) == Window(1, 3, 2)


def lake(head, *snapshots):
    """What Spark answers about a table with this head and these snapshots."""

    def query(statement):
        if statement == "show tblproperties raw.t ('current-snapshot-id')":
            return [("current-snapshot-id", head)]
        assert statement.endswith(" from raw.t.snapshots")
        return snapshots

    return query


def test_the_history_of_a_table():
    rows = [(1, None, "append", '{"a":"b"}'), (2, 1, "replace", "{}")]
    found = [Snapshot(1, None, "append", {"a": "b"}), Snapshot(2, 1, "replace", {})]
    assert history_of("raw.t", lake("2", *rows)) == (found, 2)
    assert snapshots_with(1, "raw.t", lake("2", *rows)) == found
    assert history_of("raw.t", lake("none")) == ([], None)


def test_a_history_without_its_head_is_refused():
    with pytest.raises(WindowError, match=r"raw[.]t was changed while it was read"):
        history_of("raw.t", lake("2", (1, None, "append", "{}")))


def test_only_iceberg_tables_have_a_head():
    with pytest.raises(WindowError, match=r"raw[.]t is not an Iceberg table"):
        history_of("raw.t", lake("Table raw.t does not have property: current-snapshot-id"))


@pytest.mark.parametrize("mending", ["taken-in", "repaired"])
def test_what_was_before_a_mending_commit_is_not_right(mending):
    line = [Snapshot(3, 2, "a"), Snapshot(2, 1, "a", {f"lakemirror.{mending}": "1"})]
    line.append(Snapshot(1, 0, "a"))
    assert outdated(line, {1, 3}) == {1}
    assert outdated(line, {3, 9}) == {1, 9}
    assert outdated([Snapshot(3, 2, "a")], {9}) == set()


def test_what_a_rollback_has_left_behind_is_not_right():
    line = [Snapshot(4, 1, "a", {"lakemirror.rolled-back-to": "1"}), Snapshot(1, None, "a")]
    assert outdated(line, {1, 2}) == {2}


def test_a_resync_since_a_commit():
    line = [Snapshot(4, 3, "a"), Snapshot(3, 2, "a", {"lakemirror.resync": "{}"})]
    line += [Snapshot(2, 1, "a"), Snapshot(1, None, "a")]
    assert [is_resynced(line, each.id) for each in line] == [False, False, True, True]


def test_nobody_knows_of_a_commit_before_what_has_expired():
    assert is_resynced([Snapshot(4, 3, "a"), Snapshot(3, 2, "a")], 1)
