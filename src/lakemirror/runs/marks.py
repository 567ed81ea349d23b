"""The marks of changes(), midnight() and at_cut() in a model's SQL, and what takes their place.

A mark is a comment with the names of relations: dbt has rendered them when a run finds it.
"""

import re

CHANGES = re.compile(r"/[*] changes[(](.+?)[)] [*]/")
MIDNIGHT = re.compile(r"[*] midnight[(](.+?), (.+?), (.+?)[)] [*]")
AT_CUT = re.compile(r"/[*] at_cut[(](.+?), (.+?), (.+?)[)] [*]/")


class MarkError(Exception):
    """A model's SQL does not have the marks that its materialization needs."""


def raw_of_changes(sql: str) -> str:
    """The raw table that changes() left its mark on.

    Raises:
        MarkError: a query reads none, or more than one.
    """
    found = [*dict.fromkeys(CHANGES.findall(sql))]
    if len(found) != 1:
        raise MarkError(
            f"reads {', '.join(found) or 'no raw table'} by changes(): its staging model must read "
            "one raw table by changes(source(...))."
        )
    return found[0]


def pinned(sql: str, raw: str, records: str) -> str:
    """A query that reads ``records`` in place of its raw table: what stands between two marks."""
    parts = sql.split(f"/* changes({raw}) */")
    return "".join(records if n % 2 else part for n, part in enumerate(parts))


def midnight_of(sql: str) -> tuple[str, str, str]:
    """The mirror, the changes and the watermark of a daily model.

    Raises:
        MarkError: it has none.
    """
    found = MIDNIGHT.search(sql)
    if found is None:
        raise MarkError(
            "is no select from midnight(ref(mirror), ref(staging model), ref(watermark))."
        )
    return found[1], found[2], found[3]


def at_midnight(sql: str, state: str) -> str:
    """A daily model's SQL with the mirror's state at a midnight in the mirror's place."""
    names = midnight_of(sql)
    return sql.replace(f"{names[0]} /* midnight({', '.join(names)}) */", state)


def is_plain_midnight(sql: str) -> bool:
    """Whether a daily model's rows are the mirror's, with nothing else done to them."""
    return re.search(r"select [*]\s+from\s+[^ ]+ /[*] midnight[(].+?[)] [*]/\s*$", sql) is not None


def cut_of(sql: str) -> list[tuple[str, str, str]]:
    """The mirrors of a cut, each with the changes that it is made of and its source's watermark.

    Raises:
        MarkError: it has none.
    """
    found = AT_CUT.findall(sql)
    if not found:
        raise MarkError(
            "a cut is made of at_cut(ref(mirror), ref(staging model), ref(watermark)), joined by "
            "union all"
        )
    return found
