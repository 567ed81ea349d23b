"""Texts of records without some columns: what is left of a text is as it was, to the letter."""

import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

SPACE = re.compile(r"[ \t\n\r]*")
WITH_SCHEMA = {"schema", "payload"}  # the members of a text that brings its schema
ROWS = ("before", "after")
SOURCE, STATEMENT = "source", "query"  # with include.query, it has values of its row

Rule = Callable[[str], "Rule | bool"]  # by a member's name: whether it stays, or the rule within it


def key_without(text: str | None, names: Collection[str], keeps_unread: bool = False) -> str | None:
    """A record's key without columns: see value_without.

    >>> key_without('{"schema": {}, "payload": {"id": 1, "email":"a"}}', {"email"})
    '{"schema": {},"payload": {"id": 1}}'
    """

    def stays(name: str) -> bool:
        return name.lower() not in names

    return text_without(text, names, stays, keeps_unread)


def value_without(
    text: str | None, names: Collection[str], keeps_unread: bool = False
) -> str | None:
    """An event's text without columns, and without the statement that has made the change.

    Args:
        names: in lower case; a column is meant in any.
        keeps_unread: whether a text that is no JSON, and names a column, stays. Otherwise it is
            None: nobody knows what it has.

    >>> value_without('{"before":null, "after":{"id": 1.50, "EMAIL":"a"}, "op":"c"}', {"email"})
    '{"before":null,"after":{"id": 1.50},"op":"c"}'
    >>> value_without('{"source": {"query": "insert", "row": 0}, "op": "c"}', {"op"})
    '{"source": {"row": 0},"op": "c"}'
    >>> value_without('{"after":{"email":"a"', {"email"}) is None
    True
    """

    def of_row(name: str) -> bool:
        return name.lower() not in names

    def of_event(name: str) -> Rule | bool:
        if name in ROWS:
            return of_row
        return STATEMENT.__ne__ if name == SOURCE else True

    return text_without(text, names, of_event, keeps_unread)


def text_without(
    text: str | None, names: Collection[str], rule: Rule, keeps_unread: bool
) -> str | None:
    if text is None:
        return None
    try:
        return whole_without(text, rule)
    except (ValueError, IndexError, RecursionError):
        lower = text.lower()
        is_clean = not any(json.dumps(name)[1:-1] in lower or name in lower for name in names)
        return text if is_clean or keeps_unread else None


def whole_without(text: str, rule: Rule) -> str:
    """A text that is one JSON value.

    Raises:
        ValueError, IndexError: it is none.
    """
    start = skip(text, 0)
    if text[start] != "{":
        _, end = decoder().raw_decode(text, start)
        found = text
    else:
        found, end = object_without(text, start, rule, is_whole=True)
        found = text[:start] + found + text[end:]
    if skip(text, end) != len(text):
        raise ValueError("a text goes on behind its record")
    return found


@dataclass(frozen=True)
class Member:
    """A member of an object: its name, and where that and the value begin and end."""

    name: str
    start: int
    value: int
    end: int


def object_without(text: str, start: int, rule: Rule, is_whole: bool = False) -> tuple[str, int]:
    """An object without the members that the rule leaves out, and where it ends in the text."""
    members = [*members_of(text, start)]
    end = skip(text, members[-1].end if members else start + 1) + 1
    inner = {"payload": rule} if is_whole and {m.name for m in members} == WITH_SCHEMA else None
    kept, is_changed = [], False
    for member in members:
        told: Any = rule(member.name) if inner is None else inner.get(member.name, True)
        if told is False:
            is_changed = True
            continue
        piece = text[member.start : member.end]
        if callable(told) and text[member.value] == "{":
            found, _ = object_without(text, member.value, told)
            is_changed |= found != text[member.value : member.end]
            piece = text[member.start : member.value] + found
        kept.append(piece)
    return ("{" + ",".join(kept) + "}" if is_changed else text[start:end]), end


def members_of(text: str, start: int) -> Iterator[Member]:
    """The members of an object that begins there."""
    read = decoder().raw_decode
    at = skip(text, start + 1)
    while text[at] != "}":
        name, end = read(text, at)
        colon = skip(text, end)
        if not isinstance(name, str) or text[colon] != ":":
            raise ValueError("a member has a name and a value")
        value = skip(text, colon + 1)
        _, end = read(text, value)
        yield Member(name, at, value, end)
        at = skip(text, end)
        if text[at] == ",":
            at = skip(text, at + 1)
        elif text[at] != "}":
            raise ValueError("a member ends with a comma")


def decoder() -> json.JSONDecoder:
    """Made anew: it does not go to Spark's workers with the functions of this module."""
    return json.JSONDecoder(strict=False)


def skip(text: str, at: int) -> int:
    """Where the next sign is that is no space."""
    found = SPACE.match(text, at)
    return found.end() if found else at
