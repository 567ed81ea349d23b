from types import SimpleNamespace

import pytest


@pytest.fixture
def recorded(macros):
    """What a run of dbt with these results adds to ops.runs."""
    did = []
    macros.context |= {"run_query": did.append, "invocation_id": "run-1"}
    macros.context |= {"run_started_at": "2026-01-01", "flags": SimpleNamespace(WHICH="build")}

    def record(*results):
        did.clear()
        macros.record_runs(results)
        return did

    return record


def result(materialized, status, code=None, message=None):
    node = SimpleNamespace(name="m", config=SimpleNamespace(materialized=materialized))
    return SimpleNamespace(
        node=node,
        status=status,
        adapter_response={"code": code},
        message=message,
        execution_time=1.5,
    )


def test_what_did_something_or_failed(recorded, sql):
    merged = result("mirror", "success", '{"merged_by": "buckets", "read": 9, "applied": 4}', "ok")
    failed = result("daily", "error", message="it's late")
    [insert] = recorded(merged, result("table", "success", "{}"), failed)
    assert sql(insert) == sql(r"""
        insert into ops.runs values (
            'run-1', 'm', 'success', 'ok', timestamp '2026-01-01', 1.5,
            'buckets', 9, 4, null, null, null, null
        ), (
            'run-1', 'm', 'error', 'it\'s late', timestamp '2026-01-01', 1.5,
            null, null, null, null, null, null, null
        )
    """)


def test_nothing_is_added_where_nothing_was_new(recorded, macros):
    assert recorded(result("mirror", "success"), result("log", "success")) == []
    macros.context["flags"].WHICH = "compile"
    assert recorded(result("mirror", "error")) == []


def test_the_table_has_what_a_row_has(macros, recorded, sql):
    columns, _, _ = sql(macros.runs_table_sql()).partition(" ) using")
    [insert] = recorded(result("mirror", "error"))
    row = sql(insert).removeprefix("insert into ops.runs values ")
    assert row == sql(macros.run_values(result("mirror", "error"), {}))
    assert row.count(",") == columns.count(",")


def test_a_run_tells_dbt(macros):
    told = []
    macros.context["store_raw_result"] = lambda name, **given: told.append((name, given))
    macros.tell_run("4 applied", {"applied": 4})
    given = {"message": "4 applied", "code": '{"applied": 4}', "rows_affected": 4}
    assert told == [("main", given)]
