from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(
    ("mode", "window", "previous", "columns", "problem"),
    [
        (True, None, "a commit", ["_src_snapshot"], "is dry_run or apply, and not True"),
        ("apply", "a window", "a commit", ["_src_snapshot"], "Run the model first"),
        ("apply", None, None, ["_src_snapshot"], "Run the model first"),
        ("apply", None, "a commit", ["id"], "has no column _src_snapshot"),
    ],
)
def test_what_cannot_be_resynced(macros, mode, window, previous, columns, problem):
    names = SimpleNamespace(values=lambda: columns)
    batch = SimpleNamespace(window=window, previous=previous)
    macros.context["run_query"] = lambda query: SimpleNamespace(columns=[names])
    said = macros.error("refuse_resync", mode, batch, "select 1", "mirror_t")
    assert problem in said
    assert "dbt run --select mirror_t" in said
