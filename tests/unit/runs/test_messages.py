"""What runs say."""

import pytest

from lakemirror.runs import messages
from lakemirror.runs.resync import mode_problem

COMMAND = "dbt run --full-refresh --select mirror_o --vars '{allow_full_refresh: true}'"
SNAPSHOT = {
    **{"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 10, "_tx_order": -1},
    **{"_src_ts": "2026-01-02 00:00:00", "rows": 3, "keyless": 0},
    **{"is_older": False, "has_begin": True, "has_end": True},
}


def test_each_says_how_to_rebuild():
    said = [
        messages.full_refresh_refused("mirror_o", "mirror.o"),
        messages.undeclared_lost("a, b", "mirror_o"),
        messages.unguarded(3, "2026-01-01", "mirror_o"),
        messages.epochs_went_back("x", "mirror_o"),
        messages.cannot_follow("mirror.o", ["a", "b"], "mirror_o"),
        messages.unknown_default("mirror_o", "n", "uuid()"),
        messages.key_changed("mirror_o", ["id"], ["old"], None),
    ]
    assert [text for text in said if COMMAND not in text] == []
    assert "mirror.o cannot follow its query: a; b. Nothing was written." in said[4]


def test_another_key():
    ours = messages.key_changed("m", ["id"], ["a", "b"], None)
    assert "unique_key has changed: it was a, b and is id. Nothing was written. Rebuild" in ours
    theirs = messages.key_changed("m", ["id"], ["id"], ["x", "y"])
    assert "the source has another key: it was id and is x, y." in theirs
    assert "Set unique_key, and rebuild the mirror" in theirs


def test_what_was_counted():
    counts = dict.fromkeys(
        ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "unguarded"), 0
    )
    line = "m: 0 read, 0 applied, 0 stale, 0 duplicate, 0 ignored, 0 quarantined"
    assert messages.counts_line("m", counts) == line
    each = {"read": 9, "applied": 4, "stale": 1, "duplicate": 2, "ignored": 5, "quarantined": 3}
    assert messages.counts_line("m", counts | each) == (
        "m: 9 read, 4 applied, 1 stale, 2 duplicate, 5 ignored, 3 quarantined"
    )
    assert messages.counts_line("m", counts | {"unguarded": 2}) == f"{line}, 2 unguarded"


def test_a_topic_without_records_and_one_that_was_made_anew():
    assert "no record has landed in raw.t yet" in messages.nothing_landed("m", "raw.t")
    said = messages.reused_offsets(3, "raw.v")
    assert said.startswith("3 records of raw.v have the Kafka coordinates of other records in the")
    assert said.endswith("a source of its own in the var topic_sources, and a log of its own.")


def test_events_that_cannot_be_used():
    assert messages.bad_rows(3, "mirror_o", "ops") == (
        "3 events cannot be used, and on_bad_rows is fail. See them by "
        "`select reason, value from ops.quarantine where model = 'mirror_o'`."
    )


def test_columns_that_nobody_declares():
    """F17: with the remedies."""
    problem, warning = messages.undeclared_refused("a, b"), messages.undeclared_lost("a, b", "m")
    assert ": a, b. Land the schema-change topic and run again" in problem
    assert "config.meta.ignored_columns" in problem
    assert "are lost: a, b. " in warning
    assert messages.rebuild_command("m") in warning


def test_rows_that_may_have_been_deleted():
    """F06: with the command that makes it certain."""
    said = messages.unguarded(2, "2026-01-13 00:00:00", "mirror_o")
    assert said.startswith("mirror_o: 2 new rows are from before 2026-01-13 00:00:00, whose")
    assert said.endswith(COMMAND)


def test_an_order_that_went_back():
    assert messages.epochs_went_back("log 2 follows log 1", "mirror_o") == (
        "the order of the source went back: log 2 follows log 1. For Vitess set "
        "vitess.inherit.epoch=true at the connector; for what has been sent, and for a new "
        "MySQL server, say in the var epochs what to add, for example "
        f"`epochs: [{{log: '-40', epoch: 1}}]`, and rebuild the mirror: {COMMAND}."
    )


def test_what_a_table_cannot_follow():
    assert messages.cannot_follow("mirror.o", ["a", "b"], "mirror_o") == (
        "mirror_o: mirror.o cannot follow its query: a; b. Nothing was written. Declare the type "
        "that the table has, say what to do by on_type_conflict (docs/schema-changes.md), or "
        f"rebuild the table: {COMMAND}"
    )


def test_all_problems_of_a_configuration_are_one_text():
    assert messages.not_configured("m", ["a: x", "b: y"]) == (
        "m is not configured right:\n  - a: x\n  - b: y"
    )


def test_only_a_whole_full_snapshot_counts():
    assert messages.snapshot_problem(SNAPSHOT, "ops") is None
    assert "raw has no row of a full snapshot" in messages.snapshot_problem(None, "ops")
    for change, reason in (
        ({"is_older": True}, "the order of the source went back"),
        ({"has_end": False}, "the record that marks its end"),
        ({"has_begin": False}, "the record that marks its beginning"),
        ({"keyless": 2}, "2 rows of the newest full snapshot have no key"),
    ):
        assert reason in messages.snapshot_problem(SNAPSHOT | change, "ops")


def test_what_a_resync_says():
    line = messages.resync_line("m", "mirror.o", SNAPSHOT, 2, ['{"id":1}', '{"id":2}'])
    assert "has 3 rows, of 2026-01-02 00:00:00, order (0, 10, -1). 2 rows of mirror.o" in line
    assert line.endswith("dbt run --select m --vars '{resync: apply}'")
    assert messages.resync_line("m", "mirror.o", SNAPSHOT, 0, []).endswith("and not in it")


class Model:
    def __init__(self, existing):
        self.name, self.existing = "m", existing


@pytest.mark.parametrize("mode", ["aply", True, 1])
def test_a_resync_is_dry_or_applied(mode):
    assert "the var resync is dry_run or apply, and not" in mode_problem(mode, Model("t"))


def test_a_resync_needs_a_mirror():
    assert mode_problem("apply", Model("t")) is None
    assert "there is no mirror to resync yet" in mode_problem("dry_run", Model(None))


def test_days_keep_their_layout():
    said = messages.other_layout("daily.t", "branch")
    assert "keeps its days the other way, and the config publish is branch" in said
