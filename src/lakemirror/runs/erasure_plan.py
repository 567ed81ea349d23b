"""Where the rows of keys are: in every table that stems from their source table."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from lakemirror.runs import marks, messages
from lakemirror.runs.batch import refuse_newer, tombstones_of
from lakemirror.runs.daily import end_of_day, written_days
from lakemirror.runs.erased_tables import ErasedTable, by_partition
from lakemirror.runs.model import Model
from lakemirror.runs.project import Project, ProjectModel, chosen, settings_of
from lakemirror.runs.retention import ARCHIVES, archive_of
from lakemirror.runs.warehouse import Table, Warehouse
from lakemirror.state import erasures, window
from lakemirror.state.erasures import Place
from lakemirror.state.rollback import Hold
from lakemirror.state.window import PREFIX, Snapshot

NEEDS_KEYS = "erase: it needs keys, or a condition (where)"
RAW_TABLE = PREFIX + "raw-table"
KEPT = {  # of ops: what is kept of records, or of keys
    "quarantine": ("quarantine", "records"),
    "conflict": ("order_conflicts", "keys"),
    "finding": ("audit_findings", "keys"),
    "run": ("runs", "messages"),
}
HIVE = ["ds", "snapshot_id", "rows", "folder", "exported_at"]  # what a copy in folders reports


@dataclass(frozen=True)
class Scope:
    """What stems from a source table.

    Attributes:
        raw: the raw table.
        consumers: the mirrors and logs that read it.
        dailies: the daily models of its mirrors.
        folders: where days are copied to, by the daily model.
        cuts: the models of cuts.
    """

    node: ProjectModel
    raw: str
    consumers: Sequence[ProjectModel]
    dailies: Sequence[ProjectModel]
    folders: Sequence[str]
    cuts: Sequence[ProjectModel]

    @property
    def mirrors(self) -> list[ProjectModel]:
        return [each for each in self.consumers if each.kind == "mirror"]

    @property
    def names(self) -> list[str]:
        """The models that keep something of the keys in tables of ops."""
        return [each.name for each in (*self.consumers, *self.dailies)]


@dataclass(frozen=True)
class Sought:
    """The keys, and where raw has them.

    Attributes:
        keys: a text of each key column by its name.
        kinds: the types of the mirror's columns.
        texts: the keys as findings have them.
        places: the offsets of their records, by partition.
        record_keys: the Kafka keys of their records.
        archived: their places in each archive of raw.
    """

    keys: Sequence[Mapping[str, str]]
    kinds: Mapping[str, str]
    texts: Sequence[str]
    places: Mapping[int, Sequence[int]] = field(default_factory=dict)
    record_keys: Sequence[str] = ()
    archived: Mapping[str, Mapping[int, Sequence[int]]] = field(default_factory=dict)


class ErasurePlan:
    """What an erasure is about, and what is in its way.

    Attributes:
        compiled: a model as a run of it sees it, by its id.
        node: the mirror that was named.
        told: what the command is told beside the places.
        done: what becomes of rows, by the kind of their place; elsewhere they are deleted.
        id: the erasure's; empty until it has begun.
    """

    node: ProjectModel
    scope: Scope
    sought: Sought
    id = ""
    done: ClassVar[Mapping[str, str]] = {
        "raw": "key and value become null",
        "archive": "folders are written again without them",
        "run": "message becomes null",
    }

    def __init__(
        self,
        warehouse: Warehouse,
        project: Project,
        compiled: Callable[[str], tuple[Warehouse, Model]],
    ) -> None:
        self.warehouse, self.project, self.compiled = warehouse, project, compiled
        self.told: dict[str, Any] = {}

    # -- what is meant -----------------------------------------------------------------------

    def scope_of(self, model: str | None) -> Scope:
        """The tables; what cannot be reached is refused."""
        warehouse, project = self.warehouse, self.project
        [node, *_] = chosen(warehouse, project, "mirror", model, "erase", may_be_all=False)
        self.node = node
        own = self.own_commit(node)
        if own is None:
            warehouse.refuse(f"erase: {node.name} has merged nothing yet")
        raw = own.summary[RAW_TABLE]
        if warehouse.sources.layers_of(raw) != warehouse.layers:
            warehouse.refuse(messages.raw_of_others(node.name, raw))
        consumers = [
            each
            for each in (*project.of_kind("mirror"), *project.of_kind("log"))
            if self.raw_of(each) == raw
        ]
        ids = {each.unique_id for each in consumers}
        dailies = [
            each
            for each in project.of_kind("daily")
            if ids & {*each.depends_on} and project.exists(each.relation)
        ]
        cuts = [each for each in project.of_kind("cut") if project.exists(each.relation)]
        cuts = [each for each in cuts if ids & {*each.depends_on}]
        found = Scope(node, raw, consumers, dailies, self.folders(dailies), cuts)
        self.refuse_unreachable(found)
        return found

    @property
    def ops(self) -> str:
        """The schema of what is kept of erasures."""
        return self.warehouse.layers.ops

    def own_commit(self, node: ProjectModel) -> Snapshot | None:
        if not self.project.exists(node.relation):
            return None
        table = Table.read(self.warehouse, node.relation)
        own = table.own_commit if table.head is not None else None
        refuse_newer(self.warehouse, own, node.relation, node.name)
        return own

    def raw_of(self, node: ProjectModel) -> str | None:
        own = self.own_commit(node)
        return own.summary.get(RAW_TABLE) if own else None

    def folders(self, dailies: Sequence[ProjectModel]) -> list[str]:
        """The folders that days are copied to: see lakemirror.hive."""
        ids, found = {each.unique_id for each in dailies}, set()
        for node in self.project.models:
            is_below = ids & {*node.depends_on} and self.project.exists(node.relation)
            if is_below and Table.read(self.warehouse, node.relation).names == HIVE:
                query = f"select distinct folder from {node.relation}"
                found |= {row[0].rpartition("/")[0] for row in self.warehouse.rows(query)}
        return sorted(found)

    def refuse_unreachable(self, scope: Scope) -> None:
        """What cannot be found in a table would stay there."""
        warehouse = self.warehouse
        if not {"key", "value"} <= {*Table.read(warehouse, scope.raw).names}:
            warehouse.refuse(
                f"erase: {scope.raw} has no keys and values: the records of Iceberg's sink are "
                "erased by hand, and the mirror is made anew from them. Nothing was changed"
            )
        for each in (*scope.consumers, *scope.dailies):
            table = Table.read(warehouse, each.relation)
            hold = Hold.of(table.properties)
            if hold is not None:
                warehouse.refuse(f"erase: {messages.held(each.name, hold.to)}")
            is_branch = each.kind == "daily" and table.names == ["branch", "snapshot_id", "ds"]
            if not is_branch:
                self.refuse_table(each, table)

    def refuse_table(self, node: ProjectModel, table: Table) -> None:
        """Refuse what has no column by which its rows would be found."""
        lacks = [name for name in self.key_of(self.node) if name not in table.names]
        if lacks:
            self.warehouse.refuse(
                f"erase: {node.relation} has no column {', '.join(lacks)}, by which its rows "
                "would be found. Nothing was changed"
            )

    def key_of(self, node: ProjectModel) -> list[str]:
        return settings_of(self.warehouse, node).key

    def seek(self, keys: Sequence[Any] | None, where: str | None) -> Sought:
        """The keys, and where raw has them."""
        warehouse, node = self.warehouse, self.scope.node
        names = self.key_of(node)
        columns = Table.read(warehouse, node.relation).columns
        kinds = {column["name"]: column["data_type"] for column in columns}
        if where:
            keys = self.keys_where(where, names)
            if erasures.KEYS in os.environ:  # the command asks: its proof looks for them
                os.environ[erasures.KEYS] = json.dumps({"where": where, "found": keys})
        if not keys:
            warehouse.refuse(messages.no_row_to_erase(node.name) if where else NEEDS_KEYS)
        given, found = [], []
        for values in keys:
            if not isinstance(values, Mapping) or {*values} != {*names}:
                warehouse.refuse(
                    f"erase: a key of {node.name} has the columns {', '.join(names)}, and no others"
                )
            texts = {name: str(values[name]) for name in names}
            try:
                row = warehouse.unlogged(warehouse.sql("key_text_sql", texts, kinds))[0]
            except Exception:
                wanted = ", ".join(f"{name} {kinds[name]}" for name in names)
                warehouse.refuse(f"erase: a value is none of its column: the key is {wanted}")
            given.append(texts)
            found.append(row[0])
        _, model = self.compiled(node.unique_id)

        def records_of(records: str) -> Sequence[Any]:
            """The places of the keys' records, with their Kafka keys."""
            changes = marks.pinned(model.sql, marks.raw_of_changes(model.sql), records)
            query = warehouse.sql("erased_places_sql", records, changes, given, kinds)
            return warehouse.unlogged(query)

        records = records_of(self.scope.raw)
        archives = {
            folder: records_of(f"(select * from parquet.`{folder}`)") for folder in self.archives
        }
        every = [row for rows in (records, *archives.values()) for row in rows]
        named = sorted({row[2] for row in every if row[2] is not None})
        places = {folder: by_partition(rows) for folder, rows in archives.items()}
        return Sought(given, kinds, found, by_partition(records), named, places)

    @cached_property
    def archives(self) -> list[str]:
        """The folders that raw has written records to before they went: see retention."""
        table = Table.read(self.warehouse, self.scope.raw)
        name = self.scope.raw.replace("`", "")
        told = json.loads(table.properties.get(ARCHIVES, "[]"))
        found = [archive_of(folder, name) for folder in told]
        return [folder for folder in found if self.warehouse.has_archive(folder)]

    def keys_where(self, where: str, names: Sequence[str]) -> list[dict[str, str]]:
        """The keys of the mirror's rows that a condition holds for."""
        listed = ", ".join(f"cast(`{name}` as string)" for name in names)
        query = f"select {listed} from {self.scope.node.relation} where {where}"
        try:
            rows = self.warehouse.unlogged(query)
        except Exception:
            self.warehouse.refuse(
                f"erase: the condition is none of {self.scope.node.relation}'s columns"
            )
        return [dict(zip(names, row, strict=True)) for row in rows]

    # -- what there is -----------------------------------------------------------------------

    @property
    def condition(self) -> str:
        """Of the rows of the keys, in tables that have the mirror's key columns."""
        return self.warehouse.sql("key_condition", self.sought.keys, self.sought.kinds)

    def table(self, relation: Any, condition: str | None = None) -> ErasedTable:
        return ErasedTable(self.warehouse, relation, condition or self.condition, self.id)

    def kept(self, kind: str) -> ErasedTable:
        """A table of ops, with what it keeps of the keys."""
        name, by = KEPT[kind]
        relation = f"{self.ops}.{name}"
        sought, names = self.sought, self.scope.names
        if by == "messages":
            told = sorted({*sought.texts, *sought.record_keys})
            return self.table(relation, self.warehouse.sql("message_condition", names, told))
        asked = (
            (names, sought.places, sought.record_keys)
            if by == "records"
            else (names, None, None, sought.texts)
        )
        return self.table(relation, self.warehouse.sql("kept_condition", *asked))

    def keyed(self) -> list[tuple[str, Any]]:
        """The tables that have the key's columns, by what they are."""
        found: list[tuple[str, Any]] = []
        for each in self.scope.dailies:
            names = Table.read(self.warehouse, each.relation).names
            found += [("daily", each.relation)] if names[0] != "branch" else []
        for each in self.scope.consumers:
            if each.kind == "mirror":
                found.append(("tombstone", tombstones_of(each.relation)))
            found.append((each.kind, each.relation))
        return [(k, r) for k, r in found if Table.read(self.warehouse, r).head is not None]

    def kinds_kept(self) -> list[str]:
        """The tables of ops that there are."""
        there = {*self.warehouse.tables(self.ops)}
        return [kind for kind, (name, _) in KEPT.items() if name in there]

    def places(self) -> list[Place]:
        """Every place, with a count for each."""
        raw = self.table(self.scope.raw, "false")
        found = [Place("raw", self.scope.raw, self.records(), done=self.done["raw"])]
        for folder in self.archives:
            rows = self.erase_archive(folder, dry_run=True)
            found.append(Place("archive", folder, rows, done=self.done["archive"]))
        found += self.places_behind(raw, counts=False)
        models = ", ".join(self.scope.names)
        for kind in self.kinds_kept():
            table = self.kept(kind)
            found.append(Place(kind, table.name, table.rows(), models, self.done_to(kind)))
        for kind, relation in self.keyed():
            table = self.table(relation)
            found.append(Place(kind, table.name, table.rows(), done=self.done_to(kind)))
            found += self.places_behind(table)
        for folder in self.scope.folders:
            rows = self.days_of(folder, dry_run=True)
            found.append(Place("hive", folder, rows, done="days are written again"))
        for each in self.scope.cuts:
            done = "deleted: the next run cuts anew"
            found.append(Place("cut", str(each.relation), len(self.cut_rows(each)), done=done))
        found += [
            Place("staged", name, 0, done="dropped: its run has died") for name in self.staged()
        ]
        return found

    def done_to(self, kind: str) -> str:
        return self.done.get(kind, "deleted")

    def records(self) -> int:
        """How many records of raw are meant."""
        return sum(len(offsets) for offsets in self.sought.places.values())

    def erase_archive(self, folder: str, dry_run: bool) -> int:
        """How many records of an archive are meant; without ``dry_run`` they are erased."""
        places = self.sought.archived.get(folder)
        if not places:
            return 0
        meant = self.warehouse.sql("at_places", places)
        return self.warehouse.erase_archive(
            folder, meant, lambda rows: f"select * from {rows} where not {meant}", dry_run
        )

    def days_of(self, folder: str, dry_run: bool) -> int:
        """How many rows of a folder of days are meant; without ``dry_run`` they are erased."""
        return self.warehouse.erase_days(folder, self.condition, dry_run)

    def places_behind(self, table: ErasedTable, counts: bool = True) -> list[Place]:
        """Branches, tags and older snapshots of a table."""
        found = []
        kept = table.branches()
        for branch in kept:
            done = "written again"
            found.append(Place("branch", table.name, table.rows(branch), branch, done))
        dropped = [*table.refs("TAG"), *(b for b in table.refs("BRANCH") if b not in kept)]
        for name in dropped:
            rows = table.rows(name) if counts else 0
            found.append(Place("tag", table.name, rows, name, "dropped"))
        number = len(Table.read(self.warehouse, table.relation).snapshots)
        return [*found, Place("snapshots", table.name, number, done="expired, but the newest")]

    def staged(self) -> list[str]:
        """What runs that died have staged of the tables."""
        stage = self.warehouse.layers.stage
        there = self.warehouse.tables(stage) if stage in self.warehouse.schemas() else ()
        names = [f"{e.relation.schema}__{e.relation.identifier}__" for e in self.scope.consumers]
        return sorted(f"{stage}.{name}" for name in there if any(of in name for of in names))

    def cut_rows(self, node: ProjectModel) -> list[str]:
        """The mirrors of a cut that are meant, as it names them."""
        names = {str(each.relation).replace("`", "") for each in self.scope.mirrors}
        rows = self.warehouse.rows(f"select mirror from {node.relation}")
        return [row[0] for row in rows if row[0].replace("`", "") in names]

    def tell(self, places: Sequence[Place], going_on: str | None, apply: bool) -> None:
        """Say what there is: for people, and for the command."""
        say, name = self.warehouse.say, self.scope.node.name
        for place in places:
            named = f" {place.name}" if place.name else ""
            say(f"{name}: {place.kind} {place.table}{named}: {place.rows}: {place.done}")
        found = {"places": [asdict(place) for place in places], "goes_on": going_on, **self.told}
        say(f"{erasures.TOLD}{json.dumps(found)}")
        if not apply:
            say(f"{name}: nothing was changed: --apply does it")

    def refuse_unread(self) -> None:
        """All that raw has must be merged: older snapshots of it go, and with them what is still to
        be read from there."""
        raw = Table.read(self.warehouse, self.scope.raw)
        for each in self.scope.consumers:
            own = self.own_commit(each)
            if own is not None and self.has_unread(raw, int(own.summary[window.BOOKMARK])):
                self.warehouse.refuse(
                    f"erase: {each.name} has not merged all of {self.scope.raw}: dbt run --select "
                    f"{each.name} first. Nothing was changed"
                )
        for each in self.scope.dailies:
            if self.has_late(raw, each):
                self.warehouse.refuse(
                    f"erase: days of {each.name} lack late changes: dbt run --select {each.name} "
                    "first. Nothing was changed"
                )

    def has_unread(self, raw: Table, bookmark: int) -> bool:
        if raw.head == bookmark:
            return False
        try:
            found = window.next_window(self.scope.raw, raw.snapshots, raw.head, bookmark)
        except window.WindowError as error:
            self.warehouse.refuse(f"erase: {error} Nothing was changed")
        return found is not None

    def has_late(self, raw: Table, daily: ProjectModel) -> bool:
        """Whether raw has changes of days that are published, which these lack."""
        own = self.own_commit(daily)
        days = sorted(written_days(self.warehouse, daily.relation))
        if own is None or not days:
            return False
        bookmark = int(own.summary[window.BOOKMARK])
        if raw.head == bookmark:
            return False
        try:
            found = window.next_window(self.scope.raw, raw.snapshots, raw.head, bookmark)
        except window.WindowError as error:
            self.warehouse.refuse(f"erase: {error} Nothing was changed")
        if found is None:
            return False
        records = self.warehouse.sources.records_sql(self.scope.raw, found.clause)
        query = self.warehouse.sql("late_events_sql", records, end_of_day(days[-1]))
        return any(int(row["events"]) for row in self.warehouse.rows(query))
