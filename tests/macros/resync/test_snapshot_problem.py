import pytest

WHOLE = {
    "_src_ts": "2026-01-02 00:00:00",
    "rows": 5,
    "keyless": 0,
    "is_older": False,
    "has_begin": True,
    "has_end": True,
}


@pytest.mark.parametrize(
    ("found", "problem"),
    [
        ({"is_older": True}, "rebuild the mirror"),
        ({"has_end": False}, "the record that marks its end"),
        ({"has_begin": False}, "the record that marks its beginning"),
        ({"keyless": 2}, "2 rows of the newest full snapshot have no key"),
    ],
)
def test_what_is_not_proven_is_refused(macros, found, problem):
    """Case 26."""
    assert problem in macros.snapshot_problem(WHOLE | found)


def test_there_may_be_none(macros):
    assert "raw has no row of a full snapshot" in macros.snapshot_problem(None)


def test_a_whole_snapshot_has_no_problem(macros):
    assert macros.snapshot_problem(WHOLE).strip() == ""
