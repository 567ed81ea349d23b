"""What is wrong with the events that have landed, and what mends it.

The checks are what docs/semantics.md needs of the events. They look at the newest records of each
raw table, without Spark.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes

from lakemirror.cli import generate
from lakemirror.landing.topics import HEARTBEAT_PREFIX, SIDE_TABLES, TOPIC_PROPERTY, raw_table
from lakemirror.source.schemas import HISTORY, payload
from lakemirror.source.types import PLACEHOLDER, SETTINGS
from lakemirror.source.unavailable import all_forms

SAMPLE = 1000  # records that are looked at, of each raw table
SEVERITIES = ("error", "warning")
BINLOG = ("mariadb", "mysql")
# what a change's order is made of (macros/order): without it the change goes to the quarantine
ORDER = {
    **dict.fromkeys(BINLOG, (("source", "file"), ("source", "pos"), ("source", "row"))),
    "postgresql": (("source", "sequence"),),
    "vitess": (("transaction", "transaction_epoch"), ("transaction", "total_order")),
}
WHOLE_ROWS = "Set binlog_row_image=FULL at the database"


class DoctorError(Exception):
    """Nothing could be checked; says why."""


@dataclass(frozen=True)
class Finding:
    """Something that is wrong: where, what, why it matters, and the remedy."""

    severity: str
    where: str
    what: str
    why: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.severity:<7}  {self.where}: {self.what}: {self.why}. {self.remedy}."


@dataclass(frozen=True)
class Record:
    """A Kafka record with a value, as far as it is JSON."""

    key: Mapping[str, Any]
    event: Mapping[str, Any]
    unavailable: Collection[str] = ()

    @property
    def op(self) -> str:
        return str(self.event.get("op", ""))

    @property
    def connector(self) -> str:
        return str(self.part("source").get("connector", ""))

    def part(self, name: str) -> Mapping[str, Any]:
        found = self.event.get(name)
        return found if isinstance(found, dict) else {}

    def is_change(self, operations: str = "crud") -> bool:
        return bool(self.part("source")) and self.op in [*operations]


def is_row(record: Record) -> bool:
    """Whether it is a row without its envelope: it has its key's columns, or the SMT's marks."""
    event, key = record.event, record.key
    is_other = record.op or record.part("source") or "data_collections" in event
    is_marked = any(name in event for name in ("__op", "__deleted", "__source_ts_ms"))
    return not is_other and (is_marked or (bool(key) and key.keys() <= event.keys()))


def lacks_order(record: Record, connectors: Collection[str]) -> bool:
    if record.connector not in connectors or not record.is_change("cud"):
        return False
    return any(record.part(block).get(name) is None for block, name in ORDER[record.connector])


def lacks_key_in_before(record: Record) -> bool:
    return record.is_change("d") and any(record.part("before").get(n) is None for n in record.key)


def is_unsent(record: Record) -> bool:
    """Whether an update has a value that the connector was not sent."""
    values = record.part("after").values() if record.is_change("u") else ()
    texts = (v if isinstance(v, str) else json.dumps(v, separators=(",", ":")) for v in values)
    return any(text in record.unavailable for text in texts)


@dataclass(frozen=True)
class Check:
    """What no record of a table should be."""

    fails: Callable[[Record], bool]
    severity: str
    what: str
    why: str
    remedy: str


CHECKS = (
    Check(
        *(lambda record: not record.event, "error", "are no JSON objects"),
        "staging reads JSON, as JsonConverter writes it",
        "Set value.converter=org.apache.kafka.connect.json.JsonConverter at the connector",
    ),
    Check(
        *(is_row, "error", "are rows without Debezium's envelope"),
        "they have no operation and no order, and go to the quarantine",
        "Take ExtractNewRecordState out of the connector's transforms; the source of another "
        "producer is declared in YAML, without config.meta.debezium",
    ),
    Check(
        *(lambda record: record.op in [*"crudt"] and not record.part("source"), "error"),
        *("have no source block", "they have no order, and go to the quarantine"),
        "Let no transform remove it",
    ),
    Check(
        *(lambda record: lacks_order(record, ("vitess",)), "error", "have no order"),
        "they go to the quarantine",
        "Set provide.transaction.metadata=true and transaction.metadata.factory at the connector "
        "(docs/guides/connector.md)",
    ),
    Check(
        *(lambda record: lacks_order(record, (*BINLOG, "postgresql")), "error", "have no order"),
        *("they go to the quarantine", "Let no transform remove fields of the source block"),
    ),
    Check(
        *(lambda record: record.is_change() and not record.key, "warning", "have no key"),
        "a mirror of the table is refused",
        "Set message.key.columns at the connector, or keep the changes: a model "
        "materialized='log' (docs/guides/add-a-table.md)",
    ),
    Check(
        *(lacks_key_in_before, "error", "are deletes without their key in `before`"),
        "they go to the quarantine, and the rows stay",
        f"{WHOLE_ROWS}; in PostgreSQL ALTER TABLE ... REPLICA IDENTITY FULL",
    ),
    Check(
        lambda r: r.is_change("u") and not r.part("before") and r.connector in (*BINLOG, "vitess"),
        *("warning", "are updates without `before`"),
        "where the database logs no whole rows, columns are missing",
        f"{WHOLE_ROWS}, and let no transform remove `before`",
    ),
    Check(
        *(lambda r: is_unsent(r) and r.connector == "postgresql", "warning"),
        "have large values that an update left as they were, and that were not sent",
        "a row whose key changed has lost them, and so has one that no other change tells",
        "ALTER TABLE ... REPLICA IDENTITY FULL",
    ),
    Check(
        *(lambda r: is_unsent(r) and r.connector in (*BINLOG, "vitess"), "error"),
        "have values that were not sent",
        *("the mirror takes what stands for them as the value", WHOLE_ROWS),
    ),
)


def check_lake(catalog: Any, folder: Path) -> Iterator[Finding]:
    """What is wrong with the newest records of each raw table, and with what has not landed.

    Args:
        catalog: of the lake (pyiceberg).
        folder: the dbt project, which declares sources.
    """
    tables = {n for _, n in catalog.list_tables("raw")} if generate.has_raw(catalog) else set()
    known = known_columns(catalog, tables)
    sources = {name.partition("__")[0] for name in tables}
    yaml = {source: generate.declared_source(folder, source) for source in sources}
    origins = set()
    for name in sorted(tables):
        source, _, side = name.partition("__")
        table, declared = catalog.load_table(("raw", name)), yaml[source]
        settings = generate.connector_of(declared)
        is_other = TOPIC_PROPERTY not in table.properties or side in SIDE_TABLES.values()
        if is_other or (declared and "connector" not in settings):  # or another producer's
            continue
        forms = all_forms(str(settings.get(PLACEHOLDER, SETTINGS["postgresql"][PLACEHOLDER][0])))
        records = [
            Record(payload(row["key"] or ""), payload(row["value"]), forms)
            for row in newest_records(table)
            if row["value"] is not None
        ]
        columns = known.get(name, set()) | declared_columns(declared, name)
        yield from check_records(f"raw.{name}", records, columns)
        blocks = [(r.connector, r.part("source").get("name")) for r in records if r.is_change()]
        origins |= {(source, kind, prefix) for kind, prefix in blocks if isinstance(prefix, str)}
    yield from check_topics(origins, tables, folder)


def check_records(
    where: str, records: Sequence[Record], known: Collection[str]
) -> Iterator[Finding]:
    """What is wrong with some records of a table, of which so many columns are known."""
    for check in CHECKS:
        count = sum(map(check.fails, records))
        if count:
            what = f"{count} of the {len(records)} newest records {check.what}"
            yield Finding(check.severity, where, what, check.why, check.remedy)
    rows = [r.part(side) for r in records if r.is_change() for side in ("before", "after")]
    sent = {name for row in rows for name in row}
    lost = sorted(name for name in sent if name not in known)
    remedy = "Declare them (docs/guides/add-a-table.md), or land the schema-change topic"
    if sent and not known:
        yield Finding(
            *("warning", where, "the columns are not known", "no mirror can be built"),
            f"{remedy} or Connect schemas (schemas.enable=true)",
        )
    elif lost:
        what = f"nobody knows the columns {', '.join(map(printable, lost[:10]))}"
        yield Finding("error", where, what, "a mirror loses them", remedy)


def check_topics(
    origins: Iterable[tuple[str, str, str]], tables: Collection[str], folder: Path
) -> Iterator[Finding]:
    """Which of a connector's own topics have not landed, though they are needed.

    Args:
        origins: sources, each with a connector's kind and its topic.prefix.
        tables: what the schema raw has.
    """
    sources = topic_sources(folder)
    for source, kind, prefix in sorted(origins):
        where, topic = f"source {source}", printable(prefix)
        if kind in BINLOG and raw_table(prefix, sources) not in tables:
            yield Finding(
                *("warning", where, f"the schema-change topic {topic} has not landed"),
                "columns that nobody has declared are lost, and unsigned ones are not known",
                "Set include.schema.changes=true at the connector, and land its topic",
            )
        has_heard = raw_table(HEARTBEAT_PREFIX + prefix, sources) in tables
        if not has_heard and not generate.has_watermark(folder, source):
            yield Finding(
                *("warning", where, f"no heartbeat of {topic} has landed, and no watermark"),
                "its days cannot be proven complete, and none is published",
                "Set heartbeat.interval.ms at the connector, and add a row to "
                "models/ops/watermarks.sql (docs/guides/connector.md)",
            )


def newest_records(table: Any) -> list[dict[str, Any]]:
    """Keys and values of the first records of the files that were landed last."""

    def newest(file: Any, name: str) -> int:
        column = table.schema().find_field(name)
        bound = (file.upper_bounds or {}).get(column.field_id)
        return int(from_bytes(column.field_type, bound)) if bound else -1

    def age(file: Any) -> tuple[int, int]:
        return newest(file, "_landed_at"), newest(file, "_src_ts")

    records: list[dict[str, Any]] = []
    for file in sorted((task.file for task in table.scan().plan_files()), key=age, reverse=True):
        if len(records) >= SAMPLE:
            break
        with table.io.new_input(file.file_path).open() as stream:
            left, columns = SAMPLE - len(records), ["key", "value"]
            batches = pq.ParquetFile(stream).iter_batches(batch_size=left, columns=columns)
            records += [row for batch in islice(batches, 1) for row in batch.to_pylist()]
    return records


def known_columns(catalog: Any, tables: Collection[str]) -> dict[str, set[str]]:
    """By raw table, the columns of all the versions that raw.schema_history has."""
    known: dict[str, set[str]] = {}
    if HISTORY in tables:
        scan = catalog.load_table(("raw", HISTORY)).scan(selected_fields=("raw_table", "columns"))
        for row in scan.to_arrow().to_pylist():
            names = {column["name"] for column in row["columns"] or ()}
            known.setdefault(row["raw_table"], set()).update(names)
    return known


def declared_columns(declared: Mapping[str, Any], raw_name: str) -> set[str]:
    """The columns that a source's YAML declares or leaves out, with the names that they had."""
    tables = declared.get("tables") or []
    found = [t for t in tables if t.get("identifier", t["name"]) == raw_name]
    columns = [column for t in found for column in t.get("columns") or []]
    former = [generate.meta_of(column).get("renamed_from") for column in columns]
    ignored = [
        name
        for t in (declared, *found)
        for name in generate.meta_of(t).get("ignored_columns") or ()
    ]
    return {name for name in [*(c["name"] for c in columns), *former, *ignored] if name}


def topic_sources(folder: Path) -> Mapping[str, str]:
    """The var topic_sources of a dbt project."""
    file = folder / "dbt_project.yml"
    if not file.exists():
        raise DoctorError("run it in the project, where dbt_project.yml is")
    project = generate.parsed(file.read_text(encoding="utf-8"))
    given = project.get("vars") or {}
    own = given.get(project.get("name")) or {}
    return own.get("topic_sources") or given.get("topic_sources") or {}


def printable(text: Any) -> str:
    """A short text of one line, whatever it was."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))[:80]


def report(findings: Iterable[Finding]) -> tuple[str, bool]:
    """The findings a line each, errors first; and whether there is an error.

    What is wrong in the same way in several places has one line.
    """
    places: dict[Finding, set[str]] = {}
    for finding in findings:
        places.setdefault(replace(finding, where=""), set()).add(finding.where)
    found = [replace(f, where=", ".join(sorted(where))) for f, where in places.items()]
    found.sort(key=lambda f: (SEVERITIES.index(f.severity), f.where, f.what))
    text = "".join(f"{finding}\n" for finding in found) or "Nothing was found.\n"
    return text, any(finding.severity == "error" for finding in found)
