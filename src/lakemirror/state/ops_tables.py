"""The tables of the schema ops: what runs keep of themselves."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

RAN = ("success", "warn", "no-op")  # what dbt says of a model that has not failed
# the counts that a commit always has, and a row of ops.runs
COUNTED = ("read", "applied", "stale", "duplicate", "ignored", "quarantined")
TRIMMED = {  # as maintenance leaves them: each run adds a row or two
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "3",
}
NOW = "current_timestamp()"  # as the value of a time: when the statement runs


@dataclass(frozen=True)
class OpsTable:
    """A table of ops.

    Attributes:
        columns: the type of each column by its name, in the order in which runs write them.
        comment: what a row is.
        properties: its properties of Iceberg.
    """

    name: str
    columns: Mapping[str, str]
    comment: str
    properties: Mapping[str, str] = field(default_factory=dict)

    def create_arguments(self, ops: str) -> tuple[object, ...]:
        """What create_table_sql makes it of, in a schema ops."""
        columns = [{"name": name, "data_type": kind} for name, kind in self.columns.items()]
        return f"{ops}.{self.name}", columns, [], {**TRIMMED, **self.properties}, self.comment

    def insert_sql(self, ops: str, rows: Iterable[Mapping[str, Any]]) -> str:
        """The statement that adds rows, in a schema ops. It names the columns: in a table of an
        older lake, one that came later is the last."""
        values = ", ".join(values_of(self.columns, row) for row in rows)
        return f"insert into {ops}.{self.name} ({', '.join(self.columns)}) values {values}"


def values_of(columns: Mapping[str, str], row: Mapping[str, Any]) -> str:
    """A row of a statement's VALUES: the value of each column, null where the row has none.

    Args:
        columns: the type of each column by its name.

    Raises:
        KeyError: the row has a value of a column that there is not.

    >>> columns = {"model": "string", "ds": "date", "events": "bigint", "found_at": "timestamp"}
    >>> values_of(columns, {"model": "it's", "events": 3, "found_at": NOW})
    "('it\\\\'s', null, 3, current_timestamp())"
    """
    unknown = {*row} - {*columns}
    if unknown:
        raise KeyError(f"no column {', '.join(sorted(unknown))}")
    return f"({', '.join(literal(kind, row.get(name)) for name, kind in columns.items())})"


def literal(kind: str, value: Any) -> str:
    """A value of a type of Spark's as its SQL has it."""
    if value is None:
        return "null"
    if value == NOW and kind == "timestamp":
        return NOW
    if kind not in ("string", "date", "timestamp"):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'" if kind == "string" else f"{kind} '{text}'"


MERGED = {"write.merge.mode": "merge-on-read"}
TAKEN_IN, LEFT_OUT = "taken in", "left out"  # what a record of ops.quarantine is settled as
QUARANTINE = OpsTable(
    "quarantine",
    {
        "quarantine_id": "string",
        "model": "string",
        "reason": "string",
        "_kfk_topic": "string",
        "_kfk_partition": "int",
        "_kfk_offset": "bigint",
        "key": "string",
        "value": "string",
        "quarantined_at": "timestamp",
        "judged_by": "string",
        "settled_at": "timestamp",
        "settled_as": "string",
        "settled_reason": "string",
    },
    "Input that could not be used, and why; open until it is taken in, or left out by hand.",
    MERGED,
)
ORDER_CONFLICTS = OpsTable(
    "order_conflicts",
    {
        "conflict_id": "string",
        "model": "string",
        "unique_key": "string",
        "_tx_log": "string",
        "_tx_epoch": "bigint",
        "_tx_rank": "bigint",
        "_tx_order": "bigint",
        "_kfk_partition": "int",
        "_kfk_offset": "bigint",
        "found_at": "timestamp",
    },
    "Keys with two different changes at one place of the source's order, and which one stands.",
    MERGED,
)
RUNS = OpsTable(
    "runs",
    {
        "invocation_id": "string",
        "model": "string",
        "status": "string",
        "message": "string",
        "started_at": "timestamp",
        "seconds": "double",
        "merged_by": "string",
        **dict.fromkeys(COUNTED, "bigint"),
        "core_seconds": "double",
    },
    "A row per run of a mirror, a log or a daily table that did something or failed; append-only.",
)
LATE_EVENTS = OpsTable(
    "late_events",
    {
        "invocation_id": "string",
        "model": "string",
        "ds": "date",
        "events": "bigint",
        "decision": "string",
        "rows_added": "bigint",
        "rows_removed": "bigint",
        "found_at": "timestamp",
    },
    "A row per published day and run that found changes from before its end; append-only.",
)
BUCKET_ADVICE = OpsTable(
    "bucket_advice",
    {
        "model": "string",
        "live_rows": "bigint",
        "size": "bigint",
        "buckets": "int",
        "bucket_by": "string",
        "advised_buckets": "int",
        "advised_bucket_by": "string",
        "reason": "string",
        "advised_at": "timestamp",
    },
    "The buckets that mirrors are configured with, and those that their sizes advise; append-only.",
)
AUDITS = OpsTable(
    "audits",
    {
        "audit_id": "string",
        "model": "string",
        "audited_at": "timestamp",
        "bookmark": "bigint",
        "snapshot": "bigint",
        "part": "int",
        "parts": "int",
        "keys": "bigint",
        "findings": "bigint",
        "unjudged": "bigint",
        "notes": "string",
        "seconds": "double",
        "against": "string",
    },
    "A row per audit of a mirror, with the part of its keys that it covers; append-only.",
)
AUDIT_FINDINGS = OpsTable(
    "audit_findings",
    {
        "audit_id": "string",
        "model": "string",
        "kind": "string",
        "unique_key": "string",
        "source_order": "string",
        "column_name": "string",
        "in_mirror": "string",
        "by_log": "string",
    },
    "A row per difference that an audit has found; append-only.",
)
CARED = ("data_files", "delete_files", "live_bytes", "old_bytes", "snapshots", "manifests")
SOURCE_AUDITS = OpsTable(
    "source_audits",
    {
        "audit_id": "string",
        "model": "string",
        "step": "string",
        "state": "string",
        "done_at": "timestamp",
    },
    "What unfinished audits against the source have done; an audit that ends removes its rows.",
    MERGED,
)
MAINTENANCE = OpsTable(
    "maintenance",
    {
        "maintenance_id": "string",
        "table_name": "string",
        "action": "string",
        "why": "string",
        "status": "string",
        "detail": "string",
        "started_at": "timestamp",
        "seconds": "double",
        "bytes_to_read": "bigint",
        "bytes_to_write": "bigint",
        **dict.fromkeys((f"{name}_before" for name in CARED), "bigint"),
        **dict.fromkeys((f"{name}_after" for name in CARED), "bigint"),
    },
    "A row per action of maintenance on a table, with its figures before and after; append-only.",
)
# those that every run of dbt may need
COMMON = (QUARANTINE, ORDER_CONFLICTS, RUNS)
