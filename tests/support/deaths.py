"""Runs that die between two statements, and what else a test does around each of them."""

import re
from collections.abc import Callable

from support.depth import DEEP

# the numbers of statements after which a run dies, until one is not reached
DEATHS = range(100) if DEEP else range(1, 100, 5)
WRITES = re.compile(r"^\s*(create|insert|merge|update|delete|alter|drop|call)\b", re.IGNORECASE)
Hook = Callable[[str, Callable[[], None]], None]


class DeathError(Exception):
    """Stands for the end of the process."""


def death_after(writes: int, written: list[str]) -> Hook:
    """Let so many statements run, which are added to ``written``, and die instead of the next."""

    def die(statement: str, run: Callable[[], None]) -> None:
        if len(written) == writes:
            raise DeathError("the process died here")
        run()
        written.append(statement)

    return die


def dying_at(text: str) -> Hook:
    """Let all run until a statement has a text: then the process is gone."""
    dead: list[str] = []

    def die(statement: str, run: Callable[[], None]) -> None:
        if dead or text in statement:
            dead.append(statement)
            raise DeathError("the process died here")
        run()

    return die


def let_all_run(statement: str, run: Callable[[], None]) -> None:
    run()


def dying_after(text: str) -> Hook:
    """Let all run until a statement with a text has: then the process is gone."""
    dead: list[str] = []

    def die(statement: str, run: Callable[[], None]) -> None:
        if not dead:
            run()
        if dead or text in statement:
            dead.append(statement)
            raise DeathError("the process died here")

    return die
