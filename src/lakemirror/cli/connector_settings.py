"""What a connector should be set to, and what its JSON configuration says.

The settings are those that docs/semantics.md and docs/types.md need. Their defaults are Debezium's
(the ConnectorConfig classes of 3.6), Kafka Connect's JsonConverter's and Iceberg's sink's.
``python -m lakemirror.cli.connector_settings`` prints the table of docs/guides/connector.md.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakemirror.cli.declared import declared_connector, declared_source
from lakemirror.cli.doctor import DoctorError, Finding, printable
from lakemirror.cli.source_names import topic_sources
from lakemirror.landing.topics import source_and_table
from lakemirror.source.types import PLACEHOLDER, SETTINGS, TypeMappingError, settings_of

BINLOG, POSTGRESQL, VITESS, SINK = ("mariadb", "mysql"), ("postgresql",), ("vitess",), ("sink",)
CLASSES = {
    "MariaDbConnector": "mariadb",
    "MySqlConnector": "mysql",
    "PostgresConnector": "postgresql",
    "VitessConnector": "vitess",
    "IcebergSinkConnector": "sink",
}
TITLES = {"sink": "Iceberg sink", "mariadb": "MariaDB", "mysql": "MySQL"}
TITLES |= {"postgresql": "PostgreSQL", "vitess": "Vitess"}
# what the setting has that names the databases, whose names are those of the sources
DATABASES = dict.fromkeys(BINLOG, "database.include.list")
DATABASES |= {"postgresql": "schema.include.list", "vitess": "vitess.keyspace"}
CONVERTER, FORMAT = "value.converter", "decimal.format"
NULL_LOST = "a null is sent as the column's default, and no event tells it"
FACTORY = "io.debezium.connector.vitess.pipeline.txmetadata.VitessOrderedTransactionMetadataFactory"


@dataclass(frozen=True)
class Rule:
    """What a setting should be.

    Attributes:
        default: what holds where it is not set; empty where nothing does.
        fine: a pattern of the values that are right, in lower case.
        wanted: what to set.
        why: what happens otherwise.
        converter: the rule is for connectors whose value.converter ends with this.
    """

    connectors: tuple[str, ...]
    setting: str
    default: str
    fine: str
    wanted: str
    severity: str
    why: str
    converter: str = ""


SOURCES = (*BINLOG, *POSTGRESQL, *VITESS)
RULES = (
    Rule(
        *(VITESS, "provide.transaction.metadata", "false", "true", "true", "error"),
        "no change has an order, and all go to the quarantine",
    ),
    Rule(
        *(VITESS, "transaction.metadata.factory", "DefaultTransactionMetadataFactory"),
        *(r".*\.vitessorderedtransactionmetadatafactory", FACTORY, "error"),
        "the changes have no epoch, and all go to the quarantine",
    ),
    Rule(
        *(VITESS, "vitess.inherit.epoch", "false", "true", "true", "warning"),
        "a reshard stops the mirrors, until the var epochs says what to add",
    ),
    Rule(
        *((*BINLOG, *POSTGRESQL), "provide.transaction.metadata", "false", "true", "true"),
        *("warning", "no row tells its transaction: _tsc_id is null"),
    ),
    Rule(
        *((*BINLOG, *POSTGRESQL), "skipped.operations", "t", "none", "none", "error"),
        "operations that are not sent are not mirrored: after a TRUNCATE (t) the rows stay",
    ),
    Rule(
        *(VITESS, "skipped.operations", "t", "none|t", "none", "error"),
        "operations that are not sent are not mirrored",
    ),
    Rule(
        *(SOURCES, "transforms", "", "((?!extractnewrecordstate).)*"),
        *("others than ExtractNewRecordState", "error"),
        "rows without their envelope have no operation and no order",
    ),
    Rule(
        *(SOURCES, CONVERTER, "", ".+", "org.apache.kafka.connect.json.JsonConverter", "warning"),
        "the worker's converter decides whether a null is sent as the column's default",
    ),
    Rule(
        *(SOURCES, f"{CONVERTER}.replace.null.with.default", "true", "false", "false", "error"),
        *(NULL_LOST, "JsonConverter"),
    ),
    Rule(
        *(SOURCES, f"{CONVERTER}.ignore.default.for.nullables", "false", "true", "true", "error"),
        *(NULL_LOST, "connect.avro.AvroConverter"),
    ),
    Rule(
        *(SOURCES, CONVERTER, "", "((?!apicurio.*avroconverter).)*"),
        *("io.confluent.connect.avro.AvroConverter or JsonConverter", "error"),
        *(NULL_LOST, "apicurio.registry.utils.converter.AvroConverter"),
    ),
    Rule(
        *((*BINLOG, *POSTGRESQL), "decimal.handling.mode", "precise", "precise|string"),
        *("precise or string", "error"),
        "decimals of more than 15 digits are rounded, and go to the quarantine",
    ),
    Rule(
        *(BINLOG, "bigint.unsigned.handling.mode", "long", "precise", "precise", "warning"),
        "numbers from 2^63 are sent as negative ones, and right only where the column is known as "
        "unsigned: by the schema-change topic or its declaration",
    ),
    Rule(
        *(VITESS, "bigint.unsigned.handling.mode", "string", "precise|string"),
        *("string or precise", "warning"),
        "numbers from 2^63 are sent as negative ones, and right only where the column is declared "
        "as unsigned",
    ),
    Rule(
        *(SOURCES, "time.precision.mode", "adaptive or adaptive_time_microseconds"),
        *("(?!connect$).*", "another mode", "warning", "microseconds are lost"),
    ),
    Rule(
        *(BINLOG, "include.schema.changes", "true", "true", "true", "warning"),
        "columns that nobody has declared are lost, and unsigned ones are not known as such",
    ),
    Rule(
        *(SOURCES, "snapshot.mode", "initial"),
        "(?!(no_data|schema_only|never|recovery|schema_only_recovery|initial_only)$).*",
        *("initial", "warning"),
        "without a snapshot older rows are missing in a mirror until they change; initial_only "
        "sends no changes",
    ),
    Rule(
        *(SOURCES, "heartbeat.interval.ms", "0", "0*[1-9][0-9]*", "10000", "warning"),
        "while nothing changes, no day can be proven complete, and the log at the source grows",
    ),
    Rule(
        *((*BINLOG, *POSTGRESQL), "heartbeat.action.query", "", "(?s).+"),
        *("a statement that updates a table which the connector captures", "warning"),
        "unless something else writes to such a table, the source's own time is not heard",
    ),
    Rule(
        *(VITESS, "vitess.stream.keyspace.heartbeats", "false", "true", "true", "warning"),
        "a shard's own time is not heard, and no day can be proven complete",
    ),
    Rule(
        *(SINK, "transforms", "", "(?!.*debeziumtransform).*kafkametadatatransform.*"),
        *("KafkaMetadataTransform, and not DebeziumTransform", "error"),
        "records have no partition and offset, or what orders the changes is left out",
    ),
    Rule(
        *(SINK, "iceberg.tables.evolve-schema-enabled", "false", "true", "true", "warning"),
        "new columns are not landed",
    ),
    Rule(
        *(SINK, "iceberg.tables.schema-force-optional", "false", "true", "true", "warning"),
        "records without a column that once was required cannot be landed",
    ),
)


def check_file(path: Path, folder: Path) -> Iterator[Finding]:
    """What is wrong with the connectors of a JSON file: as they are POSTed, flat, or a list.

    Args:
        folder: the dbt project, which says how it reads a source.

    Raises:
        DoctorError: the file is none.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise DoctorError(f"{path} cannot be read as JSON ({type(problem).__name__})") from None
    for found in content if isinstance(content, list) and content else [content]:
        inner = found.get("config") if isinstance(found, dict) else None
        config = inner if isinstance(inner, dict) else found
        if not isinstance(config, dict) or "connector.class" not in config:
            raise DoctorError(f"{path} has no connector's configuration: no connector.class")
        name = printable(found.get("name", ""))
        yield from check(config, f"{path} ({name})" if name else f"{path}", folder)


def check(config: Mapping[str, Any], where: str, folder: Path) -> Iterator[Finding]:
    """What is wrong with a connector; no other settings are shown than those that have a rule."""
    connector = CLASSES.get(str(config["connector.class"]).rpartition(".")[2])
    if connector is None:
        remedy = f"Checked are {', '.join(CLASSES)}"
        yield Finding(
            "warning", where, "connector.class is not known", "nothing is checked", remedy
        )
        return
    for rule in RULES:
        if connector in rule.connectors:
            yield from judged(rule, config, where)
    if connector in SETTINGS:
        yield from compared(connector, config, where, folder)


def judged(rule: Rule, config: Mapping[str, Any], where: str) -> Iterator[Finding]:
    value = value_of(config, rule.setting, rule.default)
    remedy = f"Set {rule.setting} to {rule.wanted}"
    if not value_of(config, CONVERTER).endswith(rule.converter):
        return
    if "${" in value:
        what = f"{rule.setting} is filled in by a config provider"
        yield Finding("warning", where, what, "it cannot be checked here", remedy)
    elif not re.fullmatch(rule.fine, value.lower()):
        yield Finding(rule.severity, where, said(rule.setting, config, value), rule.why, remedy)


def said(setting: str, config: Mapping[str, Any], value: str) -> str:
    default = " by default" if config.get(setting) is None else ""
    return f"{setting} is {printable(value)}{default}" if value else f"{setting} is not set"


def value_of(config: Mapping[str, Any], setting: str, default: str = "") -> str:
    """A setting as a text; of the transforms the names of their classes."""
    given = config.get(setting)
    text = str(given).strip() if isinstance(given, str | int | float) else default
    if setting != "transforms":
        return text
    types = [config.get(f"transforms.{alias.strip()}.type") for alias in text.split(",")]
    return ", ".join(str(name).rpartition(".")[2] for name in types if name)


def compared(
    connector: str, config: Mapping[str, Any], where: str, folder: Path
) -> Iterator[Finding]:
    """How values are sent, against how the project reads them."""
    sent = {}
    for setting, values in SETTINGS[connector].items():
        if setting == FORMAT and not value_of(config, CONVERTER).endswith("JsonConverter"):
            continue
        name = f"{CONVERTER}.{FORMAT}" if setting == FORMAT else setting
        value = value_of(config, name, values[0])
        value = value if setting == PLACEHOLDER else value.lower()
        if value in values or setting == PLACEHOLDER:
            sent[name] = value
        elif "${" not in value:
            remedy = f"Set it to one of {', '.join(values)}"
            yield Finding("error", where, said(name, config, value), "it is not known", remedy)
    declared = {
        s: d for s in source_names(connector, config, folder) if (d := declared_source(folder, s))
    }
    if not declared:
        yield Finding(
            *("warning", where, "the project has no source of it"),
            f"nothing says how its values are read ({DATABASES[connector]}, topic_sources)",
            "Write its models with lakemirror generate (docs/guides/add-a-table.md)",
        )
    for source, found in declared.items():
        try:
            kind, read = settings_of(declared_connector(found))
        except TypeMappingError as problem:
            yield Finding("error", where, f"source {source}", f"{problem}", "Correct its YAML")
            continue
        if kind != connector:
            what = f"the project reads the source {source} as {kind}'s"
            remedy = f"Set config.meta.debezium.connector to {connector} in its YAML"
            yield Finding("error", where, what, "its changes have another order", remedy)
            continue
        for setting, value in read.items():
            name = f"{CONVERTER}.{FORMAT}" if setting == FORMAT else setting
            if name in sent and sent[name] != value:
                yield Finding(
                    *("error", where, said(name, config, sent[name])),
                    f"the project reads the source {source} with {printable(value)}, and wrongly",
                    f"Set {setting} in config.meta.debezium of its YAML",
                )


def source_names(connector: str, config: Mapping[str, Any], folder: Path) -> list[str]:
    """The sources that a connector's topics belong to, by their names."""
    prefix, sources = value_of(config, "topic.prefix"), topic_sources(folder)
    databases = value_of(config, DATABASES[connector]).split(",")
    topics = [f"{prefix}.{database.strip()}.table" for database in databases]
    return sorted({source_and_table(topic, sources)[0] for topic in topics})


def table() -> str:
    """The rules as a table of Markdown."""
    lines = ["| Setting | Connectors | Default | Set | Otherwise |", "|---|---|---|---|---|"]
    for rule in RULES:
        names = (
            "all" if rule.connectors == SOURCES else ", ".join(TITLES[c] for c in rule.connectors)
        )
        names += f" ({rule.converter})" if rule.converter else ""
        default = f"`{rule.default}`" if rule.default else "none"
        why = rule.why.replace("_tsc_id", "`_tsc_id`")
        lines.append(f"| `{rule.setting}` | {names} | {default} | {rule.wanted} | {why} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(table(), end="")
