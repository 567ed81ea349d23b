"""What the versions of a source table's schema tell together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
        Each column as the history has it, with ``is_dropped``, ``spellings`` (other names and other
        cases of its name, which older events have), ``unclear`` (see taken_names),
        ``older`` (see older_types), ``gone`` (see gone_at),
        ``is_added`` (an older version has it not; then ``default`` is the one that it came with),
        ``added`` (where in the source that was; None where it is not told)
        and ``now`` (the default and whether it may be null, as the newest version says).
    """
    ordered = in_order(versions)
    is_one = has_one_log and len({tuple(v.get("table_name") or ()) for v in ordered}) <= 1
    named = renamed_now(ordered) if is_one else ordered
    taken = taken_names(named)
    ordered = ordered if taken else named
    columns: dict[str, dict[str, Any]] = {}
    for version in reversed(ordered):
        for column in version["columns"]:
            known = columns.setdefault(
                column["name"].lower(),
                {
                    **column,
                    "name": column.get("spelled", column["name"]),
                    "is_dropped": version is not ordered[-1],
                    "spellings": [],
                    "now": {name: column.get(name) for name in ("default", "nullable", "connect")},
                },
            )
            spelled = column.get("spelled", column["name"])
            if spelled not in (known["name"], *known["spellings"]):
                known["spellings"].append(spelled)
    for name, known in columns.items():
        known["unclear"] = taken.get(name)
        known["older"] = older_types(ordered, name, left_at(ordered, name) if is_one else None)
        known["gone"] = gone_at(ordered, name) if is_one else None
        first = first_with(ordered, name)
        known["is_added"] = first is not None and not known["is_dropped"]
        added = added_by(ordered, name) if is_one and known["is_added"] else None
        known["added"] = place_in_source(added["first_seen"]) if added else None
        if first is not None:
            known["default"] = first.get("default")
            known["nullable"] = first.get("nullable")
            known["default_connect"] = first.get("connect")
    return [*columns.values()]


def renamed_now(ordered: Sequence[Version]) -> list[Version]:
    """The versions with each column's name of now; ``spelled`` is the one that a version has.

    A version that a statement made which renames columns says their former names.
    """
    names: dict[str, str] = {}
    found: list[Version] = []
    for version in reversed(ordered):
        columns = [
            {**c, "name": names[c["name"].lower()], "spelled": c["name"]}
            if c["name"].lower() in names
            else c
            for c in version["columns"]
        ]
        found.append({**version, "columns": columns})
        renamed = {new: old.lower() for new, old in dict(version.get("renamed") or {}).items()}
        taken = {old: names.get(new.lower(), new) for new, old in renamed.items()}
        names = {name: now for name, now in names.items() if name not in taken} | taken
    return found[::-1]


def taken_names(ordered: Sequence[Version]) -> dict[str, str]:
    """By column, in lower case, the former names, where one of them is another column's meanwhile.

    An event with such a name may mean either, so that no column is taken by a former name.
    """
    own = [
        {c["name"].lower(): c.get("spelled", c["name"]).lower() for c in version["columns"]}
        for version in ordered
    ]
    former = {(name, at) for names in own for name, at in names.items() if name != at}
    is_taken = any(
        at in {other for n, other in names.items() if n != name}
        for name, at in former
        for names in own
        if name in names
    )
    return dict(sorted(former)) if is_taken else {}


@dataclass(frozen=True)
class Ending:
    """A statement behind which rows that came before are not those of the table.

    Attributes:
        what: ``dropped``, ``renamed`` or ``renamed from``.
        name: the other name of the table, with dots; None where it was dropped.
        at: the source's time.
        is_back: whether there is a table of the name again.
    """

    what: str
    name: str | None
    at: str
    is_back: bool


def ending(versions: Iterable[Version]) -> Ending | None:
    """What the newest statement that dropped or renamed a table did to what came before it.

    Tools that swap a copy in (``rename table t to old, copy to t``) end nothing: the rows go on.
    """
    known = [v for v in versions if v["origin"] == SCHEMA_CHANGE]
    with_columns = [v for v in known if v["columns"]]
    ends = sorted((v for v in known if not v["columns"]), key=lambda v: age(v["last_seen"]))
    newest = max((age(v["last_seen"]) for v in with_columns), default=None)
    if ends:
        last = ends[-1]
        at = age(last["last_seen"])
        name = ".".join(last.get("former_name") or ()) or None
        if newest is None or newest < at:
            return Ending("renamed" if name else "dropped", name, str(at[1]), False)
        if not any(at in (age(v["first_seen"]), age(v["last_seen"])) for v in with_columns):
            return Ending("renamed" if name else "dropped", name, str(at[1]), True)
    first = min(with_columns, key=lambda v: age(v["first_seen"]), default=None)
    if first and first.get("former_name"):
        name = ".".join(first["former_name"])
        return Ending("renamed from", name, str(first["first_seen"]["src_ts"]), False)
    return None


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
    version = added_by(ordered, name) or ordered[-1]
    if not with_and_without(ordered, name)[1]:
        return None
    return next((c for c in version["columns"] if c["name"].lower() == name), None)


def added_by(ordered: Sequence[Version], name: str) -> Version | None:
    """The first version since a column was missing last; None where it never was, or that is not
    told."""
    having, missing = with_and_without(ordered, name)
    if not missing:
        return None
    last = max(age(version["last_seen"]) for version in missing)
    later = [version for version in having if age(version["first_seen"]) > last]
    return min(later, key=lambda version: age(version["first_seen"]), default=None)


def changed_key(versions: Iterable[Version], key: Sequence[str]) -> list[str] | None:
    """The source's key, where it was ``key`` once and is another one now."""
    keys = [[*version["key"]] for version in in_order(versions)]
    wanted = sorted(name.lower() for name in key)
    is_key = [sorted(name.lower() for name in known) == wanted for known in keys]
    return keys[-1] if any(is_key) and not is_key[-1] else None
