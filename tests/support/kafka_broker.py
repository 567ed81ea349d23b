"""Topics on a real Kafka broker."""

import time
import uuid
from typing import Any

from stack.services import Kafka

from dbt.adapters.lakemirror.session import SessionHandle
from support.lake import Lake


class Topics:
    """Topics of one test, under a prefix of its own, and Kafka's own clients for them."""

    def __init__(self, kafka: Kafka, lake: Lake) -> None:
        self.prefix = f"t{uuid.uuid4().hex[:12]}"
        self.handle = SessionHandle(
            str(lake.folder.resolve()), lake.spark_conf(), {}, lake.folder / "log"
        )
        self.session: Any = self.handle.session
        self.jvm = self.session._jvm
        self.settings = {"bootstrap.servers": kafka.address}
        self.admin = self.jvm.org.apache.kafka.clients.admin
        self.client = self.admin.AdminClient.create(self.java(self.settings))
        self.producer = self.new_producer()

    def close(self) -> None:
        self.producer.close()
        self.client.close()
        self.handle.close()

    def java(self, items: dict[Any, Any]) -> Any:
        made = self.jvm.java.util.HashMap()
        for name, value in items.items():
            made.put(name, value)
        return made

    def new_producer(self, **settings: str) -> Any:
        kind = "org.apache.kafka.common.serialization.ByteArraySerializer"
        given = self.settings | {"key.serializer": kind, "value.serializer": kind}
        given |= {name.replace("_", "."): value for name, value in settings.items()}
        return self.jvm.org.apache.kafka.clients.producer.KafkaProducer(self.java(given))

    def name(self, table: str) -> str:
        return f"{self.prefix}.shop.{table}"

    def place(self, table: str, partition: int) -> Any:
        return self.jvm.org.apache.kafka.common.TopicPartition(self.name(table), partition)

    def create(self, table: str, partitions: int = 1, **configs: str) -> None:
        optional = self.jvm.java.util.Optional
        topic = self.admin.NewTopic(self.name(table), optional.of(partitions), optional.empty())
        topic.configs(self.java({name.replace("_", "."): v for name, v in configs.items()}))
        topics = self.jvm.java.util.Collections.singletonList(topic)
        self.client.createTopics(topics).all().get()

    def delete(self, table: str) -> None:
        """Return when the broker has forgotten the topic."""
        name = self.name(table)
        self.client.deleteTopics(self.jvm.java.util.Collections.singletonList(name)).all().get()
        while name in self.client.listTopics().names().get():
            time.sleep(0.1)

    def grow(self, table: str, partitions: int) -> None:
        more = self.admin.NewPartitions.increaseTo(partitions)
        self.client.createPartitions(self.java({self.name(table): more})).all().get()

    def forget(self, table: str, partition: int, before: int) -> None:
        """Delete a partition's records below an offset, as retention does."""
        # a static method with a namesake that is none, which Py4J finds first
        kind, gateway = self.jvm.java.lang.Class, self.session.sparkContext._gateway
        types = gateway.new_array(kind, 1)
        types[0] = self.jvm.java.lang.Long.TYPE
        offset = gateway.new_array(self.jvm.java.lang.Object, 1)
        offset[0] = before
        found = kind.forName("org.apache.kafka.clients.admin.RecordsToDelete")
        to_delete = found.getMethod("beforeOffset", types).invoke(None, offset)
        self.client.deleteRecords(self.java({self.place(table, partition): to_delete})).all().get()

    def send(
        self,
        table: str,
        *values: str | bytes | None,
        key: str | bytes | None = "{}",
        partition: int = 0,
        producer: Any = None,
        time_ms: int | None = None,
    ) -> None:
        """Send values, and wait until the broker has them."""
        sender = producer or self.producer
        sent = [
            sender.send(
                self.jvm.org.apache.kafka.clients.producer.ProducerRecord(
                    self.name(table), partition, time_ms, encoded(key), encoded(value)
                )
            )
            for value in values
        ]
        for future in sent:
            future.get()


def encoded(text: str | bytes | None) -> bytes | None:
    return text.encode() if isinstance(text, str) else text
