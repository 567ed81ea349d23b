"""How far back a mirror remembers its deletes (case 14, F06)."""

import pytest

from lakemirror.state.tombstones import PRUNED_UNTIL, Memory, furthest_prune, horizon
from lakemirror.state.window import Snapshot


def prune(number, until):
    return Snapshot(number, None, "overwrite", {PRUNED_UNTIL: until})


def test_the_furthest_prune_counts_and_other_commits_do_not():
    append = Snapshot(9, 8, "append", {})
    snapshots = [prune(1, "2026-01-02"), append, prune(3, "2026-01-03"), prune(2, "2026-01-01")]
    assert furthest_prune(snapshots) == snapshots[2]
    assert furthest_prune([append]) is None


def test_the_horizon_is_the_sources_time_and_never_goes_back():
    assert horizon("2026-01-20 12:00:00.5", 7, None) == "2026-01-13 12:00:00.500000"
    known = "2026-01-15 00:00:00.000000"
    assert horizon("2026-01-20 12:00:00", 7, known) == known
    assert horizon("2026-01-20 12:00:00", 1, known) == "2026-01-19 12:00:00.000000"


@pytest.mark.parametrize(
    ("changed_from", "lacks"),
    [
        ("2026-01-12 23:59:59.9", True),
        ("2026-01-13 00:00:00", False),
        ("2026-01-14", False),
        (None, False),
    ],
)
def test_an_older_change_may_lack_its_delete(changed_from, lacks):
    assert Memory("t", prune(1, "2026-01-13 00:00:00.000000")).may_lack(changed_from) is lacks
    assert not Memory("t", None).may_lack(changed_from)
