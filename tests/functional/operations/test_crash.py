"""A run that dies, and two at once: afterwards one run makes everything equal the source.

The recording is the Vitess keyspace.
"""

import json
from collections.abc import Callable

import pytest

from lakemirror.state.commits import read_by
from support.dbt_process import DbtProcess, committed
from support.depth import DEEP, deep_only, whole_only
from support.lake import Lake
from support.recordings import assert_landed, demo_lines, write
from support.source_state import assert_commerce_daily, assert_commerce_mirrors

pytestmark = pytest.mark.compiled

TABLES = ("channels", "messages", "users")
MIDNIGHT = 1_795_219_200_000  # 2026-11-21
DIRTY = ("\tat ", " at org.", " at java.", "JVM stacktrace", "Traceback")


@pytest.fixture(scope="module")
def lines() -> list[str]:
    return demo_lines("commerce")


@pytest.fixture(scope="module")
def users(lines: list[str]) -> list[str]:
    """The users and the heartbeats that complete their day."""
    topics = ("vt.commerce.users", "vt.commerce.heartbeat")
    return [line for line in lines if json.loads(line)["topic"] in topics]


def pipeline(*tables: str) -> list[str]:
    """The command that lands, and brings these tables' mirrors and days up to date."""
    models = [f"{layer}_commerce__{table}" for layer in ("mirror", "daily") for table in tables]
    return ["run", "--select", "landing", "watermark_commerce", *models]


def assert_converged(lake: Lake, lines: list[str], *tables: str) -> None:
    """One more run: raw, mirrors and days are right, and each mirror has read its events once."""
    lake.dbt(*pipeline(*tables))
    assert_landed(lake.catalog, lines)
    assert_commerce_mirrors(lake.catalog, tables)
    assert_commerce_daily(lake.catalog, tables)
    topics = [json.loads(line)["topic"] for line in lines]
    read = {t: read_by(lake.catalog.load_table(f"mirror.commerce__{t}")) for t in tables}
    assert {table: found.events.read for table, found in read.items()} == {
        table: topics.count(f"vt.commerce.{table}") for table in tables
    }


def assert_clean(run: DbtProcess) -> None:
    """The run succeeds, or each of its failures is a few lines without a stack."""
    assert run.wait() or run.failures, run.console
    assert not [mark for mark in DIRTY if mark in run.console], run.console
    long = [text for text in run.failures if len(text) > 2000 or text.count("\n") > 8]
    assert not long, long[0]


def is_late(line: str) -> bool:
    """True when the record is a change of the day after."""
    event = json.loads(json.loads(line)["value"] or "{}")
    return event.get("source", {}).get("ts_ms", 0) >= MIDNIGHT


def created(lake: Lake) -> bool:
    return bool(committed(lake, "mirror", snapshots=0))


def merged(lake: Lake) -> bool:
    return bool({f"commerce__{t}" for t in TABLES} & committed(lake, "mirror"))


def published(lake: Lake) -> bool:
    return bool(committed(lake, "daily"))


@deep_only
@pytest.mark.parametrize("moment", [created, merged, published])
def test_killed_run_converges(lake: Lake, lines: list[str], moment: Callable[[Lake], bool]) -> None:
    """F32, case 20: SIGKILL of dbt and its JVM before, between and after the mirrors' merges."""
    write(lake.recordings, "a", lines)
    with DbtProcess(lake, "killed", *pipeline(*TABLES)) as run:
        run.kill_when(lambda: moment(lake))
    assert len(committed(lake, "daily")) < len(TABLES), "the run was over"
    assert_converged(lake, lines, *TABLES)


@pytest.mark.parametrize("existing", [False, True] if DEEP else [False])
@whole_only
def test_two_runs_at_once_converge(lake: Lake, lines: list[str], existing: bool) -> None:
    """F34, case 22: on a new lake, and when both find the second half of the recording."""
    if existing:
        write(lake.recordings, "a", lines[0::2])
        lake.dbt(*pipeline(*TABLES))
    write(lake.recordings, "b", lines[existing::2] if existing else lines)
    command = pipeline(*TABLES)
    with DbtProcess(lake, "one", *command) as one, DbtProcess(lake, "two", *command) as two:
        assert_clean(one)
        assert_clean(two)
    assert_converged(lake, lines, *TABLES)


@deep_only
def test_an_overtaken_run_writes_nothing(lake: Lake, users: list[str]) -> None:
    """F35, cases 22, 67: a run sleeps just before its MERGE until another has read further.

    Its commit would set the bookmark back, and say that the mirror has no later changes.
    """
    model, table = "mirror_commerce__users", "mirror.commerce__users"
    write(lake.recordings, "a", [line for line in users if not is_late(line)])
    lake.dbt("run", "--select", "landing")
    with DbtProcess(lake, "overtaken", "run", "--select", model) as run:
        run.freeze_when_it_says("snapshot-property.lakemirror")
        write(lake.recordings, "b", filter(is_late, users))
        lake.dbt("run", "--select", "landing", model)
        merged = lake.catalog.load_table(table).current_snapshot()
        run.thaw()
        assert run.wait(), run.console
    assert "another run has merged into mirror.commerce__users all that this one" in run.console
    assert lake.catalog.load_table(table).current_snapshot() == merged
    assert_converged(lake, users, "users")


@deep_only
def test_an_overtaken_publication_is_not_the_last_word(lake: Lake, users: list[str]) -> None:
    """F34, F35, case 74: the sleeper knows less of the day than what has been published since."""
    model, topic = "daily_commerce__users", "vt.commerce.users"
    changes = [line for line in users if json.loads(line)["topic"] == topic]
    write(lake.recordings, "a", [line for line in users if line not in changes[100::2]])
    lake.dbt("run", "--select", "landing", "watermark_commerce", "mirror_commerce__users")
    with DbtProcess(
        lake, "overtaken", "run", "--select", model, "--vars", "{ds: 2026-11-20}"
    ) as run:
        run.freeze_when_it_says("snapshot-property.lakemirror")
        write(lake.recordings, "b", changes)
        lake.dbt(*pipeline("users"))
        run.thaw()
        assert_clean(run)
    assert_converged(lake, users, "users")
