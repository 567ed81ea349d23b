"""An audit of a mirror: what it has is compared with what raw tells, by another way than a merge.

The newest change of each key is found by max_by over the decoded log up to the mirror's bookmark.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any

from lakemirror.runs import evolve, marks, messages
from lakemirror.runs.batch import TOLD, refuse_newer, tombstones_of
from lakemirror.runs.lake import complete
from lakemirror.runs.mirror_plan import soft_columns, unsent_columns
from lakemirror.runs.model import Model
from lakemirror.runs.project import Project, ProjectModel, chosen
from lakemirror.runs.settings import MirrorSettings
from lakemirror.runs.warehouse import (
    Column,
    Table,
    Warehouse,
    make_schema,
    make_table,
    names_of,
    share,
)
from lakemirror.source import evolution
from lakemirror.source.evolution import Evolution
from lakemirror.state import order, window
from lakemirror.state.audits import BRANCH, Coverage, next_part
from lakemirror.state.ops_tables import AUDIT_FINDINGS, AUDITS, NOW, QUARANTINE
from lakemirror.state.window import Snapshot

ORDER = ("_tx_log", "_tx_epoch", "_tx_rank", "_tx_order")
PLACED = ("_op", *ORDER, "_src_ts", "_kfk_partition", "_kfk_offset")
KEPT = 10_000  # findings of one audit


@dataclass(frozen=True)
class Asked:
    """What an audit is to do.

    Attributes:
        id: names it in ops.audits.
        is_full: whether all keys are compared, and not the next part.
        landing: the table of what has landed; None where there is none.
        only: the keys that are compared; see Audit.
        head: the snapshot that is compared, that nobody reads yet; None for the table's newest.
        relation: the table that has it; None for the mirror itself.
    """

    id: str
    is_full: bool
    landing: Any = None
    only: str = ""
    head: int | None = None
    relation: Any = None


@dataclass(frozen=True)
class Audit:
    """What the macros of an audit are told.

    Attributes:
        reader: the model whose records of the quarantine count.
        mirror: its rows, as of one snapshot.
        tombstones: the deletes that it remembers, likewise.
        kinds: the types of the columns that are folded, by name.
        types: those of all that are compared, which soft deletes add to.
        filled: the columns that have the newest value that was sent.
        part: which of so many ``parts`` of the keys.
        floor: the newest TRUNCATE.
        overlaps: pairs of logs, each in both orders, that hold the same keys; empty of one log.
        removals: the orders of the snapshots after which a resync has removed rows.
        lacks: whether raw may lack records.
        is_cut: whether the mirror's history is cut, and with it what resyncs have removed.
        pruned_until: the time before which deletes may be forgotten.
        only: the keys that are compared, as findings have them: literals, or a query; empty of all.
        tolerances: none; a comparison of two relations has some.
    """

    id: str
    model: str
    reader: str
    mirror: str
    tombstones: str
    key: Sequence[str]
    kinds: Mapping[str, str]
    types: Mapping[str, str]
    filled: Sequence[str]
    deletes: str
    part: int
    parts: int
    floor: Mapping[str, Any] | None = None
    overlaps: Sequence[tuple[str | None, str | None]] = ()
    removals: Sequence[Mapping[str, Any]] = ()
    lacks: bool = False
    is_cut: bool = False
    pruned_until: str | None = None
    only: str = ""
    tolerances: Mapping[str, str] = field(default_factory=dict)

    @property
    def compared(self) -> list[str]:
        """The columns that are compared."""
        return [name for name in self.types if name not in self.key]

    @property
    def shown(self) -> list[str]:
        """The columns of a row that is shown whole."""
        return [name for name in self.kinds if not name.startswith("_kfk_")]

    @property
    def removed(self) -> list[str]:
        """The columns that a resync's deletes have."""
        return [*self.key, *(name for name in PLACED if name != "_op")]


@dataclass(frozen=True)
class Verdict:
    """What an audit has found: a row of ops.audits.

    Attributes:
        keys: how many were compared; None where nothing could be judged.
        notes: what could not be judged, and why.
    """

    part: int
    parts: int
    keys: int | None = None
    findings: int = 0
    unjudged: int = 0
    notes: list[str] = field(default_factory=list)


class AuditRun:
    """Compare a mirror, as it is, with the log up to its bookmark.

    Attributes:
        audit: what was compared; None where nothing could be judged.
    """

    audit: Audit | None = None

    def __init__(
        self, warehouse: Warehouse, model: Model, settings: MirrorSettings, asked: Asked
    ) -> None:
        self.warehouse, self.model, self.settings, self.asked = warehouse, model, settings, asked
        self.relation = asked.relation or model.target

    def apply(self, known: Sequence[Coverage]) -> Verdict:
        """Audit, and keep that in ops.audits.

        Args:
            known: the audits of the model so far.
        """
        started = time.monotonic()
        parts = 1 if self.asked.is_full else self.settings.audit_parts
        verdict = self.judge(Verdict(next_part(known, parts), parts))
        is_part = not self.asked.only
        row = {
            "audit_id": self.asked.id,
            "model": self.model.name,
            "audited_at": NOW,
            "bookmark": int(self.commit.summary[window.BOOKMARK]) if self.commit else None,
            "snapshot": self.table.head if self.table else None,
            "part": verdict.part if is_part else None,
            "parts": verdict.parts if is_part else None,
            "keys": verdict.keys,
            "findings": verdict.findings,
            "unjudged": verdict.unjudged,
            "notes": "; ".join(verdict.notes) or None,
            "seconds": round(time.monotonic() - started, 3),
            "against": None if self.asked.head is None else BRANCH,
        }
        self.warehouse.run(AUDITS.insert_sql(self.warehouse.layers.ops, [row]))
        return verdict

    def judge(self, verdict: Verdict) -> Verdict:
        """Compare a part of the keys; what cannot be, is said."""
        problem = self.problem()
        if problem:
            return replace(verdict, notes=[problem])
        audit, notes = self.prepare(verdict)
        self.audit = audit
        share(self.warehouse, self.log.bytes // verdict.parts)
        sql, changes = self.warehouse.sql, self.changes
        [counts] = self.warehouse.rows(sql("audit_counts_sql", changes, audit))
        verdict = replace(
            verdict,
            keys=int(counts["keys"]),
            findings=int(counts["findings"]),
            unjudged=int(counts["unjudged"]),
            notes=notes,
        )
        if verdict.findings:
            self.warehouse.run(sql("audit_findings_sql", changes, audit, KEPT))
        if verdict.unjudged:
            verdict.notes.append(messages.keys_unjudged(verdict.unjudged))
        return verdict

    # -- what there is -----------------------------------------------------------------------

    @cached_property
    def table(self) -> Table | None:
        """The mirror, as it was when it was read."""
        head = self.asked.head
        if self.model.existing is None and head is None:
            return None
        table = Table.read(self.warehouse, self.relation)
        return table if head is None else table.at(head)

    @cached_property
    def history(self) -> Sequence[Snapshot]:
        """The mirror's snapshots; a table that is to replace it has them then."""
        assert self.table is not None
        if self.asked.relation is None:
            return self.table.snapshots
        return Table.read(self.warehouse, self.model.target).snapshots

    @cached_property
    def commit(self) -> Snapshot | None:
        """The newest own commit, whose bookmark counts."""
        return self.table.own_commit if self.table and self.table.head else None

    @cached_property
    def raw(self) -> str:
        try:
            return marks.raw_of_changes(self.model.sql)
        except marks.MarkError as error:
            self.warehouse.refuse(f"{self.model.name} {error}")

    @cached_property
    def log(self) -> Table:
        """The raw table, as it was when it was first asked for."""
        return Table.read(self.warehouse, self.raw)

    @cached_property
    def query(self) -> str:
        """The decoded log up to the bookmark."""
        assert self.commit is not None
        clause = f"version as of {self.commit.summary[window.BOOKMARK]}"
        records = self.warehouse.sources.records_sql(self.raw, clause)
        return marks.pinned(self.model.sql, self.raw, records)

    @cached_property
    def columns(self) -> list[Column]:
        """Those that the mirror keeps of the query."""
        found = self.warehouse.columns_of(self.query)
        return [column for column in found if column["name"] not in TOLD]

    @cached_property
    def plan(self) -> Evolution:
        """What the mirror lacks for its query, and how its values fit."""
        assert self.table is not None
        rules = evolve.rules_of(
            self.warehouse,
            self.raw,
            key=self.settings.key,
            on_drop=self.settings.on_drop,
            on_type_conflict=self.settings.on_type_conflict,
        )
        own = soft_columns(self.settings.deletes)
        return evolution.plan(self.table.columns, self.columns, own, rules)

    @property
    def changes(self) -> str:
        """The decoded log in the mirror's columns."""
        return self.warehouse.sql("fitted_sql", self.query, self.plan)

    # -- what can be judged ------------------------------------------------------------------

    def problem(self) -> str | None:
        """Why nothing of the mirror can be judged; None where it can."""
        if self.table is None or self.commit is None:
            return messages.nothing_merged(self.model.name)
        refuse_newer(self.warehouse, self.commit, self.model.target, self.model.name)
        bookmark = int(self.commit.summary[window.BOOKMARK])
        if bookmark not in {each.id for each in self.log.snapshots}:
            return messages.bookmark_expired(self.raw, bookmark)
        known = json.loads(self.commit.summary.get("lakemirror.key", "null"))
        is_other_key = known is not None and sorted(known) != sorted(self.settings.key)
        if self.plan.problems or self.plan.statements or is_other_key:
            return messages.behind_its_model(self.model.name)
        return None

    def unsettled(self) -> set[str]:
        """The mirror's columns whose rows the next run is to give other values."""
        assert self.table is not None
        warehouse, places = self.warehouse, self.plan.places
        returned = evolve.returned_columns(warehouse, self.raw)
        late = evolve.late_columns(warehouse, self.raw)
        defaults = evolve.default_values(warehouse, self.raw, [], self.model.name)
        names = [c["name"] for c in evolve.unrenewed([*returned, *late], self.commit)]
        columns = self.table.columns
        fills = evolve.fills_since(warehouse, self.relation, self.commit, columns, defaults)
        found = {places[name] for name in names if name in places}
        return found | {column["name"] for column in fills}

    def prepare(self, verdict: Verdict) -> tuple[Audit, list[str]]:
        """What the comparison is told, and what it cannot judge."""
        assert self.table is not None
        assert self.commit is not None
        settings, notes = self.settings, []
        unsettled = self.unsettled()
        if unsettled:
            notes.append(messages.columns_unjudged(sorted(unsettled)))
        lacks = self.raw_lacks_records()
        if lacks:
            notes.append(messages.raw_lacks_records(self.raw))
        memory = Table.read(self.warehouse, tombstones_of(self.model.target)).memory()
        facts = self.warehouse.rows(self.warehouse.sql("log_facts_sql", self.query))
        kinds = self.kinds(unsettled)
        soft = {column["name"]: column["data_type"] for column in soft_columns(settings.deletes)}
        audit = Audit(
            id=self.asked.id,
            model=self.model.name,
            reader=self.model.name,
            mirror=f"{self.relation} version as of {self.table.head}",
            tombstones=memory.deletes,
            key=settings.key,
            kinds=kinds,
            types=kinds | soft,
            filled=unsent_columns([*kinds, *self.unsent], settings.key),
            deletes=settings.deletes,
            part=verdict.part,
            parts=verdict.parts,
            floor=newest_truncate(self.commit, [row["truncated"] for row in facts]),
            overlaps=overlaps([row["_tx_log"] for row in facts]),
            removals=removals(self.history),
            lacks=lacks,
            is_cut=is_cut(self.history),
            pruned_until=memory.pruned_until,
            only=self.asked.only,
        )
        return audit, notes

    @property
    def unsent(self) -> list[str]:
        """``_unsent``, where the query has it."""
        return [name for name in names_of(self.columns) if name == "_unsent"]

    def kinds(self, unsettled: set[str]) -> dict[str, str]:
        """The columns that the query gives the mirror, with the mirror's types."""
        assert self.table is not None
        there = {column["name"]: column["data_type"] for column in self.table.columns}
        names = [n for n in self.plan.places.values() if n not in {*unsettled, "_unsent"}]
        return {name: there[name] for name in names}

    def raw_lacks_records(self) -> bool:
        """Whether raw does not have all that has landed."""
        if window.RETAINED in self.log.properties:
            return True
        landing = self.warehouse.sources.landing_of(self.raw, self.asked.landing)
        if landing is None:
            return False
        records = self.warehouse.sources.records_sql(self.raw)
        name = self.raw.replace("`", "").split(".")[1]
        query = self.warehouse.sql("lacking_sql", landing, name, records)
        return bool(self.warehouse.rows(query))


def newest_truncate(commit: Snapshot | None, found: Sequence[str | None]) -> dict[str, Any] | None:
    """The newest TRUNCATE of raw, or the one that the mirror knows where raw has it no more.

    Args:
        commit: the one that knows it; None without.
        found: the newest of each log, as JSON.
    """
    known = order.kept(commit.summary, order.FLOOR, None) if commit else None
    places = [json.loads(text) for text in found if text] + ([known] if known else [])
    return max(places, key=lambda place: [int(place[n]) for n in order.ORDER], default=None)


def overlaps(logs: Sequence[str | None]) -> list[tuple[str | None, str | None]]:
    """The pairs of logs whose orders compare; none where there is only one log.

    >>> overlaps(["-80", "80-"]), overlaps(["7"])
    ([('-80', '-80'), ('80-', '80-')], [])
    """
    if len(logs) < 2:
        return []
    others = [pair for pair in permutations(logs, 2) if order.same_lineage(*pair)]
    return [*((log, log) for log in logs), *others]


def removals(snapshots: Sequence[Snapshot]) -> list[dict[str, Any]]:
    """The orders of the snapshots after which a resync has removed rows, each once."""
    found = {
        commit.summary[window.RESYNC] for commit in snapshots if window.RESYNC in commit.summary
    }
    return [json.loads(text) for text in sorted(found)]


def is_cut(snapshots: Sequence[Snapshot]) -> bool:
    """Whether the oldest commits of a table have expired."""
    ids = {snapshot.id for snapshot in snapshots}
    return any(each.parent is not None and each.parent not in ids for each in snapshots)


def make_tables(warehouse: Warehouse) -> None:
    """Make the tables of audits that are not there."""
    ops = warehouse.layers.ops
    if ops not in warehouse.schemas():
        make_schema(warehouse, ops)
    there = warehouse.tables(ops)
    for table in (AUDITS, AUDIT_FINDINGS, QUARANTINE):
        if table.name not in there:
            statement = warehouse.sql("create_table_sql", *table.create_arguments(ops))
            make_table(warehouse, ops, table.name, statement)
        elif table is AUDITS:
            complete(warehouse, table)


def asked(warehouse: Warehouse, project: Project, names: Sequence[str]) -> list[ProjectModel]:
    """The mirrors that are meant: those that are named, or all."""
    found = [chosen(warehouse, project, "mirror", name, "audit")[0] for name in names]
    return found or project.of_kind("mirror")


def coverage(warehouse: Warehouse, model: str) -> list[Coverage]:
    """The audits of a mirror so far; of one that could judge nothing, none."""
    rows = warehouse.rows(
        "select part, parts, cast(max(audited_at) as string) as audited_at "
        f"from {warehouse.layers.ops}.{AUDITS.name} "
        f"where model = '{model}' and keys is not null and parts is not null and against is null "
        "group by part, parts"
    )
    return [Coverage(row["part"], row["parts"], row["audited_at"]) for row in rows]


def models_found(warehouse: Warehouse, audit_id: str) -> list[str]:
    """The mirrors that an audit has found to differ."""
    name, layers = warehouse.sql("lakemirror_string", audit_id), warehouse.layers
    rows = warehouse.rows(
        f"select distinct model from {layers.ops}.{AUDIT_FINDINGS.name} where audit_id = {name} "
        f"and not startswith(model, '{layers.raw}.') order by model"
    )
    return [row[0] for row in rows]
