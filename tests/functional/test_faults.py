"""A run that dies between any two statements, and another run in the middle of one.

Cases 20, 21; F32, F34, F35, F41.
"""

import re
from collections.abc import Callable

import pytest
from conftest import Lake
from dbt_process import DbtProcess
from one_table import MIRROR, Shop

from dbt.adapters.lakemirror.session import LakemirrorCursor

WRITES = re.compile(r"^\s*(create|insert|merge|delete|alter|drop)\b", re.IGNORECASE)
Hook = Callable[[str, Callable[[], None]], None]


class DeathError(Exception):
    """Stands for the end of the process."""


@pytest.fixture
def around(monkeypatch: pytest.MonkeyPatch) -> Callable[[Hook], None]:
    """Let a hook run each statement that writes."""
    execute = LakemirrorCursor.execute

    def set_up(hook: Hook) -> None:
        def hooked(self: LakemirrorCursor, sql: str, *parameters: object) -> None:
            statement = re.sub(r"/[*].*?[*]/", "", sql, flags=re.DOTALL)
            if WRITES.match(statement):
                hook(statement, lambda: execute(self, sql, *parameters))
            else:
                execute(self, sql, *parameters)

        monkeypatch.setattr(LakemirrorCursor, "execute", hooked)

    return set_up


def let_all_run(statement: str, run: Callable[[], None]) -> None:
    run()


def test_a_run_may_die_after_any_statement(lake: Lake, around: Callable[[Hook], None]) -> None:
    """F32: nothing is lost, and nothing is applied twice."""
    shop = Shop(lake)
    shop.send(("c", 1, 0), ("c", 2, 0))
    shop.merge()
    expected = {1: 0, 2: 0}
    deaths = 0
    for point in range(100):
        key = 10 + point
        changes = [("u", 1, key), ("c", key, key)]
        changes += [("d", key - 1, 0)] if key - 1 in expected else []
        shop.send(*changes)
        expected = {k: v for k, v in expected.items() if k != key - 1} | {1: key, key: key}
        written: list[str] = []

        def die(
            statement: str,
            run: Callable[[], None],
            point: int = point,
            written: list[str] = written,
        ) -> None:
            if len(written) == point:
                raise DeathError("the process died here")
            run()
            written.append(statement)

        around(die)
        shop.merge(fails=None)
        around(let_all_run)
        if len(written) < point:
            break
        deaths += 1
        shop.merge()
        assert shop.values() == expected, f"after a death behind {written[-1:]}"
    assert deaths > 8
    assert shop.values() == expected


def test_another_run_commits_right_before_the_merge(
    lake: Lake, around: Callable[[Hook], None]
) -> None:
    """F34, F35: the late one writes nothing, also where all keys are new."""
    shop = Shop(lake)
    shop.send(("c", 1, 10), ("c", 2, 20))
    shop.merge()
    shop.send(("c", 3, 30), ("u", 1, 11), ("d", 2, 20))
    others: list[str] = []

    def overtake(statement: str, run: Callable[[], None]) -> None:
        if f"merge into {MIRROR}.branch_" in statement and not others:
            others.append("begun")
            select = ("run", "--select", "mirror_shop__t", "--project-dir", str(shop.folder))
            with DbtProcess(lake, "other", *select) as other:
                assert other.wait(), other.console
                others.append(other.console)
        run()

    around(overtake)
    assert "another run has committed" in shop.merge(fails=True)
    around(let_all_run)
    assert "Completed successfully" in others[1]
    shop.merge()
    assert shop.values() == {1: 11, 3: 30}
    shop.send(("d", 3, 30))
    shop.merge()
    assert shop.values() == {1: 11}
