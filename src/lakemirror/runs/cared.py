"""The tables that maintenance cares for, and who still reads them."""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any

from lakemirror.layers import OPS, RAW, environment_of
from lakemirror.runs.batch import tombstones_of
from lakemirror.runs.daily import written_days
from lakemirror.runs.policies import Policy, policy_of, policy_problems
from lakemirror.runs.project import Project, ProjectModel
from lakemirror.runs.warehouse import Table, Warehouse, quoted
from lakemirror.state import care, ops_tables, rollback, tombstones, window
from lakemirror.state.care import Needs
from lakemirror.state.window import BASE_TAG, Snapshot

MAINTENANCE = "lakemirror_maintain_"  # how the branches of maintenance begin
OTHERS = "maintenance_tables"  # the var that names tables of others
VIEWS = ("view", "ephemeral")  # kinds of models that are read through
READING = ("mirror", "log", "daily")  # kinds of models whose commits carry a bookmark
# those that make tables
KINDS = (*READING, "cut", "table", "incremental", "seed", "snapshot")
VERSIONS = "write.metadata.previous-versions-max"
OF_COLUMNS = ("sort_by", "z_order_by", "compact_by", "compact_days")


@dataclass(frozen=True)
class Cared:
    """A table that is cared for.

    Attributes:
        name: as ``mirror.shop__orders``.
        layer: of lakemirror.runs.policies.LAYERS.
        policy: its own.
        model: what makes it; of tombstones, their mirror; None of raw's and of runs' own.
        sort_by: the columns that its files are sorted by.
    """

    name: str
    relation: Any
    layer: str
    policy: Policy
    model: ProjectModel | None = None
    sort_by: Sequence[str] = ()


@dataclass(frozen=True)
class Declared:
    """What a project says of tables that are no models.

    Attributes:
        policies: ``maintenance`` of the metadata of raw tables, by their names.
        sources: the ids of the sources of each.
        others: policies of tables of others, by patterns of their names, as ``marts.*``.
    """

    policies: Mapping[str, Any] = field(default_factory=dict)
    sources: Mapping[str, Sequence[str]] = field(default_factory=dict)
    others: Mapping[str, Any] = field(default_factory=dict)


class CaredTables:
    """The tables of a lake, as a project knows them."""

    def __init__(self, warehouse: Warehouse, project: Project, declared: Declared) -> None:
        self.warehouse, self.project, self.declared = warehouse, project, declared
        self.problems: list[str] = []
        self.orphans_looked_for: set[str] = set()

    # -- which -------------------------------------------------------------------------------

    def chosen(self, names: Sequence[str]) -> list[Cared]:
        """The tables that are to be cared for now: of some models, or by their own names, or all;
        each as its policy says."""
        found = self.all
        if names:
            known = {each.name: [each] for each in found}
            for each in found:
                if each.model is not None:
                    known.setdefault(each.model.name, []).append(each)
            unknown = [name for name in names if name not in known]
            if unknown:
                self.warehouse.refuse(no_such_table(unknown[0], known))
            wanted = {each.name for name in names for each in known[name]}
            found = [each for each in found if each.name in wanted]
        return [each for each in found if self.is_due(each)]

    def is_due(self, table: Cared) -> bool:
        policy = table.policy
        is_early = bool(policy.earliest) and f"{datetime.now(UTC):%H:%M}" < str(policy.earliest)
        since = self.since(table.name)
        is_recent = since is not None and since < policy.seconds("interval")
        return policy.enabled and not is_early and not is_recent

    @cached_property
    def all(self) -> list[Cared]:
        """All of the lake that the project knows, and that is there."""
        found = [table for model in self.project.models for table in self.of_model(model)]
        names = {table.name for table in found}
        for layer in (RAW, OPS):  # whose tables are no models, or not all of them
            schema = self.warehouse.layers.schema(layer)
            there = self.warehouse.tables(schema) if schema in self.warehouse.schemas() else []
            for name in there:
                if f"{schema}.{name}" not in names:
                    relation = f"{schema}.{quoted(name)}"
                    given = self.declared.policies.get(f"{schema}.{name}", {})
                    found.append(self.cared(f"{schema}.{name}", relation, layer, given))
                    names.add(f"{schema}.{name}")
        found += self.of_others(names)
        if self.problems:
            self.warehouse.refuse("\n".join(["maintain: nothing was done", *self.problems]))
        return sorted(found, key=lambda table: table.name)

    def of_others(self, names: set[str]) -> list[Cared]:
        """The tables of others that a pattern names; of several patterns the first counts. A schema
        of another environment is meant by its own name alone.

        Args:
            names: the tables that the project makes.
        """
        found: dict[str, Cared] = {}
        for pattern, given in self.declared.others.items():
            schema, _, table = str(pattern).partition(".")
            if not table or not isinstance(given or {}, Mapping):
                self.problems.append(
                    f"  - {OTHERS}: {pattern}: a pattern such as marts.* with a mapping is expected"
                )
                continue
            for namespace in self.warehouse.schemas():
                is_matched = fnmatchcase(namespace, schema) and self.is_near(namespace)
                if namespace != schema and not is_matched:
                    continue
                for name in self.warehouse.tables(namespace):
                    known = f"{namespace}.{name}"
                    if fnmatchcase(name, table) and known not in {*names, *found}:
                        relation = f"{quoted(namespace)}.{quoted(name)}"
                        found[known] = self.cared(known, relation, "table", given or {})
        return [*found.values()]

    def is_near(self, namespace: str) -> bool:
        """Whether a schema is of no other environment, whose tables only that one knows."""
        environment = environment_of(namespace, self.warehouse.schemas())
        return environment in (None, self.warehouse.layers)

    def of_model(self, model: ProjectModel) -> list[Cared]:
        """The table of a model, and of a mirror its tombstones."""
        if model.kind not in KINDS or not self.project.exists(model.relation):
            return []
        layer = model.kind if model.kind in READING else "table"
        given = model.config.get("maintenance") or {}
        name = f"{model.relation.schema}.{model.relation.identifier}"
        found = [self.cared(name, model.relation, layer, given, model)]
        if model.kind == "mirror":
            kept = tombstones_of(model.relation)
            of_kept = f"{kept.schema}.{kept.identifier}"
            given = {key: value for key, value in given.items() if key not in OF_COLUMNS}
            found.append(self.cared(of_kept, kept, "tombstones", given, model))
        return found

    def cared(
        self,
        name: str,
        relation: Any,
        layer: str,
        given: Mapping[str, Any],
        model: ProjectModel | None = None,
    ) -> Cared:
        problems = policy_problems(given)
        if layer != RAW and isinstance(given, Mapping) and {"retention", "archive"} & {*given}:
            problems.append("maintenance.retention: only a raw table has one, by its source's YAML")
        self.problems += [f"  - {name}: {problem}" for problem in problems]
        said = (model.config.get("table_properties") or {}) if model else {}
        kept = {"metadata_files": int(said[VERSIONS])} if VERSIONS in said else {}
        policy = policy_of(layer, kept | ({} if problems else dict(given)))
        key = (model.config.get("unique_key") or ()) if model and layer == "mirror" else ()
        key = [key] if isinstance(key, str) else key
        sort_by = policy.z_order_by or (key if policy.sort_by is None else policy.sort_by)
        return Cared(name, relation, layer, policy, model, tuple(sort_by))

    # -- when it was cared for ---------------------------------------------------------------

    @cached_property
    def times(self) -> dict[tuple[str, str], float]:
        """How many seconds ago each action was done, by table and action."""
        ops = self.warehouse.layers.ops
        there = ops in self.warehouse.schemas() and self.warehouse.tables(ops)
        if not there or ops_tables.MAINTENANCE.name not in there:
            return {}
        rows = self.warehouse.rows(self.warehouse.sql("maintained_sql"))
        return {(row[0], row[1]): float(row[2]) for row in rows}

    def since(self, name: str, action: str | None = None) -> float | None:
        """How many seconds ago a table was cared for, or an action was done; None: never."""
        if action == care.ORPHANS and name in self.orphans_looked_for:
            return 0.0
        found = [
            seconds
            for (table, did), seconds in self.times.items()
            if table == name and action in (None, did)
        ]
        return min(found, default=None)

    def looked_for_orphans(self, name: str) -> None:
        self.orphans_looked_for.add(name)

    # -- who reads it ------------------------------------------------------------------------

    def refs(self, there: Table) -> dict[str, int]:
        """The snapshots of tags and branches, by their names."""
        if there.metadata is not None:
            found = dict(there.metadata.refs)
        else:
            rows = self.warehouse.rows(f"select name, snapshot_id from {there.relation}.refs")
            found = {row[0]: int(row[1]) for row in rows}
        return {name: number for name, number in found.items() if name != "main"}

    def drop_dead_branches(self, there: Table) -> None:
        """Those of maintenance that died."""
        for name in self.refs(there):
            if name.startswith(MAINTENANCE):
                self.warehouse.retry(
                    f"alter table {there.relation} drop branch if exists {quoted(name)}"
                )

    def former_metadata(self, there: Table) -> int:
        """How many former metadata files the table's metadata names."""
        if there.metadata is not None:
            return there.metadata.former
        query = f"select count(*) from {there.relation}.metadata_log_entries"
        return int(self.warehouse.rows(query)[0][0]) - 1  # the newest is an entry too

    def ages(self, there: Table) -> dict[int, float]:
        """How many seconds ago each snapshot was committed."""
        if there.metadata is not None:
            now = time.time()
            return {number: now - ms / 1000 for number, ms in there.metadata.times.items()}
        rows = self.warehouse.rows(self.warehouse.sql("ages_sql", there.relation))
        return {int(row[0]): float(row[1]) for row in rows}

    def idle_seconds(self, relation: Any) -> float:
        """How long ago anything about a table has changed."""
        return float(self.warehouse.rows(self.warehouse.sql("idle_sql", relation))[0][0])

    def needs(self, table: Cared, there: Table) -> Needs:
        """The snapshots that somebody still reads."""
        refs = self.refs(there)
        ids: set[int] = set()
        since: set[int] = set()
        if table.layer == RAW:
            ancestors = window.lineage(there.snapshots, there.head)
            landed = next((s.id for s in ancestors if window.OFFSETS in s.summary), None)
            since = {*refs.values(), *self.bookmarks, *([landed] if landed else [])}
        elif table.layer == "mirror":
            lineage = window.lineage(there.snapshots, there.head)
            bases = {n for name, n in refs.items() if name.startswith(BASE_TAG)}
            since = bases & window.outdated(lineage, bases)
        elif table.layer == "tombstones":
            prune = tombstones.furthest_prune(there.snapshots)
            ids = self.named_tombstones(table) | ({prune.id} if prune else set())
        elif table.layer == "daily":
            since = self.empty_days(table, there.snapshots)
        return Needs(ids, since, [*refs.values()], self.ages(there))

    @cached_property
    def bookmarks(self) -> set[int]:
        """What raw's consumers have read up to, by all their commits that are there: a rollback
        goes on from any, and a day starts from any."""
        found: set[int] = set()
        for model in self.project.models:
            if model.kind in READING and self.project.exists(model.relation):
                table = Table.read(self.warehouse, model.relation)
                if table.head is not None:
                    found |= care.bookmarks(table.snapshots)
        return found

    def readers_of(self, raw: str) -> list[ProjectModel]:
        """The models that read a raw table, as it is or through views."""
        reached = {*self.declared.sources.get(raw, ())}
        found: dict[str, ProjectModel] = {}
        while True:
            new = [
                model
                for model in self.project.models
                if reached & {*model.depends_on} and model.unique_id not in found
            ]
            if not new:
                break
            found |= {model.unique_id: model for model in new}
            reached = {model.unique_id for model in new if model.kind in VIEWS}
        return [model for model in found.values() if model.kind not in VIEWS]

    def named_tombstones(self, table: Cared) -> set[int]:
        """The snapshots of tombstones that belong to commits of their mirror."""
        assert table.model is not None
        mirror = Table.read(self.warehouse, table.model.relation)
        snapshots = mirror.snapshots if mirror.head is not None else []
        texts = (snapshot.summary.get(rollback.TOMBSTONES) for snapshot in snapshots)
        return {int(text) for text in texts if text}

    def empty_days(self, table: Cared, snapshots: Sequence[Snapshot]) -> set[int]:
        """The commits of days that have no row, and so no partition: nothing else tells that they
        were published."""
        days = {s.id: s.summary[window.DAY] for s in snapshots if window.DAY in s.summary}
        written = {*written_days(self.warehouse, table.relation)} if days else set()
        return {number for number, day in days.items() if day not in written}

    # -- where it lies -----------------------------------------------------------------------

    @cached_property
    def locations(self) -> dict[str, str]:
        """Where each table of the lake lies, also of those that the project does not know."""
        found = {}
        for schema in self.warehouse.schemas():
            for name in self.warehouse.tables(schema):
                rows = self.warehouse.rows(f"describe extended {quoted(schema)}.{quoted(name)}")
                place = next((row[1] for row in rows if row[0] == "Location"), "")
                found[f"{schema}.{name}"] = place.rstrip("/") + "/"
        return found

    def sharing(self, table: Cared) -> list[str]:
        """The tables that lie in the location of one, or that it lies in."""
        own = self.locations[table.name]
        return [
            name
            for name, place in self.locations.items()
            if name != table.name and (place.startswith(own) or own.startswith(place))
        ]


def no_such_table(name: str, known: Iterable[str]) -> str:
    """What is said of a table that is not there.

    >>> no_such_table("raw.orderz", ["raw.orders"])
    'maintain: there is no model or table raw.orderz; did you mean raw.orders?'
    """
    close = get_close_matches(name, [*known], n=1)
    hint = f"; did you mean {close[0]}?" if close else ""
    return f"maintain: there is no model or table {name}{hint}"
