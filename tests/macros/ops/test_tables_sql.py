"""The tables of ops have the columns that runs write to them."""

from types import SimpleNamespace

from lakemirror.runs.daily import DailyRun
from lakemirror.runs.lake import run_values
from lakemirror.state.ops_tables import LATE_EVENTS, RUNS


def test_a_row_for_a_published_day():
    run = SimpleNamespace(model=SimpleNamespace(invocation_id="i", name="daily_o"))
    row = DailyRun.late_values(run, "2026-01-31", 3, "reported")
    assert row == (
        "('i', 'daily_o', date '2026-01-31', 3, 'reported', null, null, current_timestamp())"
    )
    restated = DailyRun.late_values(run, "2026-01-31", 3, "restated", 2, 0)
    assert "'restated', 2, 0, current" in restated
    assert len(LATE_EVENTS.columns) == 8 == row.count(",") + 1


def test_what_did_something_or_failed(macros):
    words = SimpleNamespace(sql=lambda macro, *given: getattr(macros, macro)(*given))
    project = SimpleNamespace(invocation_id="i", started_at="2026-01-31 00:00:00")
    node = SimpleNamespace(name="mirror_o")
    result = SimpleNamespace(
        node=node, status="success", message="2 applied", execution_time=1.5, adapter_response={}
    )
    did = {"merged_by": "broadcast", "read": 3, "applied": 2, "stale": 1}
    row = run_values(words, project, result, did)
    assert row == (
        "('i', 'mirror_o', 'success', '2 applied', timestamp '2026-01-31 00:00:00', 1.5, "
        "'broadcast', 3, 2, 1, null, null, null)"
    )
    assert len(RUNS.columns) == row.count(",") + 1
    failed = SimpleNamespace(
        node=node, status="error", message="it's late", execution_time=0.1, adapter_response={}
    )
    assert r"'error', 'it\'s late'" in run_values(words, project, failed, {})
    assert ", null, null, null, null, null, null, null)" in run_values(words, project, failed, {})
