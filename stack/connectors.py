"""The connectors' configurations, as docs/sources/ recommends them."""

from stack.services import HOST, PASSWORD, USER, Registry, Stack

JSON = "org.apache.kafka.connect.json.JsonConverter"
TOPICS = "(store|cafe)([.].*)?|__debezium-heartbeat[.](store|cafe)"
COMMON = {
    "tasks.max": "1",
    "key.converter": JSON,
    "value.converter": JSON,
    # a null stays null where the column has a default
    "value.converter.replace.null.with.default": "false",
    "provide.transaction.metadata": "true",
    # TRUNCATE too
    "skipped.operations": "none",
    "heartbeat.interval.ms": "2000",
    "poll.interval.ms": "100",
    "topic.creation.default.partitions": "3",
    "topic.creation.default.replication.factor": "1",
}


def mariadb(stack: Stack) -> dict[str, str]:
    """Topics store.store.<table>, the schema changes in store."""
    broker = stack.kafka.address
    return COMMON | {
        "connector.class": "io.debezium.connector.mariadb.MariaDbConnector",
        "topic.prefix": "store",
        "database.hostname": HOST,
        "database.port": str(stack.mariadb.port),
        "database.user": USER,
        "database.password": PASSWORD,
        "database.server.id": "184054",
        "database.include.list": "store",
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
        "include.schema.changes": "true",
        "bigint.unsigned.handling.mode": "precise",
        "heartbeat.action.query": "update store.heartbeat set beats = beats + 1 where id = 1",
        "connect.keep.alive": "false",
        "schema.history.internal.kafka.bootstrap.servers": broker,
        "schema.history.internal.kafka.topic": "schema_history.store",
    }


def postgresql(stack: Stack) -> dict[str, str]:
    """Topics cafe.cafe.<table>, each event with its schema: PostgreSQL has no schema changes."""
    return COMMON | {
        "connector.class": "io.debezium.connector.postgresql.PostgresConnector",
        "topic.prefix": "cafe",
        "database.hostname": HOST,
        "database.port": str(stack.postgresql.port),
        "database.dbname": "shop",
        "database.user": "postgres",
        "database.password": "",
        "schema.include.list": "cafe",
        "plugin.name": "pgoutput",
        "slot.name": "lakemirror",
        "publication.autocreate.mode": "filtered",
        "key.converter.schemas.enable": "true",
        "value.converter.schemas.enable": "true",
        "heartbeat.action.query": "update cafe.heartbeat set beats = beats + 1 where id = 1",
    }


def avro(registry: Registry) -> dict[str, str]:
    """What to set for Avro in the place of JSON, as docs/sources/avro.md shows it."""
    found = {"schema.name.adjustment.mode": "avro"}
    for side in ("key", "value"):
        found |= {
            f"{side}.converter": "io.apicurio.registry.utils.converter.AvroConverter",
            f"{side}.converter.apicurio.registry.url": registry.address,
            f"{side}.converter.apicurio.registry.auto-register": "true",
            f"{side}.converter.apicurio.registry.find-latest": "true",
            f"{side}.converter.apicurio.registry.as-confluent": "true",
            f"{side}.converter.apicurio.use-id": "contentId",
            # the id in the record, and not in a header of Kafka's
            f"{side}.converter.apicurio.registry.headers.enabled": "false",
        }
    return found


def iceberg_sink(topic: str, table: str, catalog: dict[str, str]) -> dict[str, str]:
    """Iceberg's own sink, which lands a topic's records as texts: see docs/sources/iceberg-sink.md.

    Args:
        catalog: the settings ``iceberg.catalog...``.
    """
    text = "org.apache.kafka.connect.storage.StringConverter"
    return {
        "connector.class": "org.apache.iceberg.connect.IcebergSinkConnector",
        "tasks.max": "1",
        "topics": topic,
        "iceberg.tables": table,
        "iceberg.tables.auto-create-enabled": "true",
        "iceberg.tables.evolve-schema-enabled": "true",
        "iceberg.tables.schema-force-optional": "true",
        **catalog,
        "iceberg.control.topic": "control-iceberg",
        "iceberg.control.commit.interval-ms": "10000",
        "consumer.override.auto.offset.reset": "earliest",
        "key.converter": text,
        "value.converter": text,
        "transforms": "text,kafka",
        "transforms.text.type": "org.apache.kafka.connect.transforms.HoistField$Value",
        "transforms.text.field": "value",
        "transforms.kafka.type": "org.apache.iceberg.connect.transforms.KafkaMetadataTransform",
    }


def iceberg_sink_of_columns(topic: str, table: str, catalog: dict[str, str]) -> dict[str, str]:
    """The sink as it lands events with schemas: a column for each field."""
    return iceberg_sink(topic, table, catalog) | {
        "value.converter": JSON,
        "value.converter.schemas.enable": "true",
        "transforms": "kafka",
    }


def all_of(stack: Stack) -> dict[str, dict[str, str]]:
    """Both, by name."""
    return {"store": mariadb(stack), "cafe": postgresql(stack)}
