"""Which days a daily table is to publish, and which it lacks."""

from collections.abc import Collection, Iterable
from datetime import UTC, date, datetime, timedelta

ONE_DAY = timedelta(days=1)
DAY = "ds"  # the column of a daily table that has the day


class DayError(Exception):
    """A day was asked for that nobody can prove complete."""


def has_day(columns: Iterable[str]) -> bool:
    """Whether a table has a column of its own that is called as a daily table's day.

    >>> has_day(["id", "DS"]), has_day(["dst"])
    (True, False)
    """
    return any(name.lower() == DAY for name in columns)


def end_of(day: date) -> datetime:
    """The midnight (UTC) that ends a day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + ONE_DAY


def is_kept(day: date, newest: date, keep_days: int | None) -> bool:
    """Whether a table keeps a day: of the last so many (None: all), or the last of its month."""
    is_month_end = (day + ONE_DAY).month != day.month
    return keep_days is None or is_month_end or newest - day < keep_days * ONE_DAY


def days_to_publish(
    known_from: datetime | None,
    complete_until: datetime | None,
    published: Collection[date],
    late_from: date | None,
    wanted: tuple[date, date] | None,
    keep_days: int | None = None,
) -> list[date]:
    """The days to write, oldest first.

    Args:
        known_from: the source's first heartbeat, or the table's snapshot: days that ended before
            are not known.
        complete_until: the time up to which every shard's changes have arrived.
        late_from: the earliest day of a change that came after the day was published; that day
            and all later ones are written again.
        wanted: the first and the last day asked for; None for all that are due.
        keep_days: see is_kept; a day that would go at once is written only where it is wanted.

    Raises:
        DayError: a wanted day is not complete yet, or was over before the table is known.
    """
    if wanted is not None and (complete_until is None or end_of(wanted[1]) > complete_until):
        raise DayError(
            f"the day {wanted[1]} is not complete: the source is heard until {complete_until}"
        )
    if known_from is None or complete_until is None:
        return []
    if wanted is not None and end_of(wanted[0]) <= known_from:
        raise DayError(f"the day {wanted[0]} is not known: the table is known from {known_from}")
    first, last = wanted or (
        known_from.astimezone(UTC).date(),
        complete_until.astimezone(UTC).date(),
    )
    days = [first + n * ONE_DAY for n in range((last - first).days + 1)]
    due = [day for day in days if end_of(day) <= complete_until]
    if wanted is not None:
        return due
    return [
        day
        for day in due
        if is_kept(day, due[-1], keep_days)
        and (day not in published or (late_from is not None and late_from <= day))
    ]


def overdue(published: set[date], heard_until: datetime | None, keep_days: int | None) -> set[date]:
    """The days after the newest published one whose end the source has passed, and that the table
    keeps."""
    found: set[date] = set()
    day = max(published, default=date.max)
    while heard_until and day < date.max and end_of(day + ONE_DAY) <= heard_until:
        day += ONE_DAY
        found.add(day)
    return {each for each in found if is_kept(each, day, keep_days)}


def missing(published: set[date], keep_days: int | None) -> set[date]:
    """The days between published ones that are not, and that the table keeps.

    >>> missing({date(2026, 1, 1), date(2026, 1, 3)}, None)
    {datetime.date(2026, 1, 2)}
    """
    if not published:
        return set()
    first, last = min(published), max(published)
    days = {first + n * ONE_DAY for n in range((last - first).days)}
    return {day for day in days - published if is_kept(day, last, keep_days)}


def ranges(days: Iterable[date]) -> list[tuple[date, date]]:
    """Days as their first and last of each range without a gap.

    >>> len(ranges([date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 4)]))
    2
    """
    found: list[tuple[date, date]] = []
    for day in sorted(days):
        if found and day - found[-1][1] == ONE_DAY:
            found[-1] = (found[-1][0], day)
        else:
            found.append((day, day))
    return found
