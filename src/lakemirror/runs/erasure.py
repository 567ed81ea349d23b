"""The erasure of rows: what every table that stems from their source table has of them.

It is written first as begun, with the hashes of the keys: from then on no reader of changes sees a
record of theirs. Each step may come twice; the same call goes on with an erasure that has died.
"""

import json
import os
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from lakemirror.runs.batch import carried_on, told_foreign, tombstones_of
from lakemirror.runs.erased_tables import ErasedTable
from lakemirror.runs.erasure_plan import ErasurePlan
from lakemirror.runs.project import ProjectModel, settings_of
from lakemirror.runs.warehouse import Table, make_schema, make_table
from lakemirror.state import erasures, window
from lakemirror.state.erasures import BEGUN, ERASED_KEYS, ERASED_STATE, ERASURES, Place
from lakemirror.state.ops_tables import NOW
from lakemirror.state.rollback import TOMBSTONES
from lakemirror.state.window import PREFIX, Snapshot


class ErasureRun(ErasurePlan):
    """Erase rows of a mirror's source table."""

    kind = "key"
    asked_by: str | None = None
    reason: str | None = None

    def erase(
        self,
        model: str | None = None,
        keys: Sequence[Any] | None = None,
        where: str | None = None,
        by: str | None = None,
        reason: str | None = None,
        apply: bool = False,
    ) -> None:
        """Erase the rows of keys, or of a condition, or say where they are."""
        handed = json.loads(os.environ.get(erasures.KEYS) or "{}")
        keys, where = handed.get("keys", keys), handed.get("where", where)
        self.kind, self.asked_by, self.reason = "where" if where else "key", by, reason
        self.scope = self.scope_of(model)
        self.sought = self.seek(keys, where)
        self.carry_out(apply)

    def carry_out(self, apply: bool) -> None:
        """Say where it all is, and erase it."""
        self.refuse_unread()
        fingerprint = self.fingerprint()
        begun = self.begun(fingerprint)
        places = self.places()
        self.tell(places, begun[0] if begun else None, apply)
        if not apply:
            return
        row = begun or self.begin(places)
        self.id = row[0]
        self.act()
        known = [Place(**each) for each in json.loads(row[1])]
        self.note(ERASED_STATE, known)
        self.warehouse.say(f"{erasures.TOLD}{json.dumps({'erasure_id': self.id})}")
        self.warehouse.say(f"{self.scope.node.name}: the erasure {self.id} is done")

    # -- what is kept of it ------------------------------------------------------------------

    def make_tables(self) -> None:
        make_schema(self.warehouse, self.ops)
        for table in erasures.TABLES:
            statement = self.warehouse.sql("create_table_sql", *table.create_arguments(self.ops))
            make_table(self.warehouse, self.ops, table.name, statement)

    def salt(self) -> str | None:
        """That of the raw table's erasures; None before the first."""
        erased = f"{self.ops}.{ERASED_KEYS.name} where raw_table = '{self.raw_name}'"
        return self.warehouse.rows(f"select max(salt) from {erased}")[0][0]

    @property
    def raw_name(self) -> str:
        return self.scope.raw.replace("`", "")

    def fingerprint(self) -> str:
        """Of the keys, by the salt of the raw table: the same call goes on with what has begun."""
        there = {*self.warehouse.tables(self.ops)}
        if ERASURES.name not in there:
            return ""
        return hashed(self.salt() or "", json.dumps(sorted(self.sought.texts)))

    def begun(self, fingerprint: str) -> tuple[str, str] | None:
        """The erasure of these keys that has not ended, with its places."""
        if not fingerprint:
            return None
        rows = self.warehouse.rows(
            "select erasure_id, max(places), max_by(state, noted_at) "
            f"from {self.ops}.{ERASURES.name} where fingerprint = '{fingerprint}' "
            "group by erasure_id"
        )
        return next(((row[0], row[1]) for row in rows if row[2] == BEGUN), None)

    def begin(self, places: Sequence[Place]) -> tuple[str, str]:
        """Say that it has begun; what is kept out first: from now on nothing of it is read."""
        self.make_tables()
        self.id = secrets.token_hex(4)
        self.remember()
        self.note(BEGUN, places)
        return self.id, json.dumps([asdict(place) for place in places])

    def remember(self) -> None:
        """Keep what the records of these keys are recognised by."""
        salt = self.salt() or secrets.token_hex(16)
        named = self.sought.record_keys if self.is_kept_out else ()
        rows = [
            {"raw_table": self.raw_name, "salt": salt, "key_hash": hashed(salt, key)}
            for key in ("", *named)  # the first keeps the salt
        ]
        given = [row | {"erasure_id": self.id} for row in rows]
        self.warehouse.run(ERASED_KEYS.insert_sql(self.ops, given))

    @property
    def is_kept_out(self) -> bool:
        """Whether what comes again is kept out."""
        return bool(settings_of(self.warehouse, self.scope.node).erased == "keep out")

    def note(self, state: str, places: Sequence[Place]) -> None:
        row = {
            "erasure_id": self.id,
            "model": self.scope.node.name,
            "raw_table": self.raw_name,
            "kind": self.kind,
            "keys": len(self.sought.keys),
            "state": state,
            "asked_by": self.asked_by,
            "reason": self.reason,
            "fingerprint": self.fingerprint(),
            "places": json.dumps([asdict(place) for place in places]),
            "noted_at": NOW,
        }
        self.warehouse.run(ERASURES.insert_sql(self.ops, [row]))

    # -- the act -----------------------------------------------------------------------------

    def act(self) -> None:
        """Rows first, then files; raw last of these, since its tables go on from its end."""
        warehouse = self.warehouse
        for name in self.staged():
            warehouse.run(f"drop table if exists {name} purge")
        for kind in self.kinds_kept():
            self.erase_kept(kind)
        raw = self.table(self.scope.raw, "false")
        self.erase_records(raw)
        for folder in self.archives:
            self.erase_archive(folder, dry_run=False)
        for each in self.scope.cuts:
            listed = ", ".join(f"'{name}'" for name in self.cut_rows(each))
            if listed:
                warehouse.run(f"delete from {each.relation} where mirror in ({listed})")
        for folder in self.scope.folders:
            self.days_of(folder, dry_run=False)
        tables = self.keyed()
        for _, relation in tables:
            self.table(relation).erase()
        for _, relation in tables:
            self.erase_branches(self.table(relation))
        raw.compact()
        for _, relation in tables:
            self.table(relation).compact()
        self.refuse_unread()
        self.move_on(raw)
        for kind in self.kinds_kept():
            table = self.kept(kind)
            if Table.read(warehouse, table.relation).head is not None:
                table.compact()
                table.drop_refs()
                table.end({})
                table.expire()

    def erase_kept(self, kind: str) -> None:
        """What a table of ops keeps of the keys."""
        table = self.kept(kind)
        if kind == "run":
            table.forget(["message"])
        else:
            table.delete()

    def erase_records(self, raw: ErasedTable) -> None:
        if self.sought.places:
            with raw.carrying():
                self.warehouse.unlogged(
                    self.warehouse.sql("erase_records_sql", self.scope.raw, self.sought.places)
                )

    def erase_branches(self, table: ErasedTable) -> None:
        """Write days that are branches again, and let their daily table name what they are now."""
        table.drop_refs()
        for branch in table.branches():
            snapshot = table.rewrite_branch(branch)
            for each in self.scope.dailies:
                if Table.read(self.warehouse, each.relation).names[0] == "branch":
                    self.warehouse.run(
                        f"update {each.relation} set snapshot_id = {snapshot} "
                        f"where branch = '{branch}'"
                    )

    def move_on(self, raw: ErasedTable) -> None:
        """Let each table go on from raw's end, in a commit of its own, and let what came before
        expire."""
        warehouse = self.warehouse
        raw.drop_refs()
        there = Table.read(warehouse, raw.relation)
        bookmark = raw.end(window.landed(window.lineage(there.snapshots, there.head)))
        for each in self.scope.consumers:
            own = self.own_commit(each)
            assert own is not None
            if self.has_unread(self.raw_now(), int(own.summary[window.BOOKMARK])):
                self.refuse_meanwhile(each)
            more: dict[str, Any] = {}
            if each.kind == "mirror":
                more = {TOMBSTONES.removeprefix(PREFIX): self.end_tombstones(each)}
            tag = f"lakemirror_{each.relation.schema}_{each.relation.identifier}"
            warehouse.retry(warehouse.sql("tag_sql", raw.relation, tag, bookmark))
            more |= told_foreign(Table.read(warehouse, each.relation))
            self.end_table(each.relation, {**self.carried(own, bookmark), **more})
        for each in self.scope.dailies:
            if self.has_late(self.raw_now(), each):
                self.refuse_meanwhile(each)
            own, properties = self.own_commit(each), dict[str, Any]()
            if own:
                known = own.summary.get(PREFIX + "known-from")
                foreign = told_foreign(Table.read(warehouse, each.relation))
                properties = {"raw-snapshot-id": bookmark, "known-from": known, **foreign}
            self.end_table(each.relation, properties)
        raw.expire()

    def raw_now(self) -> Table:
        return Table.read(self.warehouse, self.scope.raw)

    def refuse_meanwhile(self, each: ProjectModel) -> None:
        """What has landed since the erasure began is behind no bookmark yet."""
        self.warehouse.refuse(
            f"erase: {self.scope.raw} has got records meanwhile: dbt run --select {each.name}, and "
            "then the same call goes on"
        )

    def end_table(self, relation: Any, properties: Mapping[str, Any]) -> None:
        table = self.table(relation)
        table.drop_refs()
        table.end(properties)
        table.expire()

    def end_tombstones(self, mirror: ProjectModel) -> int | None:
        """The tombstones' horizon goes on with them; their snapshot."""
        warehouse, relation = self.warehouse, tombstones_of(mirror.relation)
        there = Table.read(warehouse, relation)
        if there.head is None:
            return None
        pruned_until = there.memory().pruned_until
        table = self.table(relation)
        table.drop_refs()
        head = table.end({"pruned-until": pruned_until})
        if pruned_until:
            warehouse.retry(warehouse.sql("tag_sql", relation, "lakemirror_pruned", head))
        table.expire()
        return head

    def carried(self, own: Snapshot, bookmark: int) -> dict[str, Any]:
        """All that a table knows beside its rows goes on; no event was read."""
        known = carried_on(own, "erasure", self.project.invocation_id)
        return {**known, "raw-snapshot-id": bookmark}


def hashed(salt: str, text: str) -> str:
    """As the macro erased_hash has it.

    >>> hashed("s", '{"id":7}')[:8]
    '01c8e23f'
    """
    return sha256(f"{salt}{text}".encode()).hexdigest()
