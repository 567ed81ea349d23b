"""A log has each change of a table without a key once, whatever is read again.

Cases 18, 20, 36, 78; F01, F05, F23, F34, F40.
"""

import json
from collections import Counter
from typing import Any

import pytest
from pyiceberg.table.snapshots import ancestors_of

from lakemirror.state.window import BOOKMARK
from support.dbt_process import DbtProcess
from support.deaths import let_all_run
from support.depth import deep_only
from support.lake import Lake, messages
from support.one_table import Shop, change
from support.recordings import write
from support.templates import copied

LOG = "log.shop__t"
MODEL = """
{{{{ config(materialized='log', schema='log'{0}) }}}}
select * from {{{{ ref('stg_shop__t') }}}}
"""
COUNTS = ("read", "applied", "stale", "duplicate", "ignored", "quarantined")


class Visits(Shop):
    """A table whose records have no key, and the log of its changes."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake)
        self.configure("")

    def configure(self, config: str) -> None:
        self.write("models/log/log_shop__t.sql", MODEL.format(config))

    def deliver(self, *values: Any, op: str = "c") -> None:
        """Land a change of each value, the next offset each."""
        lines = []
        for value in values:
            self.offset += 1
            record = json.loads(change(self.offset, op, 7, value)) | {"key": None}
            lines.append(json.dumps(record))
        self.feed(lines)

    def append(self, *arguments: str, fails: bool | None = False) -> str:
        return messages(self.dbt("run", "--select", "log_shop__t", *arguments, fails=fails))

    def log(self) -> Counter[tuple[int, str, int]]:
        rows = self.lake.catalog.load_table(LOG).scan().to_arrow().to_pylist()
        return Counter((row["_kfk_offset"], row["_op"], row["v"]) for row in rows)

    def counts(self) -> list[tuple[int, ...]]:
        """COUNTS of each own commit, oldest first."""
        table = self.lake.catalog.load_table(LOG)
        commits = [
            s.summary.additional_properties
            for s in ancestors_of(table.current_snapshot(), table.metadata)
        ]
        own = [commit for commit in reversed(commits) if BOOKMARK in commit]
        return [tuple(int(commit[f"lakemirror.{name}"]) for name in COUNTS) for commit in own]


def three_visits(lake: Lake) -> Visits:
    visits = Visits(lake)
    visits.deliver(10, 10, 20)
    visits.append()
    return visits


@pytest.fixture
def visits(lake: Lake) -> Visits:
    return copied(lake, three_visits)


def once(*changes: tuple[int, str, int]) -> Counter[tuple[int, str, int]]:
    return Counter(changes)


FIRST = ((1, "c", 10), (2, "c", 10), (3, "c", 20))


def test_each_change_once_over_slices_reruns_and_replays(visits: Visits) -> None:
    """Case 36, F23: two changes that are equal are two; a rerun commits nothing."""
    assert visits.log() == once(*FIRST)
    before = visits.lake.snapshots(LOG)
    visits.append()
    assert visits.lake.snapshots(LOG) == before
    visits.deliver(21, op="u")
    visits.deliver(21, op="d")
    visits.append()
    expected = once(*FIRST, (4, "u", 21), (5, "d", 21))
    assert visits.log() == expected
    visits.append("--vars", "{replay: true}")
    assert visits.log() == expected
    assert visits.counts() == [(3, 3, 0, 0, 0, 0), (2, 2, 0, 0, 0, 0), (5, 0, 0, 5, 0, 0)]


def test_a_record_that_raw_has_twice(visits: Visits, sql: Any) -> None:
    """F01, F05: within a batch, and in two."""
    visits.deliver(30)
    sql("insert into raw.shop__t select * from raw.shop__t where _kfk_offset in (3, 4)")
    visits.append()
    assert visits.log() == once(*FIRST, (4, "c", 30))
    assert visits.counts()[-1] == (3, 1, 0, 2, 0, 0)


def test_what_cannot_be_decoded_is_kept_apart(visits: Visits, sql: Any) -> None:
    """Cases 18, 29: a bad row goes to the quarantine once, and the rest goes on."""
    visits.deliver("many", 40)
    tombstone = json.loads(change(6, "d", 7, 0)) | {"key": None, "value": None}
    write(visits.lake.recordings, "tombstone", [json.dumps(tombstone)])
    visits.land()
    sql("insert into raw.shop__t select * from raw.shop__t where _kfk_offset = 4")
    visits.configure(", on_bad_rows='fail'")
    assert "2 events cannot be used" in visits.append(fails=True)
    assert visits.log() == once(*FIRST)
    visits.configure("")
    visits.append()
    assert visits.log() == once(*FIRST, (5, "c", 40))
    assert visits.counts()[-1] == (4, 1, 0, 0, 1, 2)
    kept = visits.lake.catalog.load_table("ops.quarantine").scan().to_arrow().to_pylist()
    assert [(r["_kfk_offset"], r["reason"]) for r in kept] == [(4, "cannot be decoded: v")]


def test_a_rebuild_is_refused_unless_allowed(visits: Visits) -> None:
    """F40."""
    before = visits.lake.snapshots(LOG)
    assert "allow_full_refresh: true" in visits.append("--full-refresh", fails=True)
    assert visits.lake.snapshots(LOG) == before
    visits.append("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert visits.log() == once(*FIRST)
    assert visits.lake.snapshots(LOG)[: len(before)] == before
    visits.deliver(50)
    visits.append()
    assert visits.log() == once(*FIRST, (4, "c", 50))


def test_offsets_that_begin_again_are_refused(visits: Visits, sql: Any) -> None:
    """F29: a topic made anew is not taken for what the log has."""
    sql("create table raw.other using iceberg as select * from raw.shop__t")
    sql("drop table raw.shop__t")
    sql("update raw.other set _src_ts = _src_ts + interval 1 day")
    sql("alter table raw.other rename to raw.shop__t")
    assert "the table is another" in visits.append(fails=True)
    said = visits.append("--vars", "{replay: true}", fails=True)
    assert "3 records of raw.shop__t have the Kafka coordinates of other records" in said
    assert visits.log() == once(*FIRST)


@deep_only
def test_another_run_appends_right_before(visits: Visits, around: Any) -> None:
    """F34, F35: the late one writes nothing."""
    visits.deliver(60)
    others: list[str] = []

    def overtake(statement: str, run: Any) -> None:
        if f"insert into {LOG}.branch_" in statement and not others:
            select = ("run", "--select", "log_shop__t", "--project-dir", str(visits.folder))
            others.append("begun")
            with DbtProcess(visits.lake, "other", *select) as other:
                assert other.wait(), other.console
        run()

    around(overtake)
    visits.append()
    around(let_all_run)
    commits = visits.lake.snapshots(LOG)
    visits.append()
    assert visits.lake.snapshots(LOG) == commits
    assert visits.log() == once(*FIRST, (4, "c", 60))


def test_a_mirror_without_a_key_names_both_ways(visits: Visits) -> None:
    """Case 36."""
    visits.tables["t"] = (visits.tables["t"][0], [])
    visits.write_mirror("t")
    said = visits.merge(fails=True)
    assert "mirror_shop__t is not configured right" in said
    assert "message.key.columns" in said
    assert "materialized='log'" in said
