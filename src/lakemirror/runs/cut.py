"""A run of a consistent cut: a snapshot of each of several mirrors, as their sources were at one
time."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakemirror.runs import marks, messages
from lakemirror.runs.model import Model
from lakemirror.runs.project import settings_of
from lakemirror.runs.settings import CutSettings
from lakemirror.runs.state import Mirror, States
from lakemirror.runs.warehouse import Column, Table, Warehouse
from lakemirror.state.ops_tables import values_of

RAW_TABLE = "lakemirror.raw-table"
CUT_COLUMNS: tuple[Column, ...] = (
    {"name": "mirror", "data_type": "string"},
    {"name": "snapshot_id", "data_type": "bigint"},
    {"name": "complete_until", "data_type": "timestamp"},
    {"name": "known_from", "data_type": "timestamp"},
)


@dataclass(frozen=True)
class Part:
    """A mirror of the cut; in the table, a row.

    Attributes:
        mirror: its name.
        snapshot_id: its snapshot.
        complete_until: the time of the cut.
        known_from: from when on its table is known.
    """

    mirror: str
    snapshot_id: int
    complete_until: str
    known_from: str | None


class CutRun:
    """Cut the mirrors that at_cut() names at the time until which all their sources are heard."""

    def __init__(self, warehouse: Warehouse, model: Model, settings: CutSettings) -> None:
        self.warehouse, self.model, self.settings = warehouse, model, settings
        try:
            found = marks.cut_of(model.sql)
        except marks.MarkError as error:
            warehouse.refuse(f"{model.name}: {error}")
        self.mirrors = {name: changes for name, changes, _ in found}
        self.watermarks = [*dict.fromkeys(watermark for _, _, watermark in found)]
        known = model.mirrors()
        others = [name for name in self.mirrors if name not in known]
        if others:
            problems = [f"{name} is no mirror" for name in others]
            warehouse.refuse(f"{model.name}: {'; '.join(problems)}")
        self.keys = {name: settings_of(warehouse, known[name]).key for name in self.mirrors}
        self.heard_from, self.time = self.watermark()
        self.known = self.read_known()

    def watermark(self) -> tuple[str | None, str | None]:
        """When the sources were first heard, and until when all of them are complete."""
        found = self.warehouse.rows(self.warehouse.sql("cut_time_sql", self.watermarks))[0]
        for name in self.watermarks:
            if name not in json.loads(found["watermarks"]):
                self.warehouse.refuse(messages.unheard(self.model.name, name))
        return found["heard_from"], found["complete_until"]

    def read_known(self) -> Mapping[str, Any]:
        """The cut that there is: its rows by mirror."""
        if self.model.existing is None:
            return {}
        rows = self.warehouse.rows(
            "select mirror, cast(complete_until as string) as complete_until, "
            f"cast(known_from as string) as known_from from {self.model.target}"
        )
        return {row["mirror"]: row for row in rows}

    @property
    def is_due(self) -> bool:
        """Whether the sources have gone on, or the cut is of other mirrors than before."""
        if self.time is None:
            return False
        times = [row["complete_until"] for row in self.known.values()]
        return sorted(self.known) != sorted(self.mirrors) or self.time not in times

    def apply(self) -> dict[str, Any] | None:
        """Cut, where it is due: one commit, so that a reader finds all snapshots of one time."""
        warehouse, target = self.warehouse, self.model.target
        if self.model.existing is None:
            warehouse.run(warehouse.sql("create_table_sql", target, CUT_COLUMNS))
        if not self.is_due or self.time is None:
            return None
        parts = [self.cut(name, changes, self.time) for name, changes in self.mirrors.items()]
        kinds = {column["name"]: column["data_type"] for column in CUT_COLUMNS}
        rows = ", ".join(values_of(kinds, vars(part)) for part in parts)
        warehouse.run(f"insert overwrite {target} values {rows}")
        return {"message": f"cut at {self.time}", "merged_by": "snapshots"}

    def cut(self, name: str, changes: str, time: str) -> Part:
        """A snapshot of a mirror as its source was at a time; a tag keeps it for a week."""
        warehouse, model = self.warehouse, self.model
        schema, identifier = name.replace("`", "").split(".")[-2:]
        relation = model.target.create(schema=schema, identifier=identifier, type="table")
        table = Table.read(warehouse, relation)
        commit = table.own_commit if table.head is not None else None
        if commit is None:
            warehouse.refuse(f"{model.name}: {name} has merged nothing yet. Run its model first.")
        mirror = Mirror(relation, changes, commit.summary[RAW_TABLE], self.keys[name])
        states = States(warehouse, model, mirror, table)
        told = self.known[name]["known_from"] if name in self.known else None
        known_from = told or states.known_from(self.heard_from, None)
        if known_from and known_from > time:
            warehouse.refuse(
                f"{model.name}: {name} is known from {known_from} on, and the sources are complete "
                f"until {time}. The former cut stands; run it again later."
            )
        [state] = states.at([time])
        snapshot = states.snapshot_of(state)
        # a name of its own: two runs at once do not let go of each other's snapshots
        tag = f"lakemirror_cut_{re.sub('[^0-9]', '_', time)}_{model.invocation_id[:8]}"
        warehouse.retry(
            f"alter table {relation} create or replace tag `{tag}` as of version {snapshot} "
            "retain 7 days"
        )
        return Part(name, snapshot, time, known_from)
