"""What a command says when it cannot go on, and its exit code."""

from collections.abc import Iterable
from difflib import get_close_matches

RIGHT, WRONG, MISCALLED = 0, 1, 2


class CommandError(Exception):
    """Something is wrong; says what and what mends it, in a sentence without its full stop."""

    code = WRONG


class CallError(CommandError):
    """The command cannot be called so: nothing was done."""

    code = MISCALLED


class GenerateError(CommandError):
    """Nothing was written; says why."""


def hint(name: str, known: Iterable[str]) -> str:
    """What to add to the news that a name is not known.

    >>> hint("ordres", ["orders", "products"])
    '; did you mean orders?'
    >>> hint("till", ["orders"])
    ''
    """
    close = get_close_matches(name, [*known], n=1)
    return f"; did you mean {close[0]}?" if close else ""


def some(names: Iterable[str]) -> str:
    """The first names of many.

    >>> some(["a", "b"])
    'a, b'
    """
    found = [*names]
    return ", ".join(found[:10]) + (f" and {len(found) - 10} more" if len(found) > 10 else "")
