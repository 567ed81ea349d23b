"""Logs, epochs and the floor (cases 3, 4, 7, 33, 34; F10)."""

from datetime import datetime
from decimal import Decimal

import pytest

from lakemirror.state.order import (
    EpochError,
    advance_epochs,
    end_of,
    follows,
    kept,
    newest_floor,
    place,
    same_lineage,
    start_of,
)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("-80", "-40", True),
        ("-80", "80-", False),
        ("40-80", "-40", False),
        ("40-80", "-80", True),
        ("4000-80", "-40", False),
        ("c0-", "80-", True),
        ("C0-", "-c0", False),
        ("-", "40-80", True),
        ("0", "40-80", True),
        (None, "40-80", True),
        ("1", "2", True),
    ],
)
def test_lineage_is_overlap_of_the_ranges_of_keys(left, right, expected):
    assert same_lineage(left, right) is same_lineage(right, left) is expected


def event(log, epoch, time):
    at = time and f"2026-01-01 {time}"
    latest = {"_latest_log": log, "_latest_epoch": epoch, "latest_src_ts": at}
    return {"_tx_log": log, "_tx_epoch": Decimal(epoch), "last_src_ts": at, **latest}


def test_a_reshard_with_higher_epochs():
    batch = [
        event("-80", 1, "10:00:00"),
        event("-40", 2, "10:00:01"),
        event("40-80", 2, "10:00:09"),
        event("80-", 1, "11:00:00"),
        event("-80", 3, "12:00:00"),
    ]
    assert advance_epochs({}, batch)["-80"] == {
        "1": "2026-01-01 10:00:00",
        "3": "2026-01-01 12:00:00",
    }


def test_late_events_of_an_earlier_epoch_are_no_regression():
    known = advance_epochs({}, [event("-80", 2, "12:00:00")])
    assert advance_epochs(known, [event("-80", 1, "11:00:00")])["-80"]["1"].endswith("11:00:00")


def test_a_transaction_redelivered_one_epoch_higher_is_no_regression():
    advance_epochs({}, [event("-80", 2, "12:00:00"), event("-80", 3, "11:59:59")])


def test_a_log_that_goes_on_at_a_lower_epoch():
    known = advance_epochs({}, [event("-80", 2, "12:00:00")])
    with pytest.raises(EpochError, match=r"log -80 has epoch 0 at 2026-01-01 12:01:00, after log"):
        advance_epochs(known, [event("-80", 0, "12:01:00")])


def test_a_reshard_without_inherited_epochs():
    with pytest.raises(EpochError, match=r"the logs -40 .* and -80 .* both have epoch 0"):
        advance_epochs({}, [event("-80", 0, "12:00:00"), event("-40", 0, "12:00:30")])


def test_another_mysql_server_in_the_same_epoch():
    with pytest.raises(EpochError, match=r"the logs 1 .* and 2 .* both have epoch 0"):
        advance_epochs({"1": {"0": "2026-01-01 10:00:00"}}, [event("2", 0, "10:30:00")])
    advance_epochs({"1": {"0": "2026-01-01 10:00:00"}}, [event("2", 1, "10:30:00")])


def test_a_keys_newest_event_by_time_counts_too():
    row = event("-40", 1, "10:00:00") | {"_latest_log": "-80", "_latest_epoch": Decimal(0)}
    assert advance_epochs({}, [row]) == {
        "-40": {"1": "2026-01-01 10:00:00"},
        "-80": {"0": "2026-01-01 10:00:00"},
    }


def test_events_without_a_log_or_a_time_have_no_epoch():
    assert advance_epochs({}, [event(None, 0, "10:00:00"), event("1", 0, None)]) == {}


def test_the_newest_truncate_is_the_floor():
    def at(rank, order):
        return {"_tx_epoch": 0, "_tx_rank": rank, "_tx_order": order}

    def row(rank, order):
        return {"_tx_epoch": Decimal(0), "truncate_rank": rank, "last_order": order}

    assert newest_floor(None, [row(None, None)]) is None
    assert newest_floor(at(10, 9), []) == at(10, 9)
    assert newest_floor(at(10, 9), [row(9, 11), row(10, 10)]) == at(10, 10)
    assert newest_floor(None, [row(9, 11), row(None, None)]) == at(9, 11)


def test_what_a_summary_keeps():
    assert kept({"a": '{"1": 2}'}, "a", {}) == {"1": 2}
    assert kept({}, "a", []) == []
    assert kept(None, "a", []) == []


def changes(epoch, ranks, times, untimed=0, last_epoch=None):
    """A row of a batch's logs: numbers come as decimals."""
    return {
        "_tx_epoch": Decimal(epoch),
        "_tx_last_epoch": Decimal(epoch if last_epoch is None else last_epoch),
        "truncate_rank": None,
        "untimed": Decimal(untimed),
        **dict(zip(("first_rank", "last_rank"), ranks, strict=True)),
        **dict(zip(("first_src_ts", "latest_src_ts"), times, strict=True)),
    }


TIMES = ("2026-01-01 10:00:00", "2026-01-01 11:00:00.5")
TRUNCATE = changes(7, (1, 1), TIMES) | {"truncate_rank": Decimal(1)}


def test_where_a_batch_begins_and_ends():
    early = changes(1, (Decimal("9E+3"), Decimal("9E+4")), TIMES)
    rows = [changes(2, (3, 4), TIMES), early, TRUNCATE]
    assert start_of(rows) == place(1, 9000, TIMES[0])
    assert end_of({}, rows) == place(2, 4, TIMES[1])
    assert end_of({}, [*rows, changes(1, (1, 5), TIMES, last_epoch=3)]) == place(3, 5, TIMES[1])
    assert start_of([early | {"first_src_ts": datetime(2026, 1, 1)}]) == place(
        1, 9000, "2026-01-01 00:00:00"
    )
    assert start_of([TRUNCATE]) is None
    assert end_of({}, [TRUNCATE]) == {}
    assert start_of([*rows, changes(3, (5, 6), TIMES, untimed=1)]) is None


def test_the_end_never_goes_back():
    """A batch may be late by its order, by its time, or by one of the two."""
    known = place(1, 100, "2026-01-02")
    assert end_of(known, [changes(1, (5, 9), TIMES)]) == known
    assert end_of(known, [changes(2, (5, 9), TIMES)]) == place(2, 9, "2026-01-02")
    assert end_of(known, [changes(1, (5, 9), ("2026-01-03",) * 2)]) == place(1, 100, "2026-01-03")
    assert end_of(known, [changes(1, (200, 200), (None, None), 1)]) == place(1, 200, "2026-01-02")


@pytest.mark.parametrize(
    ("epoch", "rank", "time", "end", "floor", "expected"),
    [
        (1, 8, "2026-01-03", place(1, 7, "2026-01-02"), None, True),
        (2, 1, "2026-01-03", place(1, 7, "2026-01-02"), None, True),
        (1, 7, "2026-01-03", place(1, 7, "2026-01-02"), None, False),
        (1, 8, "2026-01-02", place(1, 7, "2026-01-02"), None, False),
        (1, 10, "2026-01-03", place(1, 9, "2026-01-02"), None, True),
        (1, 8, "2026-01-03", {}, None, True),
        (1, 8, "2026-01-03", None, None, False),
        (1, 8, "2026-01-03", {}, {"_tx_epoch": 1, "_tx_rank": 8}, False),
        (1, 8, "2026-01-03", {}, {"_tx_epoch": 1, "_tx_rank": 7}, True),
    ],
)
def test_a_batch_that_follows_all_that_is_there(epoch, rank, time, end, floor, expected):
    later = changes(epoch, (rank + 1, rank + 1), (time + " 01:00:00",) * 2)
    batch = [later, changes(epoch, (rank, rank), (time, time))]
    assert follows(batch, end, floor) is expected
    assert follows([*batch, TRUNCATE], end, floor) is False
    assert follows([later | {"untimed": 1}], end, floor) is False


def test_a_batch_without_a_change_follows_nothing():
    assert follows([], {}, None) is False
