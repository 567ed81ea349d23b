"""What a statement of MariaDB or MySQL says, and the description of the table does not."""

import logging
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

ADDED_AT = "CURRENT_TIMESTAMP at "  # before the time, in UTC, at which a statement added the column
# sqlglot says so of every statement that it does not know
logging.getLogger("sqlglot").setLevel(logging.ERROR)


def added_at(event: Mapping[str, Any]) -> dict[str, str]:
    """The columns that a schema-change event adds with ``default current_timestamp``.

    Rows that are there get the time at which the statement began: the time of its entry in
    MariaDB's binlog, in whole seconds. MySQL's connector may give the time of the commit instead,
    and is not read; nor are fractions of a second (``current_timestamp(6)``).

    Returns:
        What stands for the default of each such column, by its name in lower case.
    """
    block = event.get("source") or {}
    ddl, milliseconds = event.get("ddl"), block.get("ts_ms")
    if block.get("connector") != "mariadb" or not ddl or not isinstance(milliseconds, int):
        return {}
    if milliseconds % 1000 or "timestamp" not in ddl.lower():
        return {}
    time = datetime.fromtimestamp(milliseconds // 1000, UTC)
    return dict.fromkeys(added_now(ddl), ADDED_AT + time.isoformat(" "))


def added_now(ddl: str) -> list[str]:
    """The columns of type ``timestamp`` that a statement adds with the time of its own.

    >>> added_now("alter table t add a timestamp default now(), add b datetime default now()")
    ['a']
    """
    from sqlglot import exp, parse
    from sqlglot.errors import SqlglotError

    try:
        statements = parse(ddl, read="mysql")
    except SqlglotError:
        return []
    actions = [a for s in statements if isinstance(s, exp.Alter) for a in s.args["actions"]]
    return [a.name.lower() for a in actions if isinstance(a, exp.ColumnDef) and is_now(a)]


def renamed_by(event: Mapping[str, Any], names: Iterable[str]) -> dict[str, str]:
    """The columns that a schema-change event gives another name: the former one by the new one.

    Args:
        names: the columns that the table has now.
    """
    block = event.get("source") or {}
    ddl = event.get("ddl")
    if block.get("connector") not in ("mariadb", "mysql") or not isinstance(ddl, str):
        return {}
    if "rename" not in ddl.lower() and "change" not in ddl.lower():
        return {}
    there = {name.lower(): name for name in names}
    pairs = [(old, there[new.lower()]) for old, new in renames(ddl) if new.lower() in there]
    return {new: old for old, new in pairs if old.lower() != new.lower()}


def renames(ddl: str) -> list[tuple[str, str]]:
    """The former and the new name of each column that a statement renames.

    >>> renames("alter table t rename column a to `b c`, change e f int comment 'change g h'")
    [('a', 'b c'), ('e', 'f')]
    """
    from sqlglot import tokenize
    from sqlglot.errors import SqlglotError
    from sqlglot.tokens import TokenType

    try:
        tokens = tokenize(ddl, read="mysql")
    except SqlglotError:
        return []
    literal = (TokenType.IDENTIFIER, TokenType.STRING)
    words = ["" if token.token_type in literal else token.text.lower() for token in tokens]
    found = []
    for n, word in enumerate(words):
        at = n + 1 + (words[n + 1 : n + 2] == ["column"])
        at += 2 * (words[at : at + 2] == ["if", "exists"])
        if (
            word == "rename"
            and "column" in words[n + 1 : n + 2]
            and words[at + 1 : at + 2] == ["to"]
        ):
            found.append((tokens[at].text, tokens[at + 2].text))
        elif word == "change" and words[n - 1 : n] != ["."] and len(tokens) > at + 2:
            found.append((tokens[at].text, tokens[at + 1].text))
    return found


def is_now(column: Any) -> bool:
    """Whether a column is a timestamp whose default is the statement's time in whole seconds."""
    from sqlglot import exp

    kind = column.kind
    if kind is None or kind.sql("mysql").upper() not in ("TIMESTAMP", "TIMESTAMP(0)"):
        return False
    defaults = [
        constraint.kind.this.unnest().sql("mysql").upper()
        for constraint in column.constraints
        if isinstance(constraint.kind, exp.DefaultColumnConstraint)
    ]
    names = ("CURRENT_TIMESTAMP", "NOW", "LOCALTIMESTAMP", "LOCALTIME")
    return defaults in [[name + end] for name in names for end in ("", "()", "(0)")]
