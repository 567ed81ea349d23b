"""Warnings of code that does not know who runs it: what a Python model calls."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Warn = Callable[[str], None]
_lines: ContextVar[list[str] | None] = ContextVar("lines", default=None)


def listener() -> Warn:
    """What a warning is told to: whoever collects them in this thread, also from the threads that
    it starts; Python's own warnings where nobody does."""
    lines = _lines.get()
    return warnings.warn if lines is None else lines.append


@contextmanager
def collected(lines: list[str]) -> Iterator[None]:
    """Add the warnings of what runs inside, in this thread, to ``lines``.

    >>> lines = []
    >>> with collected(lines):
    ...     listener()("2 lines are no records")
    >>> lines
    ['2 lines are no records']
    """
    token = _lines.set(lines)
    try:
        yield
    finally:
        _lines.reset(token)
