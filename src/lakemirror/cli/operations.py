"""What commands ask dbt for, since it needs Spark: run-operations."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lakemirror.cli.errors import RIGHT, WRONG, CallError, CommandError, hint
from lakemirror.cli.lakes import one_line
from lakemirror.cli.models import KnownModel, model_files


def run_operation(name: str, arguments: Mapping[str, Any]) -> int:
    """Run an operation by dbt, in the folder where the command is called; dbt says what it does.

    Returns:
        The exit code.
    """
    return RIGHT if invoke(name, arguments).success else WRONG


def run_quietly(folder: Path, name: str, arguments: Mapping[str, Any]) -> None:
    """Run an operation by dbt, which says nothing.

    Raises:
        CallError: there is no project.
        CommandError: it has failed.
    """
    if not (folder / "dbt_project.yml").is_file():
        raise CallError(f"There is no dbt project in {folder}: run it in the project's folder")
    said: list[str] = []

    def keep(event: Any) -> None:
        if event.info.level == "error":
            said.append(event.info.msg)

    result = invoke(name, arguments, "--log-level", "none", "--quiet", hear=keep)
    if not result.success:
        why = said[:1] or [str(result.exception)]
        raise CommandError(f"dbt run-operation {name}: {one_line(reason(why[0]))}")


def reason(said: str) -> str:
    """What has failed, without the macros that dbt names around it."""
    after = re.sub(r".*?Compilation Error in macro [^\n]*\n", "", said, count=1, flags=re.DOTALL)
    return after.partition("\n  > in macro")[0].partition("\n    > in macro")[0]


def invoke(
    name: str,
    arguments: Mapping[str, Any],
    *options: str,
    hear: Callable[[Any], None] | None = None,
    manifest: Any = None,
) -> Any:
    """Let dbt run an operation in this process; arguments that are None are left out.

    Args:
        hear: is told each event of dbt.
        manifest: dbt's, of a project that it has parsed; None: it parses it.
    """
    from dbt.cli.main import dbtRunner

    given = json.dumps({key: value for key, value in arguments.items() if value is not None})
    runner = dbtRunner(manifest, callbacks=[hear] if hear else [])
    return runner.invoke([*options, "run-operation", name, "--args", given])


def check_mirror(models: Mapping[str, KnownModel], name: str) -> None:
    """A model that is a mirror of the project.

    Raises:
        CallError: it is none.
    """
    known = [model.name for model in models.values() if model.kind == "mirror"]
    if name not in known:
        raise CallError(f"no mirror {name} is in the project{hint(name, known)}")


def check_model(folder: Path, name: str) -> None:
    """A model of the project; a table's name, as raw.shop__orders, is checked by who knows them.

    Raises:
        CallError: there is none.
    """
    known = [file.stem for file in model_files(folder)]
    if "." not in name and name not in known:
        raise CallError(f"no model {name} is in the project{hint(name, known)}")
