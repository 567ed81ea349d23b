"""Mirrors of recorded databases equal the databases' own final state, in any order of delivery.

I1; cases 1-6, 9, 12-17, 23-25, 29-34; F01, F03, F04, F08, F09, F12, F14, F15.
"""

import pytest

from support.depth import DEEP
from support.lake import Lake
from support.mirror_project import MirrorProject, deliver
from support.recorded_mirrors import RECORDINGS, project_of
from support.source_state import assert_same, differences

pytestmark = pytest.mark.compiled

DUMPS = {
    "vitess/copy": "vitess/copy.expected_final",
    "vitess/traps": "vitess/traps.expected_final",
    "vitess/small_numeric": "vitess/small.expected_final",
    "vitess/small_schemas": "vitess/small.expected_final",
}
# a partial row image: the connector sends null for a text that did not change
LOST_BY_THE_CONNECTOR = {"vitess/traps": {"messages": "text"}}


@pytest.mark.parametrize(
    ("recording", "batches"),
    [(name, n) for name in RECORDINGS for n in (1, 2, 7, 50)]
    if DEEP
    else [(name, 1) for name in RECORDINGS] + [("vitess/traps", 2)],
)
def test_a_recording_converges(lake: Lake, recording: str, batches: int) -> None:
    project = project_of(lake, recording)
    for _ in deliver(f"{recording}.jsonl.gz", lake, batches, seed=batches):
        project.dbt("run")
    assert_equal_to_source(project, recording)
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
