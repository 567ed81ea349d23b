"""Mirrors of recorded databases equal the databases' own final state, in any order of delivery.

I1; cases 1-6, 9, 12-17, 23-25, 29-34; F01, F03, F04, F08, F09, F12, F14, F15.
"""

import pytest

from lakemirror.cli.changes import order_of
from lakemirror.source.schemas import payload
from support.audits import assert_healthy
from support.depth import DEEP, compiled_when_deep, whole_only
from support.lake import Lake
from support.mirror_project import MirrorProject, deliver
from support.recorded_mirrors import RECORDINGS, project_of
from support.source_state import assert_same, differences

pytestmark = compiled_when_deep

DUMPS = {
    "vitess/copy": "vitess/copy.expected_final",
    "vitess/traps": "vitess/traps.expected_final",
    "vitess/small_numeric": "vitess/small.expected_final",
    "vitess/small_schemas": "vitess/small.expected_final",
}
# a partial row image: the connector sends null for a text that did not change
LOST_BY_THE_CONNECTOR = {"vitess/traps": {"messages": "text"}}

BATCHES = (1, 2, 7, 50)
IN_BATCHES = {"vitess/traps": 2}  # of a run that is not deep
IN_WHOLE = ("vitess/copy", "mariadb/plain", "postgres/plain")
DEEP_ALONE = ("mariadb/large_restart", "vitess/small_numeric", "vitess/small_schemas")


@pytest.mark.parametrize(
    ("recording", "batches"),
    [(name, n) for name in RECORDINGS for n in BATCHES]
    if DEEP
    else [
        pytest.param(name, IN_BATCHES.get(name, 1), marks=whole_only if name in IN_WHOLE else ())
        for name in RECORDINGS
        if name not in DEEP_ALONE
    ],
)
def test_a_recording_converges(lake: Lake, recording: str, batches: int) -> None:
    project = project_of(lake, recording)
    for _ in deliver(f"{recording}.jsonl.gz", lake, batches, seed=batches):
        project.dbt("run")
    assert_equal_to_source(project, recording)
    tables = project.tables if DEEP else sorted(project.tables)[:3]
    assert_healthy(project, model=[f"mirror_{project.source}__{table}" for table in tables])
    assert_orders_are_shown(project)
    if batches > 1:
        project.dbt("run", "--vars", "{replay: true}")
        assert_equal_to_source(project, recording)


def assert_equal_to_source(project: MirrorProject, recording: str) -> None:
    expected = project.expected(f"{DUMPS.get(recording, recording + '.state_final')}.jsonl.gz")
    assert any(expected.values()), "the oracle must have rows"
    lost = LOST_BY_THE_CONNECTOR.get(recording, {})
    for table, rows in expected.items():
        cells = [(key, lost[table]) for key in rows] if table in lost else []
        assert_same(table, differences(rows, project.rows(table), cells))


def assert_orders_are_shown(project: MirrorProject) -> None:
    """`lakemirror show` reads of each row's record the order that the mirror has."""
    catalog = project.lake.catalog
    for table in project.tables:
        raw = catalog.load_table(f"raw.{project.source}__{table}").scan().to_arrow().to_pylist()
        events = {(r["_kfk_partition"], r["_kfk_offset"]): payload(r["value"] or "") for r in raw}
        mirror = catalog.load_table(f"mirror.{project.source}__{table}").scan().to_arrow()
        for row in mirror.to_pylist():
            order = order_of(events[row["_kfk_partition"], row["_kfk_offset"]])
            assert order is not None
            *rank, last = order.numbers
            if project.connector == "mariadb":
                rank = [0, rank[0] * 2**32 + rank[1]]
            elif project.connector == "postgresql":
                rank = [0, *rank]
            assert (*rank, last) == (row["_tx_epoch"], row["_tx_rank"], row["_tx_order"])
