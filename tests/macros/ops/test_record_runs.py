from types import SimpleNamespace

import pytest

from dbt.adapters.lakemirror.runs import ModelRun
from lakemirror.layers import PLAIN
from lakemirror.runs import lake

PROJECT = SimpleNamespace(invocation_id="run-1", started_at="2026-01-01")


@pytest.fixture
def recorded(monkeypatch):
    """What a run of dbt with these results adds to ops.runs, and what the commit says."""

    def record(*results, failing=()):
        did, told = [], []
        monkeypatch.setattr(lake, "failing_models", lambda warehouse: {*failing})
        warehouse = SimpleNamespace(run=did.append, configure=told.append, layers=PLAIN)
        lake.record(warehouse, PROJECT, results)
        return did, [*told[0].values()] if told else None

    return record


def result(materialized, status, code=None, message=None, name="m"):
    node = SimpleNamespace(name=name, config=SimpleNamespace(materialized=materialized))
    return SimpleNamespace(
        node=node,
        status=status,
        adapter_response={"code": code},
        message=message,
        execution_time=1.5,
    )


def test_what_did_something_or_failed(recorded, sql):
    merged = result(
        "mirror", "success", '{"merged_by": "buckets", "applied": 4, "core_seconds": 2.5}', "ok"
    )
    failed = result("daily", "error", message="it's late")
    [insert], told = recorded(merged, result("table", "success", "{}"), failed)
    assert told == ['["m"]']
    assert sql(insert) == (
        "insert into ops.runs (invocation_id, model, status, message, started_at, seconds, "
        "merged_by, read, applied, stale, duplicate, ignored, quarantined, core_seconds) values "
        "('run-1', 'm', 'success', 'ok', timestamp '2026-01-01', 1.5, "
        "'buckets', null, 4, null, null, null, null, 2.5), "
        r"('run-1', 'm', 'error', 'it\'s late', timestamp '2026-01-01', 1.5, "
        "null, null, null, null, null, null, null, null)"
    )


def test_nothing_is_added_where_nothing_was_new(recorded):
    assert recorded(result("mirror", "success"), result("log", "success")) == ([], None)


def test_a_model_that_had_failed_is_told_to_be_right_again(recorded):
    """Where it had nothing to do, too; what did not run goes on failing."""
    right = result("mirror", "success")
    [insert], told = recorded(right, result("daily", "skipped", name="d"), failing=["m", "other"])
    assert "'m', 'success'" in insert
    assert "'d', 'skipped'" in insert
    assert told == ['["d", "other"]']


@pytest.mark.parametrize(
    ("command", "expected"),
    [("build", ["record_runs"]), ("retry", ["record_runs"]), ("compile", [])],
)
def test_only_a_run_is_recorded(macros, command, expected):
    """Another command writes nothing, whatever its results are."""
    asked = []
    macros.context["adapter"].operate = lambda name, context, **given: asked.append(name)
    macros.context["flags"] = SimpleNamespace(WHICH=command)
    macros.record_runs([result("mirror", "error")])
    assert asked == expected


def test_a_run_tells_dbt():
    told = []
    run = SimpleNamespace(
        run=SimpleNamespace(apply=lambda: {"applied": 4}),
        warehouse=SimpleNamespace(adapter=SimpleNamespace(jvm_session=None)),
        target="mirror.t",
        model=None,
        context={
            "store_raw_result": lambda name, **given: told.append((name, given)),
            "persist_docs": lambda target, model: None,
            "model": None,
        },
    )
    run.tell = lambda *given: ModelRun.tell(run, *given)
    ModelRun.apply(run)
    given = {
        "message": "4 applied",
        "code": '{"applied": 4, "core_seconds": null}',
        "rows_affected": 4,
    }
    assert told == [("main", given)]
    run.run.apply = lambda: None
    ModelRun.apply(run)
    assert told[1] == ("main", {"message": "NOTHING NEW", "code": None, "rows_affected": None})
