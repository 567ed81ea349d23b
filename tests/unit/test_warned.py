"""What models have warned of, and what dbt makes of it at the end of a run."""

from types import SimpleNamespace

import pytest
from dbt.artifacts.schemas.results import NodeStatus, RunStatus
from dbt.task.printer import interpret_run_result

from dbt.adapters.lakemirror.runs import count_warnings
from dbt.adapters.lakemirror.warned import Warned


def result(name: str, status: RunStatus, message: str | None = "3 applied") -> SimpleNamespace:
    return SimpleNamespace(node=SimpleNamespace(unique_id=name), status=status, message=message)


def test_a_model_that_warned_is_counted_as_dbt_counts():
    warned = Warned()
    for line in ("two", "one", "two"):
        warned.add("model.a", line)
    results = [result(name, RunStatus.Success) for name in ("model.a", "model.b")]
    count_warnings(warned, results)
    assert [interpret_run_result(each) for each in results] == ["warn", "pass"]
    assert [each.message for each in results] == ["3 applied\n  - two\n  - one", "3 applied"]


@pytest.mark.parametrize("status", [RunStatus.Error, RunStatus.Skipped])
def test_an_error_stays_one(status):
    warned = Warned()
    warned.add("model.a", "one")
    found = result("model.a", status, None)
    count_warnings(warned, [found])
    assert (found.status, found.message) == (NodeStatus(status), None)
