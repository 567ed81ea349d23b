"""Which days are due (cases 69, 74; F22, F48)."""

from datetime import UTC, date, datetime

import pytest

from lakemirror.state.days import DayError, days_to_publish, is_kept

KNOWN_FROM = datetime(2026, 1, 29, 0, 8, tzinfo=UTC)
FIRST, SECOND, THIRD = date(2026, 1, 29), date(2026, 1, 30), date(2026, 1, 31)
MIDNIGHT = datetime(2026, 1, 31, tzinfo=UTC)


def test_every_complete_day_is_due_once() -> None:
    assert days_to_publish(KNOWN_FROM, MIDNIGHT, set(), None, None) == [FIRST, SECOND]
    assert days_to_publish(KNOWN_FROM, MIDNIGHT, {FIRST}, None, None) == [SECOND]


def test_a_day_waits_for_the_watermark() -> None:
    just_before = datetime(2026, 1, 30, 23, 59, 59, tzinfo=UTC)
    assert days_to_publish(KNOWN_FROM, just_before, set(), None, None) == [FIRST]
    assert days_to_publish(KNOWN_FROM, None, set(), None, None) == []


def test_a_late_change_makes_its_day_and_later_ones_due_again() -> None:
    assert days_to_publish(KNOWN_FROM, MIDNIGHT, {FIRST, SECOND}, SECOND, None) == [SECOND]
    assert days_to_publish(KNOWN_FROM, MIDNIGHT, {FIRST, SECOND}, FIRST, None) == [FIRST, SECOND]


def test_wanted_days_are_written_again_if_they_are_known_and_over() -> None:
    published = {FIRST, SECOND}
    assert days_to_publish(KNOWN_FROM, MIDNIGHT, published, None, (FIRST, FIRST)) == [FIRST]
    with pytest.raises(DayError, match="2026-01-31 is not complete"):
        days_to_publish(KNOWN_FROM, MIDNIGHT, published, None, (FIRST, THIRD))
    with pytest.raises(DayError, match="2026-01-28 is not known: the table is known from"):
        days_to_publish(KNOWN_FROM, MIDNIGHT, published, None, (date(2026, 1, 28), FIRST))


def test_a_table_keeps_its_last_days_and_ends_of_months() -> None:
    newest = date(2026, 3, 2)
    days = [date(2026, 1, 31), date(2026, 2, 27), date(2026, 2, 28), date(2026, 3, 1), newest]
    assert [d for d in days if is_kept(d, newest, 2)] == [days[0], *days[2:]]
    assert [d for d in days if is_kept(d, newest, None)] == days


def test_a_day_that_would_go_is_not_written() -> None:
    """A table that has let days go does not publish them again, unless somebody wants them."""
    until = datetime(2026, 2, 3, tzinfo=UTC)
    kept = [date(2026, 1, 31), date(2026, 2, 2)]
    assert days_to_publish(KNOWN_FROM, until, set(), None, None, 1) == kept
    assert days_to_publish(KNOWN_FROM, until, set(kept), FIRST, None, 1) == kept
    assert days_to_publish(KNOWN_FROM, until, set(kept), None, (FIRST, FIRST), 1) == [FIRST]
