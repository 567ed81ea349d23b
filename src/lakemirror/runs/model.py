"""The model that a run is of."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lakemirror.runs.project import ProjectModel


@dataclass(frozen=True)
class Model:
    """What dbt says of a model.

    Attributes:
        sql: the compiled query.
        ctes: the SQL of the ephemeral models that it refers to, each ``name as (...)``.
        target: the table that it builds.
        existing: what there is of that name; None without.
        kind: its materialization.
        config: its configuration, without what dbt itself knows.
        has_days: whether a daily model is made of it.
        var: a var of dbt's by its name, or the default.
        ref: the relation of a model by its name.
        event_time: ``--event-time-start`` and ``--event-time-end``, where both are given.
        mirrors: the mirrors of the project by their relations' names.
    """

    name: str
    unique_id: str
    sql: str
    ctes: tuple[str, ...]
    target: Any
    existing: Any
    kind: str
    config: Mapping[str, Any]
    has_days: bool
    is_full_refresh: bool
    invocation_id: str
    var: Callable[[str, Any], Any]
    ref: Callable[[str], Any]
    event_time: tuple[datetime, datetime] | None
    mirrors: Callable[[], Mapping[str, ProjectModel]]

    def with_staging(self, query: str) -> str:
        """A query beside the model's own, which can name what the model refers to."""
        return f"with {', '.join(self.ctes)} {query}" if self.ctes else query
