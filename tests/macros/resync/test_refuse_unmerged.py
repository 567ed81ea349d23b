from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(
    ("window", "previous", "columns", "problem"),
    [
        ("a window", "a commit", ["_src_snapshot"], "Run the model first"),
        (None, None, ["_src_snapshot"], "Run the model first"),
        (None, "a commit", ["id"], "has no column _src_snapshot"),
    ],
)
def test_what_is_not_ready(macros, window, previous, columns, problem):
    described = [{"col_name": name, "data_type": "string"} for name in columns]
    batch = SimpleNamespace(window=window, previous=previous)
    macros.context["run_query"] = lambda query: SimpleNamespace(rows=described)
    said = macros.error("refuse_unmerged", batch, "select 1", "mirror_t")
    assert problem in said
    assert "dbt run --select mirror_t" in said
