"""The models that an operation is for."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Protocol

from lakemirror.runs import messages
from lakemirror.runs.checks import unknown_problems
from lakemirror.runs.settings import SETTINGS, SettingsError
from lakemirror.runs.warehouse import Warehouse


class Configured(Protocol):
    """A model with a configuration of its materialization."""

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def config(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class ProjectModel:
    """A model of the project, as the manifest has it.

    Attributes:
        kind: its materialization.
        relation: its table.
        config: its configuration, without what dbt itself knows.
        depends_on: the ids of the nodes that it refers to.
    """

    name: str
    unique_id: str
    kind: str
    relation: Any
    config: Mapping[str, Any]
    depends_on: Sequence[str]


@dataclass(frozen=True)
class Project:
    """What an operation is told of the project.

    Attributes:
        models: its models.
        exists: whether a relation is there.
        invocation_id: dbt's, of this run.
        started_at: when the run began (UTC).
    """

    models: Sequence[ProjectModel]
    exists: Callable[[Any], bool]
    invocation_id: str
    started_at: str

    def of_kind(self, kind: str) -> list[ProjectModel]:
        return [model for model in self.models if model.kind == kind]


def chosen(
    warehouse: Warehouse,
    project: Project,
    kind: str,
    model: str | None,
    operation: str,
    may_be_all: bool = True,
) -> list[ProjectModel]:
    """The models of a materialization that an operation is for: the named one, or all.

    Args:
        may_be_all: no model means all of them; where it does not, one has to be named.
    """
    models = project.of_kind(kind)
    if model is None and not may_be_all:
        warehouse.refuse(needs_model(operation, kind, [each.name for each in models]))
    found = [each for each in models if model in (None, each.name)]
    if model and not found:
        names = [each.name for each in models]
        warehouse.refuse(no_such_model(operation, model, kind, names))
    return found


def needs_model(operation: str, kind: str, names: Iterable[str]) -> str:
    """What is said where an operation is to change tables, and nobody says which.

    >>> needs_model("prune_days", "daily", ["daily_b", "daily_a"])[:63]
    'prune_days: it changes tables, and needs a model, or all: true.'
    """
    return (
        f"{operation}: it changes tables, and needs a model, or all: true. dbt run-operation "
        f"{operation} --args '{{model: ..., dry_run: false}}'. The models that are {kind}: "
        f"{', '.join(sorted(names)) or 'none'}"
    )


def no_such_model(operation: str, model: str, kind: str, names: Iterable[str]) -> str:
    """What is said of a model that is not there.

    >>> no_such_model("rebucket", "orderz", "mirror", ["orders"])
    'rebucket: orderz is no mirror of this project; did you mean orders? There are: orders'
    """
    there = sorted(names)
    close = get_close_matches(model, there, n=1)
    hint = f"; did you mean {close[0]}? " if close else ". "
    return f"{operation}: {model} is no {kind} of this project{hint}There are: {', '.join(there)}"


def settings_of(warehouse: Warehouse, model: Configured) -> Any:
    """A model's settings; all that is wrong with them is one error."""
    known = SETTINGS[model.kind].names()
    # a folder's configuration reaches models of other materializations in it
    others = {name for settings in SETTINGS.values() for name in settings.names()}
    problems = unknown_problems({*model.config} - others, known, f"a {model.kind}")
    try:
        settings = SETTINGS[model.kind].read(model.config)
    except SettingsError as error:
        problems = [*error.problems, *problems]
    if problems:
        warehouse.refuse(messages.not_configured(model.name, problems))
    return settings
