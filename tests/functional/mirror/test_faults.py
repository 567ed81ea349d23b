"""A run that dies between any two statements, and another run in the middle of one.

Cases 10, 11, 20, 21, 83, 87; F25, F30-F35, F41.
"""

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

from lakemirror import java
from support.dbt_process import DbtProcess
from support.deaths import DEATHS, DeathError, Hook, death_after, let_all_run
from support.depth import deep_only, whole_only
from support.lake import Lake
from support.mirror_project import MirrorProject
from support.one_table import MIRROR, Shop, change
from support.recordings import write

COMPACT = (
    f"call lake.system.rewrite_data_files(table => '{MIRROR}', "
    "options => map('rewrite-all', 'true'))"
)


@pytest.mark.parametrize("stage_from", [0, 100])
def test_a_run_may_die_after_any_statement(
    lake: Lake, around: Callable[[Hook], None], stage_from: int
) -> None:
    """F32: nothing is lost, and nothing is applied twice; with a staged batch and a cached one."""
    shop = Shop(lake)
    shop.write_mirror("t", f"buckets=2, stage_from={stage_from}")
    shop.send(("c", 1, 0), ("c", 2, 0))
    shop.merge()
    expected = {1: 0, 2: 0}
    deaths = 0
    for point in DEATHS:
        key = 10 + point
        changes = [("u", 1, key), ("c", key, key)]
        changes += [("d", key - 1, 0)] if key - 1 in expected else []
        shop.send(*changes)
        expected = {k: v for k, v in expected.items() if k != key - 1} | {1: key, key: key}
        written: list[str] = []
        around(death_after(point, written))
        shop.merge(fails=None)
        around(let_all_run)
        if len(written) < point:
            break
        deaths += 1
        shop.merge()
        assert shop.values() == expected, f"after a death behind {written[-1:]}"
    assert deaths > 8 / DEATHS.step
    assert shop.values() == expected


@whole_only
def test_raw_grows_while_a_run_merges(lake: Lake, around: Callable[[Hook], None]) -> None:
    """Case 87, F30: the window was pinned and staged before; the next run reads the rest."""
    shop = Shop(lake)
    shop.send(("c", 1, 10))
    grown: list[str] = []

    def grow(statement: str, run: Callable[[], None]) -> None:
        if f"into {MIRROR}.branch_" in statement and not grown:
            grown.append(statement)
            write(lake.recordings, "late", [change(90, "u", 1, 11), change(91, "c", 2, 20)])
            select = ("run", "--select", "landing", "--project-dir", str(shop.folder))
            with DbtProcess(lake, "landing", *select) as landing:
                assert landing.wait(), landing.console
        run()

    around(grow)
    shop.merge()
    around(let_all_run)
    assert shop.values() == {1: 10}
    shop.merge()
    assert shop.values() == {1: 11, 2: 20}


def test_a_compaction_commits_right_before_the_merge(
    lake: Lake, around: Callable[[Hook], None], sql: Callable[[str], None]
) -> None:
    """Case 83, F36: the run commits anew, and nobody notices."""
    shop = Shop(lake)
    shop.send(("c", 1, 10))
    shop.merge()
    shop.send(("u", 1, 11))
    compacted: list[str] = []

    def compact(statement: str, run: Callable[[], None]) -> None:
        if f"into {MIRROR}.branch_" in statement and not compacted:
            compacted.append(statement)
            sql(COMPACT)
        run()

    around(compact)
    shop.merge()
    around(let_all_run)
    assert compacted
    assert shop.values() == {1: 11}
    refs = lake.catalog.load_table(MIRROR).metadata.refs
    assert [name for name in refs if name != "main"] == []
    before = lake.snapshots(MIRROR)
    shop.merge()
    assert lake.snapshots(MIRROR) == before


@pytest.mark.parametrize(
    ("meanwhile", "refs", "values"),
    [
        (COMPACT, {"main"}, {1: 11}),
        (f"alter table {MIRROR} create tag somebodys", {"main", "somebodys"}, {1: 11}),
        (f"delete from {MIRROR} where id = 1", {"main"}, {}),
    ],
    ids=["maintenance", "a tag", "another's rows"],
)
def test_another_commit_comes_while_a_branch_is_published(
    lake: Lake,
    sql: Callable[[str], None],
    monkeypatch: pytest.MonkeyPatch,
    meanwhile: str,
    refs: set[str],
    values: dict[int, int],
) -> None:
    """F34, F36: between the moment when the table is read for that, and the commit."""
    shop = Shop(lake)
    shop.send(("c", 1, 10))
    shop.merge()
    shop.send(("u", 1, 11))
    load, publish, came = java.load, java.publish, []

    class Loaded:
        """A table, of which another commit comes behind what is to change it."""

        def __init__(self, session: Any, relation: Any) -> None:
            self.table = load(session, relation)

        def manageSnapshots(self) -> Any:  # noqa: N802
            change = self.table.manageSnapshots()
            if not came:
                came.append(meanwhile)
                sql(meanwhile)
            return change

    def publishing(session: Any, relation: Any, branch: str) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(java, "load", Loaded)
            publish(session, relation, branch)

    monkeypatch.setattr(java, "publish", publishing)
    said = shop.merge(fails=None)
    assert came
    assert ("another run has committed" in said) is (not values)
    assert shop.values() == values
    assert {*lake.catalog.load_table(MIRROR).metadata.refs} == refs
    shop.merge()
    assert shop.values() == {1: 11}


def test_a_commit_whose_answer_is_lost(lake: Lake, around: Callable[[Hook], None]) -> None:
    """F33: the run fails, nothing that was committed is taken back, and the next finds it."""
    shop = Shop(lake)
    shop.send(("c", 1, 10), ("c", 2, 20))

    def lose_the_answer(statement: str, run: Callable[[], None]) -> None:
        run()
        if statement.startswith("publish"):
            raise DeathError("CommitStateUnknownException: the answer was lost")

    around(lose_the_answer)
    assert "the answer was lost" in shop.merge(fails=True)
    around(let_all_run)
    before = lake.snapshots(MIRROR)
    shop.merge()
    assert lake.snapshots(MIRROR) == before
    assert shop.values() == {1: 10, 2: 20}


def test_a_raw_file_is_missing(lake: Lake) -> None:
    """F31: the run fails, the mirror is as it was, and all is read when the file is back."""
    shop = Shop(lake)
    shop.send(("c", 1, 10))
    shop.merge()
    before = lake.snapshots(MIRROR)
    shop.send(("u", 1, 11), ("c", 2, 20))
    tasks = lake.catalog.load_table("raw.shop__t").scan(row_filter="_kfk_offset = 3").plan_files()
    [file] = [Path(task.file.file_path.removeprefix("file:")) for task in tasks]
    aside = file.rename(file.with_suffix(".aside"))
    assert file.name in shop.merge(fails=True)
    assert lake.snapshots(MIRROR) == before
    aside.rename(file)
    shop.merge()
    assert shop.values() == {1: 11, 2: 20}


@deep_only
def test_a_key_with_most_of_the_changes(lake: Lake) -> None:
    """F25; cases 10, 11: neither offsets nor times order them, and all are of one millisecond."""
    shop = Shop(lake)
    lines = [change(offset, "u", 1, offset) for offset in range(1, 100_001)]
    random.Random(25).shuffle(lines)
    records = [json.loads(line) for line in [*lines, change(100_001, "c", 2, 20)]]
    for offset, record in enumerate(records):
        record |= {"partition": offset % 3, "offset": offset, "value": same_time(record["value"])}
    write(lake.recordings, "hot", map(json.dumps, records))
    shop.land()
    shop.merge()
    assert shop.values() == {1: 100_000, 2: 20}


def same_time(event: str) -> str:
    return re.sub(r'("source": {"ts_ms": )\d+', r"\g<1>1767225600000", event)


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
        if f"into {MIRROR}.branch_" in statement and not others:
            others.append("begun")
            select = ("run", "--select", "mirror_shop__t", "--project-dir", str(shop.folder))
            with DbtProcess(lake, "other", *select) as other:
                assert other.wait(), other.console
                others.append(other.console)
        run()

    around(overtake)
    shop.merge()
    around(let_all_run)
    assert "Completed successfully" in others[1]
    commits = lake.snapshots(MIRROR)
    shop.merge()
    assert lake.snapshots(MIRROR) == commits
    assert shop.values() == {1: 11, 3: 30}
    shop.send(("d", 3, 30))
    shop.merge()
    assert shop.values() == {1: 11}


class Meeting:
    """A hook that lets two models begin a statement when both have come to it."""

    def __init__(self, statement: str) -> None:
        self.statement, self.both, self.begun = statement, Barrier(2), 0

    def __call__(self, statement: str, run: Callable[[], None]) -> None:
        if self.statement in statement:
            self.begun += 1
            if self.begun <= self.both.parties:  # one that tries again is alone
                self.both.wait(60)
        run()


@pytest.fixture
def two_tables(lake: Lake) -> MirrorProject:
    tables = {name: ("id int, v int", ["id"]) for name in ("t", "u")}
    return MirrorProject(lake, "shop", "mariadb", tables)


BOTH = ("run", "--select", "path:models/mirror", "--threads", "2")


def test_two_models_keep_bad_rows_at_once(
    two_tables: MirrorProject, around: Callable[[Hook], None]
) -> None:
    """Each begins its MERGE when the other does: both tables' rows are kept, and once."""
    lines = []
    for table in two_tables.tables:
        for offset, op in ((1, "c"), (2, "no operation")):
            record = json.loads(change(offset, op, offset, 1, table=table))
            lines.append(json.dumps(record | {"topic": f"shop.shop.{table}"}))
    two_tables.feed(lines)
    around(Meeting("merge into ops.quarantine"))
    two_tables.dbt(*BOTH)
    kept = two_tables.lake.catalog.load_table("ops.quarantine").scan().to_arrow().to_pylist()
    models = ["mirror_shop__t", "mirror_shop__u"]
    assert sorted((row["model"], row["_kfk_offset"]) for row in kept) == [(m, 2) for m in models]
    assert [two_tables.rows(name) for name in "tu"] == [{(1,): {"id": 1, "v": 1}}] * 2


def test_two_models_wait_for_their_first_record_at_once(
    two_tables: MirrorProject, around: Callable[[Hook], None]
) -> None:
    """Nothing has landed yet, and both make the schema raw."""
    around(Meeting("create namespace if not exists raw"))
    two_tables.dbt(*BOTH)
    assert [two_tables.rows(name) for name in "tu"] == [{}, {}]
