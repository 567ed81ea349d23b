from types import SimpleNamespace

import pytest

NUMBERS = {
    "read": 9,
    "applied": 4,
    "stale": 1,
    "duplicate": 2,
    "ignored": 1,
    "quarantined": 1,
    "unknown": None,
}


@pytest.fixture
def properties(macros):
    def render(before, max_src_ts, undeclared=(), is_rebuild=False):
        macros.context["invocation_id"] = "run-1"
        previous = None if before is None else SimpleNamespace(summary=before)
        counts = SimpleNamespace(
            max_src_ts=max_src_ts, unguarded=0, undeclared=[*undeclared], **NUMBERS
        )
        logs = SimpleNamespace(epochs={"1": {"0": "2026"}}, floor=None, end={})
        batch = {"raw": "raw.o", "window": SimpleNamespace(end=7), "previous": previous}
        batch["is_rebuild"] = is_rebuild
        return macros.commit_properties(batch, counts, logs, "buckets", ["id"])

    return render


def test_the_bookmark_and_the_counts(properties):
    assert properties(None, "2026-01-02 00:00:00") == {
        "raw-table": "raw.o",
        "raw-snapshot-id": 7,
        "merged-by": "buckets",
        "max-src-ts": "2026-01-02 00:00:00",
        **NUMBERS,
        "unguarded": None,
        "undeclared": None,
        "epochs": '{"1": {"0": "2026"}}',
        "floor": None,
        "end": "{}",
        "returned": None,
        "key": '["id"]',
        "invocation-id": "run-1",
    }


@pytest.mark.parametrize(
    ("before", "in_window", "newest"),
    [
        ("2026-01-02", "2026-01-01", "2026-01-02"),
        ("2026-01-02", "2026-01-03", "2026-01-03"),
        ("2026-01-02", None, "2026-01-02"),
    ],
)
def test_the_newest_source_time_never_goes_back(properties, before, in_window, newest):
    found = properties({"lakemirror.max-src-ts": before}, in_window)
    assert found["max-src-ts"] == newest


def test_without_a_change_there_is_no_newest_source_time(properties):
    assert properties(None, None)["max-src-ts"] is None
    assert properties({}, None)["max-src-ts"] is None
    assert properties({}, "2026-01-01")["max-src-ts"] == "2026-01-01"


def test_what_was_lost_once_is_told_until_a_rebuild(properties):
    """F17."""
    before = {"lakemirror.undeclared": '["b"]'}
    assert properties(before, None)["undeclared"] == '["b"]'
    assert properties(before, None, ["b", "a"])["undeclared"] == '["a", "b"]'
    assert properties(before, None, ["a"], is_rebuild=True)["undeclared"] == '["a"]'


def test_what_was_renewed(macros, properties):
    """Case 61."""
    column = {"name": "n", "until": {"src_ts": "2026-01-01", "file": "a.1", "pos": 7}}
    batch = {"raw": "raw.o", "window": SimpleNamespace(end=7), "previous": None}
    batch["is_rebuild"] = False
    counts = SimpleNamespace(max_src_ts=None, unguarded=0, undeclared=[], **NUMBERS)
    logs = SimpleNamespace(epochs=None, floor=None, end=None)
    found = macros.commit_properties(batch, counts, logs, "buckets", ["id"], [column])
    assert found["returned"] == '[["n", "2026-01-01", "a.1", 7]]'


@pytest.mark.parametrize(
    ("is_rebuild", "has_buckets", "is_small", "expected"),
    [
        (True, True, False, "rebuild"),
        (False, True, True, "broadcast"),
        (False, True, False, "buckets"),
        (False, None, False, "shuffle"),
        (False, False, False, "shuffle"),
    ],
)
def test_how_a_batch_is_merged(macros, is_rebuild, has_buckets, is_small, expected):
    assert macros.merged_by({"is_rebuild": is_rebuild}, has_buckets, is_small) == expected
