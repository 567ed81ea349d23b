"""What is wrong with the events that have landed, and what mends it.

The checks are what docs/semantics.md needs of the events. They look at the newest records of each
raw table, without Spark.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lakemirror.cli import generate
from lakemirror.cli.declared import declared_connector, declared_source
from lakemirror.cli.errors import CommandError
from lakemirror.cli.evidence import EvidenceError, connector_of, look
from lakemirror.cli.generated_files import is_proven
from lakemirror.cli.lakes import mapping
from lakemirror.cli.records import Record, is_row, newest_records
from lakemirror.cli.source_names import topic_sources
from lakemirror.cli.source_tables import SourceTable, meta_of, raw_schema, tables_of
from lakemirror.cli.templates import watermark_path
from lakemirror.landing.topics import (
    HEARTBEAT_PREFIX,
    SCHEMA_CHANGE,
    SIDE_TABLES,
    TOPIC_PROPERTY,
    raw_table,
)
from lakemirror.layers import layers_of_catalog
from lakemirror.source.inference import Evidence
from lakemirror.source.lake_types import lake_types_of
from lakemirror.source.schemas import HISTORY, payload
from lakemirror.source.types import PLACEHOLDER, SETTINGS, TypeMappingError, settings_of
from lakemirror.source.unavailable import all_forms
from lakemirror.state.commits import tables_in

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


class DoctorError(CommandError):
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
    schema = layers_of_catalog(catalog).raw
    tables = {*tables_in(catalog, schema)}
    known = known_columns(catalog, tables)
    sources = {name.partition("__")[0] for name in tables}
    yaml = {source: declared_source(folder, source) for source in sources}
    origins = set()
    for name in sorted(tables):
        source, _, side = name.partition("__")
        table, declared = catalog.load_table((schema, name)), yaml[source]
        settings = mapping(meta_of(declared).get("debezium"))
        is_other = TOPIC_PROPERTY not in table.properties or side in SIDE_TABLES.values()
        if is_other or (declared and not is_debezium(declared)):  # or another producer's
            continue
        forms = all_forms(str(settings.get(PLACEHOLDER, SETTINGS["postgresql"][PLACEHOLDER][0])))
        records = [
            Record(payload(row["key"] or ""), payload(row["value"]), forms)
            for row in newest_records(table, SAMPLE)
            if row["value"] is not None
        ]
        columns = known.get(name, set()) | declared_columns(declared, name)
        yield from check_records(f"{schema}.{name}", records, columns)
        blocks = [(r.connector, r.part("source").get("name")) for r in records if r.is_change()]
        origins |= {(source, kind, prefix) for kind, prefix in blocks if isinstance(prefix, str)}
    yield from check_topics(origins, tables, folder)
    for source, declared in sorted(yaml.items()):
        if is_debezium(declared):
            yield from check_settings(catalog, source, declared)


def is_debezium(declared: Mapping[str, Any]) -> bool:
    """Whether a source's YAML says a connector, if only in a wrong way."""
    found = meta_of(declared).get("debezium")
    return "connector" in found if isinstance(found, dict) else bool(found)


def check_settings(catalog: Any, source: str, declared: Mapping[str, Any]) -> Iterator[Finding]:
    """How the project reads the values of a source, against what its newest events show."""
    where = f"source {source}"
    try:
        given = declared_connector(declared)
        kind = settings_of(given)[0]
        lake_types_of(meta_of(declared), kind)
    except TypeMappingError as problem:
        yield Finding(
            "error", where, f"{problem}", "its models cannot be built", "Correct its YAML"
        )
        return
    found = tables_of(catalog, source, declared).values()
    landed = [table for table in found if table.declared and table.is_landed]
    raw = raw_schema(catalog, declared)
    try:
        connector_of(source, {table.name: table.head for table in landed}, kind, raw)
    except EvidenceError as problem:
        what = str(problem).partition(". ")[0]
        remedy = "Correct config.meta.debezium of its YAML, or the var topic_sources"
        yield Finding("error", where, what, "its changes have another order", remedy)
        return
    yield from check_values(where, kind, landed, given)


def check_values(
    where: str, kind: str, tables: Sequence[SourceTable], declared: Mapping[str, str]
) -> Iterator[Finding]:
    """How the values of a source come, against the settings that its YAML declares."""
    columns = generate.readable_columns(tables, kind)
    given = {name: value for name, value in declared.items() if name != "connector"}
    raws = {str(table): table.raw for table in tables}
    found = look(raws, Evidence(kind, columns, given), lambda line: None)
    for conflict in found.conflicts:
        yield Finding(
            *("error", where, conflict, "the project reads them otherwise, and wrongly"),
            "Set it so in config.meta.debezium of its YAML",
        )
    told = {learned.setting: f"{learned}" for learned in found.learned}
    for name, value in found.settings.items():
        if name not in given:
            what = told.get(name, f"{name}={value}")
            why = "the project reads them with Debezium's own, and wrongly"
            yield Finding(
                *("error", where, what, why),
                f"Set {name} in config.meta.debezium of its YAML",
            )
    for question in found.questions:
        what, _, remedy = question.rpartition(". Say ")
        why = "the project takes Debezium's own, and may read them wrongly"
        yield Finding(
            *("warning", where, what, why),
            f"Say {remedy.replace('--setting ', '')}, in config.meta.debezium of its YAML",
        )
    for strange in found.strange:
        what, _, why = strange.rpartition(": ")
        remedy = "Declare the type that the column has in its events"
        yield Finding("warning", where, what, why, remedy)


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
        if kind in BINLOG and raw_table(prefix, sources, SCHEMA_CHANGE) not in tables:
            yield Finding(
                *("warning", where, f"the schema-change topic {topic} has not landed"),
                "columns that nobody has declared are lost, and unsigned ones are not known",
                "Set include.schema.changes=true at the connector, and land its topic",
            )
        has_heard = raw_table(HEARTBEAT_PREFIX + prefix, sources) in tables
        if not has_heard and not is_proven(folder / watermark_path(source)):
            yield Finding(
                *("warning", where, f"no heartbeat of {topic} has landed, and no watermark"),
                "its days cannot be proven complete, and none is published",
                "Set heartbeat.interval.ms at the connector, and let lakemirror generate write "
                f"{watermark_path(source)} (docs/guides/connector.md)",
            )


def known_columns(catalog: Any, tables: Collection[str]) -> dict[str, set[str]]:
    """By raw table, the columns of all the versions that raw.schema_history has."""
    known: dict[str, set[str]] = {}
    if HISTORY in tables:
        history = catalog.load_table((layers_of_catalog(catalog).raw, HISTORY))
        scan = history.scan(selected_fields=("raw_table", "columns"))
        for row in scan.to_arrow().to_pylist():
            names = {column["name"] for column in row["columns"] or ()}
            known.setdefault(row["raw_table"], set()).update(names)
    return known


def declared_columns(declared: Mapping[str, Any], raw_name: str) -> set[str]:
    """The columns that a source's YAML declares or leaves out, with the names that they had."""
    tables = declared.get("tables") or []
    found = [t for t in tables if t.get("identifier", t["name"]) == raw_name]
    columns = [column for t in found for column in t.get("columns") or []]
    former = [meta_of(column).get("renamed_from") for column in columns]
    ignored = [name for t in (declared, *found) for name in meta_of(t).get("ignored_columns") or ()]
    return {name for name in [*(c["name"] for c in columns), *former, *ignored] if name}


def printable(text: Any) -> str:
    """A short text of one line, whatever it was."""
    return "".join(sign if sign.isprintable() else "?" for sign in str(text))[:80]


def in_order(findings: Iterable[Finding]) -> list[Finding]:
    """The findings, errors first; what is wrong in the same way in several places is one."""
    places: dict[Finding, set[str]] = {}
    for finding in findings:
        places.setdefault(replace(finding, where=""), set()).add(finding.where)
    found = [replace(f, where=", ".join(sorted(where))) for f, where in places.items()]
    return sorted(found, key=lambda f: (SEVERITIES.index(f.severity), f.where, f.what))


def report(findings: Iterable[Finding]) -> tuple[str, bool]:
    """The findings a line each, and whether there is an error."""
    found = in_order(findings)
    text = "".join(f"{finding}\n" for finding in found) or "Nothing was found.\n"
    return text, any(finding.severity == "error" for finding in found)
