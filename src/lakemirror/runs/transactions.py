"""Whether all has landed that the connector has counted: the END of a transaction says how many
changes each table had.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lakemirror.landing.topics import SIDE_TABLES, TRANSACTION
from lakemirror.runs import messages
from lakemirror.runs.warehouse import Table, Warehouse
from lakemirror.state.audits import TRANSACTIONS
from lakemirror.state.ops_tables import AUDITS, NOW

SUFFIX = f"__{SIDE_TABLES[TRANSACTION]}"
FIRST = 24 * 3600 * 1_000_000  # microseconds of landings that a first audit reads, unless all
KEPT = 10_000  # findings of one audit


@dataclass(frozen=True)
class Verdict:
    """What was found of one connector's transactions.

    Attributes:
        ended: how many pairs of a transaction and a table were compared.
        findings: of how many of them changes are lacking.
        unjudged: those of tables of which raw has not kept all that has landed.
        notes: why.
    """

    ended: int
    findings: int = 0
    unjudged: int = 0
    notes: Sequence[str] = ()


class TransactionsAudit:
    """Compare the transactions of a connector that have ended with the changes in raw.

    Args:
        table: ``<source>__connector_transaction`` in raw.
        landing: the relation of what has landed.
    """

    def __init__(self, warehouse: Warehouse, table: str, landing: Any) -> None:
        self.warehouse, self.landing = warehouse, landing
        self.raw = warehouse.layers.raw
        self.name, self.model = table, f"{self.raw}.{table}"
        self.relation = self.relation_of(table)

    def apply(self, audit_id: str, is_full: bool) -> Verdict:
        """Judge what has landed since the last audit, and keep that in ops.audits."""
        started = time.monotonic()
        head = Table.read(self.warehouse, self.relation).head
        newest = self.newest(head)
        since = None if is_full else self.since(newest)
        verdict = self.judge(audit_id, head, since)
        row = {
            "audit_id": audit_id,
            "model": self.model,
            "audited_at": NOW,
            "bookmark": newest,
            "snapshot": head,
            "part": 0 if is_full else None,
            "parts": 1 if is_full else None,
            "keys": verdict.ended,
            "findings": verdict.findings,
            "unjudged": verdict.unjudged,
            "notes": "; ".join(verdict.notes) or None,
            "seconds": round(time.monotonic() - started, 3),
            "against": TRANSACTIONS,
        }
        self.warehouse.run(AUDITS.insert_sql(self.warehouse.layers.ops, [row]))
        return verdict

    def relation_of(self, table: str) -> str:
        return f"{self.raw}.{self.warehouse.sql('quoted', table)}"

    def newest(self, head: int | None) -> int | None:
        """When the newest landing of the table began (microseconds since 1970)."""
        if head is None:
            return None
        query = f"select unix_micros(max(_landed_at)) from {self.relation} version as of {head}"
        found = self.warehouse.rows(query)[0][0]
        return None if found is None else int(found)

    def since(self, newest: int | None) -> int | None:
        """From which landing on transactions are judged: that which the last audit saw last. What
        it could not judge was of that one, since a landing proves all that is older than itself."""
        name = self.warehouse.sql("lakemirror_string", self.model)
        audits = f"{self.warehouse.layers.ops}.{AUDITS.name}"
        query = f"select max(bookmark) from {audits} where model = {name}"
        known = self.warehouse.rows(query)[0][0]
        if known is not None:
            return int(known)
        return None if newest is None else newest - FIRST

    def judge(self, audit_id: str, head: int | None, since: int | None) -> Verdict:
        if head is None:
            return Verdict(0)
        sql, relation = self.warehouse.sql, f"{self.relation} version as of {head}"
        ended = sql("ended_transactions_sql", relation, self.landing, since)
        topics = self.warehouse.rows(
            "select topic, count(*) as ended, unix_micros(min(ended_at)) as first, "
            f"unix_micros(max(ended_at)) as last from ({ended}) group by topic"
        )
        tables = self.tables([row["topic"] for row in topics])
        known = [row for row in topics if row["topic"] in tables]
        if not known:
            return Verdict(0)
        lacking = sql(
            "lacking_transactions_sql",
            ended,
            [self.relation_of(name) for name in sorted({*tables.values()})],
            min((int(row["first"]) for row in known if row["first"] is not None), default=None),
            max((int(row["last"]) for row in known if row["last"] is not None), default=None),
        )
        judged = sql("texts", sorted(tables))
        found = self.warehouse.rows(
            f"select topic, count(*) as number from ({lacking}) where topic in ({judged}) "
            "group by topic"
        )
        count = sum(int(row["ended"]) for row in known)
        gone = {row["topic"] for row in found if self.is_gone(tables[row["topic"]])}
        lost = [row for row in found if row["topic"] not in gone]
        if lost:
            named = sql("texts", sorted(row["topic"] for row in lost))
            query = f"select * from ({lacking}) where topic in ({named})"
            self.warehouse.run(sql("transaction_findings_sql", query, audit_id, self.model, KEPT))
        return Verdict(
            count,
            sum(int(row["number"]) for row in lost),
            sum(int(row["number"]) for row in found if row["topic"] in gone),
            [messages.raw_lacks_records(f"{self.raw}.{tables[topic]}") for topic in sorted(gone)],
        )

    def tables(self, topics: Sequence[str]) -> dict[str, str]:
        """The raw tables of those topics that land, by topic."""
        rows = self.warehouse.rows(f"select distinct topic, raw_table from {self.landing}")
        landed = {row["topic"]: row["raw_table"] for row in rows}
        return {topic: landed[topic] for topic in topics if landed.get(topic)}

    def is_gone(self, table: str) -> bool:
        """Whether raw does not have all that has landed: it has expired, or was erased."""
        sql, relation = self.warehouse.sql, self.relation_of(table)
        erased = f"select 1 from {relation} where key is null and value is null limit 1"
        lacking = sql("lacking_sql", self.landing, table, relation)
        return bool(self.warehouse.rows(erased) or self.warehouse.rows(lacking))


def transaction_tables(warehouse: Warehouse) -> list[str]:
    """The raw tables of transactions."""
    raw = warehouse.layers.raw
    if raw not in warehouse.schemas():
        return []
    return sorted(name for name in warehouse.tables(raw) if name.endswith(SUFFIX))
