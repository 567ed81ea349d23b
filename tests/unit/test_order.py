"""Logs, epochs and the floor (cases 3, 4, 7, 33, 34; F10)."""

from datetime import datetime
from decimal import Decimal

import pytest

from lakemirror.order import (
    EpochError,
    advance_epochs,
    kept,
    newest_floor,
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
    return {"_tx_log": log, "_tx_epoch": epoch, "_src_ts": f"2026-01-01 {time}"}


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


def test_the_newest_truncate_is_the_floor():
    def at(rank, order):
        return {"_tx_epoch": 0, "_tx_rank": rank, "_tx_order": order}

    assert newest_floor(None, []) is None
    assert newest_floor(at(10, 9), []) == at(10, 9)
    assert newest_floor(at(10, 9), [at(9, 11), at(10, 10)]) == at(10, 10)
    assert newest_floor(None, [at(9, 11)]) == at(9, 11)


def test_what_a_summary_keeps():
    assert kept({"a": '{"1": 2}'}, "a", {}) == {"1": 2}
    assert kept({}, "a", []) == []
    assert kept(None, "a", []) == []


def test_where_a_batch_begins():
    """Numbers come as decimals, and a time as a text or as a time."""
    row = {"_tx_epoch": Decimal(1), "_tx_rank": Decimal("9E+3")}
    start = {"_tx_epoch": 1, "_tx_rank": 9000, "_src_ts": "2026-01-01 00:00:00"}
    assert start_of([row | {"_src_ts": datetime(2026, 1, 1)}]) == start
    assert start_of([row | {"_src_ts": None}]) is None
