"""What the versions of a source table's schema tell together."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from lakemirror.source.schemas import SCHEMA_CHANGE

Version = Mapping[str, Any]


def age(place: Mapping[str, Any]) -> tuple[Any, ...]:
    """Where a version was seen, to compare; no time comes first."""
    time = place.get("src_ts")
    return time is not None, str(time), place["topic"], place["partition"], place["offset"]


def in_order(versions: Iterable[Version]) -> list[Version]:
    """The versions of one origin, the newest last: what a schema-change event tells goes first."""
    with_columns = [version for version in versions if version["columns"]]
    is_own = any(version["origin"] == SCHEMA_CHANGE for version in with_columns)
    found = [v for v in with_columns if (v["origin"] == SCHEMA_CHANGE) == is_own]
    return sorted(found, key=lambda version: age(version["last_seen"]))


def known_columns(versions: Iterable[Version], has_one_log: bool = True) -> list[dict[str, Any]]:
    """The columns of the newest version, and then those that only older ones have.

    Args:
        has_one_log: whether the source has one version at a time, and not one a shard.

    Returns:
        Each column as the history has it, with ``is_dropped``, ``spellings`` (other cases of its
        name, which older events have), ``older`` (see older_types), ``gone`` (see gone_at),
        ``is_added`` (an older version has it not; then ``default`` is the one that it came with)
        and ``now`` (the default and whether it may be null, as the newest version says).
    """
    ordered = in_order(versions)
    is_one = has_one_log and len({tuple(v.get("table_name") or ()) for v in ordered}) <= 1
    columns: dict[str, dict[str, Any]] = {}
    for version in reversed(ordered):
        for column in version["columns"]:
            known = columns.setdefault(
                column["name"].lower(),
                {
                    **column,
                    "is_dropped": version is not ordered[-1],
                    "spellings": [],
                    "now": {name: column.get(name) for name in ("default", "nullable", "connect")},
                },
            )
            if column["name"] not in (known["name"], *known["spellings"]):
                known["spellings"].append(column["name"])
    for name, known in columns.items():
        known["older"] = older_types(ordered, name, left_at(ordered, name) if is_one else None)
        known["gone"] = gone_at(ordered, name) if is_one else None
        first = first_with(ordered, name)
        known["is_added"] = first is not None and not known["is_dropped"]
        if first is not None:
            known["default"] = first.get("default")
            known["nullable"] = first.get("nullable")
            known["default_connect"] = first.get("connect")
    return [*columns.values()]


def older_types(
    ordered: Sequence[Version], name: str, left: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """How a column was sent before: data_type, connect, and ``until`` which place at the source.

    A column that came back is another one since it was missing: ``is_other`` until ``left``.
    """
    types: list[tuple[Any, Any]] = []
    first_seen: dict[tuple[Any, Any], Mapping[str, Any]] = {}
    for version in ordered:
        if left and age(version["last_seen"]) < age(left):
            continue
        for column in version["columns"]:
            if column["name"].lower() == name:
                kind = column.get("data_type"), column.get("connect")
                types = [*(known for known in types if known != kind), kind]
                seen = [version["first_seen"], *([first_seen[kind]] if kind in first_seen else [])]
                first_seen[kind] = min(seen, key=age)
    found = [
        {"data_type": old[0], "connect": old[1], "until": place_in_source(first_seen[new])}
        for old, new in pairwise(types)
        if first_seen[new].get("src_ts")
    ]
    if left is None:
        return found
    until, since = place_in_source(left), came_back(ordered, name, left)
    return [{"is_other": True, "until": until, "since": since}, *found]


def with_and_without(ordered: Sequence[Version], name: str) -> tuple[list[Version], list[Version]]:
    """The versions that have a column, and those that have not."""
    names = [{column["name"].lower() for column in version["columns"]} for version in ordered]
    pairs = [*zip(ordered, names, strict=True)]
    return [v for v, has in pairs if name in has], [v for v, has in pairs if name not in has]


def left_at(ordered: Sequence[Version], name: str) -> Mapping[str, Any] | None:
    """Where a column that came back was missing the last time; None where it was never gone."""
    having, missing = with_and_without(ordered, name)
    if ordered[-1] not in having or not missing:
        return None
    last = max((v["last_seen"] for v in missing), key=age)
    first = min((v["first_seen"] for v in having), key=age)
    return last if last.get("src_ts") and age(first) < age(last) else None


def gone_at(ordered: Sequence[Version], name: str) -> dict[str, Any] | None:
    """Where a column that is dropped was missing first since it was there; None where not told."""
    having, missing = with_and_without(ordered, name)
    last = max(age(v["last_seen"]) for v in having)
    later = [v["first_seen"] for v in missing if age(v["first_seen"]) > last]
    return place_in_source(min(later, key=age)) if later and ordered[-1] in missing else None


def came_back(
    ordered: Sequence[Version], name: str, left: Mapping[str, Any]
) -> dict[str, Any] | None:
    """Where a column came back that was missing at ``left``; None where that is not told.

    It is the first statement with it, unless that made a version which there had been before: when
    such a one was seen first after another is not kept. Behind a record with a Connect schema of
    its own, there is none without the column.
    """
    if ordered[-1]["origin"] != SCHEMA_CHANGE:
        return place_in_source(left) | {"offset": left["offset"] + 1}
    having, _ = with_and_without(ordered, name)
    later = [v for v in having if age(v["last_seen"]) > age(left)]
    if not later or any(age(v["first_seen"]) < age(left) for v in later):
        return None
    return place_in_source(min((v["first_seen"] for v in later), key=age))


def place_in_source(seen: Mapping[str, Any]) -> dict[str, Any]:
    """The source's time, and the place in a server's binlog, or that on the topic."""
    names = ("src_ts", "server_id", "file", "pos", "partition", "offset")
    return {name: seen.get(name) for name in names}


def first_with(ordered: Sequence[Version], name: str) -> Mapping[str, Any] | None:
    """A column as it was added the last time; None where no version is without it."""

    def column_of(version: Version) -> Mapping[str, Any] | None:
        return next((c for c in version["columns"] if c["name"].lower() == name), None)

    without = [age(v["last_seen"]) for v in ordered if column_of(v) is None]
    if not without:
        return None
    first_seen = sorted(ordered, key=lambda version: age(version["first_seen"]))
    since = [v for v in first_seen if column_of(v) and age(v["first_seen"]) > max(without)]
    return column_of(since[0]) if since else column_of(ordered[-1])


def changed_key(versions: Iterable[Version], key: Sequence[str]) -> list[str] | None:
    """The source's key, where it was ``key`` once and is another one now."""
    keys = [[*version["key"]] for version in in_order(versions)]
    wanted = sorted(name.lower() for name in key)
    is_key = [sorted(name.lower() for name in known) == wanted for known in keys]
    return keys[-1] if any(is_key) and not is_key[-1] else None
