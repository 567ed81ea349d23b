"""What a table needs, by its figures; and which of its snapshots may go. F26, F38; case 82."""

from dataclasses import replace

import pytest

from lakemirror.runs.policies import LAYERS, Policy, policy_of, policy_problems
from lakemirror.state.care import Figures, Needs, Outlived, expirable, steps
from lakemirror.state.window import Snapshot

RECENTLY = {"orphans_checked": 0.0}
BIG = {"data_files": 90, "data_bytes": 10**9, "rows": 10**6}


@pytest.mark.parametrize(
    ("figures", "policy", "expected"),
    [
        ({}, {}, []),
        (BIG, {}, []),
        (BIG | {"small_files": 5, "small_bytes": 70}, {}, [("compact", 70, False)]),
        (BIG | {"deleted": 100_000, "delete_files": 1}, {}, []),
        (BIG | {"deleted": 100_001, "delete_files": 1}, {}, [("compact", 10**9, True)]),
        (BIG | {"deleted": 100_001}, {"max_deleted_percent": 11}, []),
        # where only young files are touched, deleted rows stay in the others
        (BIG | {"deleted": 200_000}, {"compact_by": "at", "compact_days": 1}, []),
        (BIG | {"most_deletes": 5, "delete_bytes": 9}, {}, [("rewrite deletes", 9, False)]),
        (BIG | {"most_deletes": 4}, {}, []),
        (BIG | {"most_deletes": 4}, {"min_input_files": 4}, [("rewrite deletes", 0, False)]),
        # what is folded in needs no files of deletes any more
        (BIG | {"most_deletes": 9, "deleted": 200_000}, {}, [("compact", 10**9, True)]),
        (
            BIG | {"manifests": 100, "manifest_bytes": 10**6},
            {},
            [("rewrite manifests", 10**6, False)],
        ),
        (BIG | {"manifests": 99, "manifest_bytes": 10**6}, {}, []),
        (BIG | {"manifests": 100, "manifest_bytes": 800 * 10**6}, {}, []),
        (BIG | {"expired": [1], "snapshots": 3}, {}, [("expire", 0, False)]),
        ({"metadata_files": 10}, {}, []),
        ({"metadata_files": 11}, {}, [("trim metadata", 0, False)]),
        ({"metadata_files": 11}, {"metadata_files": 11}, []),
        ({"orphans_checked": None}, {}, [("remove orphans", 0, False)]),
        ({"orphans_checked": 7 * 86400.0}, {}, [("remove orphans", 0, False)]),
        ({"orphans_checked": 7 * 86400.0}, {"orphan_interval": "8d"}, []),
    ],
)
def test_what_a_table_needs(figures, policy, expected):
    found = steps(Figures(**RECENTLY | figures), Policy(**policy))
    assert [(step.action, step.reads, step.folds) for step in found] == expected
    assert all(step.urgency > 0 and step.why for step in found)


GOES = Outlived("2026-01-03 00:00:00", "2026-01-03 00:00:00.000000", 7, 900)


@pytest.mark.parametrize(
    ("figures", "policy", "expected"),
    [
        ({"outlived": GOES}, {"retention": "30d"}, [("drop hours", 0)]),
        ({"outlived": GOES}, {"retention": "30d", "archive": "a"}, [("drop hours", 900)]),
        (BIG, {"sort_by": ["a"]}, [("cluster", 10**9)]),
        # all files are rewritten: there is nothing to compact
        (BIG | {"small_files": 9}, {"z_order_by": ["a", "b"]}, [("cluster", 10**9)]),
        (BIG | {"clustered_by": "zorder(a, b)"}, {"z_order_by": ["a", "b"]}, []),
        (BIG | {"clustered_by": "a"}, {"sort_by": ["b"]}, [("cluster", 10**9)]),
        (BIG | {"clustered_by": "a"}, {"sort_by": []}, []),
        ({}, {"sort_by": ["a"]}, []),
    ],
)
def test_hours_and_the_order_of_files(figures, policy, expected):
    found = steps(Figures(**RECENTLY | figures), Policy(**policy))
    assert [(step.action, step.reads) for step in found] == expected


def test_files_are_rewritten_before_snapshots_go():
    worst = Figures(**BIG, small_files=50, most_deletes=9, manifests=200, expired=[1], snapshots=2)
    worst = replace(worst, metadata_files=90)
    assert [step.action for step in steps(worst, Policy())] == [
        *("compact", "rewrite deletes", "rewrite manifests", "expire", "trim metadata"),
        "remove orphans",
    ]


def test_the_worse_the_figure_the_more_urgent():
    def urgency(**figures):
        return steps(Figures(**BIG | RECENTLY | figures), Policy())[0].urgency

    assert urgency(small_files=50) > urgency(small_files=5) >= 1
    assert urgency(deleted=600_000) > urgency(deleted=150_000) > 1
    assert urgency(expired=[1], old_bytes=9 * 10**9) > urgency(expired=[1], old_bytes=0) >= 1


# -- snapshots: each an hour older than the next, and each has removed 10 bytes ---------------


def chain(*own, count=6):
    """A history of so many snapshots, 6 the newest; ``own`` carry a bookmark."""
    return [
        Snapshot(
            n,
            n - 1 if n > 1 else None,
            "overwrite",
            {"removed-files-size": "10"}
            | ({"lakemirror.raw-snapshot-id": "7"} if n in own else {}),
        )
        for n in range(1, count + 1)
    ]


AGES = {n: (6 - n) * 3600.0 for n in range(1, 7)} | {9: 5 * 3600.0, 10: 60.0}
AT_ONCE = {"readers": "0s", "snapshot_age": "0s"}


@pytest.mark.parametrize(
    ("policy", "needs", "gone"),
    [
        (AT_ONCE, {}, [1, 2, 3, 4, 5]),
        (AT_ONCE | {"min_snapshots": 3}, {}, [1, 2, 3]),
        (AT_ONCE | {"min_snapshots": 99}, {}, []),
        # what was the table two hours ago may still be read
        (AT_ONCE | {"readers": "2h"}, {}, [1, 2, 3]),
        (AT_ONCE | {"readers": "9h", "small_readers": "2h"}, {}, [1, 2, 3]),
        ({"readers": "0s", "snapshot_age": "4h"}, {}, [1]),
        # 50 of 1000 live bytes are old, and then of 100
        ({"readers": "0s", "snapshot_age": "9d", "max_old_percent": 5}, {}, []),
        ({"readers": "0s", "snapshot_age": "9d", "max_old_percent": 2}, {}, [1, 2, 3]),
        ({"readers": "4h", "snapshot_age": "9d", "max_old_percent": 0}, {}, [1]),
        (AT_ONCE, {"ids": [2]}, [1, 3, 4, 5]),
        (AT_ONCE, {"since": [3]}, [1, 2]),
        (AT_ONCE, {"since": [3, 99]}, [1, 2]),
        (AT_ONCE, {"refs": [4]}, [1, 2, 3, 5]),
    ],
)
def test_the_oldest_snapshots_go_that_nobody_needs(policy, needs, gone):
    found = expirable(chain(), 6, Needs(ages=AGES, **needs), Policy(**policy), 1000)
    assert list(found.ids) == gone
    assert found.old_bytes == 60


def test_a_large_table_is_read_for_longer_than_a_small_one():
    policy = Policy(**AT_ONCE | {"readers": "4h", "small_readers": "2h"})
    small, large = (expirable(chain(), 6, Needs(ages=AGES), policy, n) for n in (1, 10**9))
    assert ([*small.ids], [*large.ids]) == ([1, 2, 3], [1])


def test_the_newest_commit_with_a_bookmark_stays_in_the_history():
    """Case 82: it is found by the parents of the newest snapshot."""
    rules = Policy(**AT_ONCE)
    assert list(expirable(chain(2, 4), 6, Needs(ages=AGES), rules, 0).ids) == [1, 2, 3]
    assert list(expirable(chain(2), 6, Needs(ages=AGES), rules, 0).ids) == [1]
    # so does that of a tag, which a rollback may go to
    found = expirable(chain(2, 6), 6, Needs(ages=AGES, refs=[4]), rules, 0)
    assert list(found.ids) == [1, 5]


def test_what_is_beside_the_history_goes_when_no_reader_can_have_it():
    beside = [Snapshot(9, 3, "append"), Snapshot(10, 6, "append")]
    rules = Policy(snapshot_age="9d", readers="1h")
    found = expirable([*chain(), *beside], 6, Needs(ages=AGES), rules, 10**6)
    assert list(found.ids) == [9]
    assert not expirable([*chain(), *beside], 6, Needs(ages=AGES, ids=[9]), rules, 10**6).ids


def test_a_snapshot_without_an_age_is_young():
    assert not expirable(chain(), 6, Needs(), Policy(), 0).ids
    assert not expirable([], None, Needs(), Policy(**AT_ONCE), 0).ids


# -- policies --------------------------------------------------------------------------------


def test_a_policy_goes_over_the_defaults_of_its_layer():
    assert policy_of("raw", {}) == LAYERS["raw"]
    found = policy_of("raw", {"readers": "2d"})
    assert (found.readers, found.snapshot_age) == ("2d", LAYERS["raw"].snapshot_age)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"snapshot_ages": "1d"}, "maintenance.snapshot_ages: maintenance has no such"),
        ({"snapshot_ages": "1d"}, "did you mean snapshot_age?"),
        ({"snapshot_age": "1 day"}, "a duration such as 90s, 15m, 2h or 3d is expected"),
        ({"snapshot_age": 5}, "a duration such as 90s, 15m, 2h or 3d is expected, and not 5"),
        ({"orphan_age": "71h"}, "maintenance.orphan_age: 3d is the least, and not 71h"),
        ({"min_snapshots": 0}, "maintenance.min_snapshots: a whole number from 1 is expected"),
        ({"earliest": "25:00"}, "maintenance.earliest: a time such as '02:00' is expected"),
        ({"sort_by": "id"}, "maintenance.sort_by: a list of columns is expected, and not id"),
        ({"z_order_by": "id"}, "maintenance.z_order_by: a list of columns is expected"),
        ({"sort_by": ["a"], "z_order_by": ["b"]}, "z_order_by: files are ordered by it or by"),
        ({"compact_by": "at"}, "maintenance.compact_by: it is given with compact_days"),
        ({"compact_days": 3}, "maintenance.compact_by: it is given with compact_days"),
        ({"compact_by": 5, "compact_days": 3}, "maintenance.compact_by: a column is expected"),
        ({"compact_by": "at", "compact_days": -1}, "compact_days: a whole number from 0"),
        ({"retention": "23h"}, "maintenance.retention: 1d is the least, and not 23h"),
        ({"retention": "1y"}, "maintenance.retention: a duration such as 90s"),
        ({"archive": "s3://b"}, "maintenance.archive: without a retention no record goes"),
        ({"retention": "9d", "archive": 5}, "maintenance.archive: a folder or its URL is expected"),
        ({"enabled": "no"}, "maintenance.enabled: True or False is expected, and not no"),
        ({"max_deleted_percent": 101}, "a number from 0 to 100 is expected"),
        ("daily", "maintenance: a mapping is expected, and not daily"),
    ],
)
def test_what_is_wrong_with_a_policy_is_said(given, problem):
    [found] = policy_problems(given)
    assert problem in found


def test_a_policy_that_is_right():
    given = {"enabled": False, "earliest": "02:00", "interval": "1h", "sort_by": ["id"]}
    given |= {"retention": "30d", "archive": "s3://old/raw"}
    given |= {"compact_by": "at", "compact_days": 0}
    assert policy_problems(given | {"orphan_age": "3d", "max_deleted_percent": 2.5}) == []
