"""What the mirrors hold and have read, from their snapshots' summaries alone."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pyiceberg.table.snapshots import ancestors_of

from lakemirror.state.window import BOOKMARK, DAY, NEWEST_EVENT, PREFIX

COUNTS = ("read", "applied", "stale", "duplicate")


def mirrors(catalog: Any) -> Iterator[tuple[str, ...]]:
    """A row per mirror: name, rows, newest source time, and the events of all its commits."""
    for namespace, name in sorted(catalog.list_tables("mirror")):
        if name.endswith("__tombstones"):
            continue
        table = catalog.load_table((namespace, name))
        commits = map(_properties, _history(table))
        own = [properties for properties in commits if BOOKMARK in properties]
        if own:
            sums = [sum(int(properties.get(PREFIX + c, 0)) for properties in own) for c in COUNTS]
            newest = own[0].get(NEWEST_EVENT, "")
            yield (f"{namespace}.{name}", str(table.scan().count()), newest, *map(str, sums))


def published_days(catalog: Any) -> Iterator[tuple[str, ...]]:
    """A row per daily table: name, and the days that it has published."""
    for namespace, name in sorted(catalog.list_tables("daily")):
        days = days_of(catalog.load_table((namespace, name)))
        yield (f"{namespace}.{name}", " ".join(sorted(days)))


def days_of(table: Any) -> set[str]:
    """The days that a daily table has published: an empty one has a commit, and no partition."""
    committed = {_properties(snapshot).get(DAY) for snapshot in _history(table)} - {None}
    partitions = table.inspect.partitions().to_pylist() if table.current_snapshot() else []
    return {*map(str, committed)} | {str(row["partition"]["ds"]) for row in partitions}


def _history(table: Any) -> Iterable[Any]:
    """The commits that made the table what it is, newest first."""
    return ancestors_of(table.current_snapshot(), table.metadata)


def _properties(snapshot: Any) -> dict[str, str]:
    return dict(snapshot.summary.additional_properties) if snapshot.summary else {}


def table(header: Sequence[str], rows: Iterator[tuple[str, ...]]) -> str:
    """Rows as text in columns; counts are aligned to the right."""
    lines = [tuple(header), *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    return "".join(
        "  ".join(
            cell.rjust(width) if lines[-1][i].isdigit() else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        + "\n"
        for line in lines
    )
