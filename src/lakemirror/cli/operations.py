"""What commands ask dbt for, since it needs Spark: run-operations."""

import json
from collections.abc import Mapping
from typing import Any

from lakemirror.cli.errors import RIGHT, WRONG, CallError, hint
from lakemirror.cli.models import KnownModel


def run_operation(name: str, arguments: Mapping[str, Any]) -> int:
    """Run an operation by dbt, in the folder where the command is called; dbt says what it does.

    Returns:
        The exit code.
    """
    from dbt.cli.main import dbtRunner

    given = json.dumps({key: value for key, value in arguments.items() if value is not None})
    result = dbtRunner().invoke(["run-operation", name, "--args", given])
    return RIGHT if result.success else WRONG


def check_mirror(models: Mapping[str, KnownModel], name: str) -> None:
    """A model that is a mirror of the project.

    Raises:
        CallError: it is none.
    """
    known = [model.name for model in models.values() if model.kind == "mirror"]
    if name not in known:
        raise CallError(f"no mirror {name} is in the project{hint(name, known)}")
