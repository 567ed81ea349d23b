"""What a Kafka broker says of its topics: Kafka's own admin client, in Spark's JVM."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import Any

from pyspark.sql import SparkSession

ENVIRONMENT = "LAKEMIRROR_KAFKA_"
SERVERS = "bootstrap.servers"
RESOURCE = "org.apache.kafka.common.config.ConfigResource"
TIMEOUTS = {"default.api.timeout.ms": "15000", "request.timeout.ms": "5000"}
Place = tuple[str, int]  # topic, partition


class KafkaError(Exception):
    """Kafka cannot be landed from as it is asked; says why, and never with which password."""


class ForbiddenError(KafkaError):
    """The user may not ask this."""


@dataclass(frozen=True)
class Topic:
    """A topic as it is on the broker: one that is deleted and made anew has another id."""

    name: str
    id: str
    partitions: tuple[int, ...]


@dataclass(frozen=True)
class Cleanup:
    """What becomes of topics' records in Kafka.

    Attributes:
        kept: for how long a topic keeps a record; without those that keep each.
        compacted: the topics that keep the newest record of a key alone.
    """

    kept: Mapping[str, timedelta]
    compacted: Collection[str]


def client_settings(environment: Mapping[str, str], brokers: str | None = None) -> dict[str, str]:
    """Settings of Kafka's clients from environment variables; empty where no broker is named.

    ``LAKEMIRROR_KAFKA_SASL_MECHANISM`` is Kafka's ``sasl.mechanism``, and so is any other.

    Args:
        brokers: those that a project names, where the environment names none.

    Raises:
        KafkaError: there are settings, and no broker.
    """
    settings = {
        name.removeprefix(ENVIRONMENT).lower().replace("_", "."): value
        for name, value in environment.items()
        if name.startswith(ENVIRONMENT) and value
    }
    if brokers:
        settings.setdefault(SERVERS, brokers)
    if settings and SERVERS not in settings:
        given = ", ".join(map(variable_of, sorted(settings)))
        raise KafkaError(f"{variable_of(SERVERS)} is not set, but {given} is")
    return settings


def variable_of(setting: str) -> str:
    """The variable that has a setting of Kafka's clients.

    >>> variable_of("sasl.mechanism")
    'LAKEMIRROR_KAFKA_SASL_MECHANISM'
    """
    return ENVIRONMENT + setting.upper().replace(".", "_")


class Broker:
    """An open admin client."""

    def __init__(self, session: SparkSession, settings: Mapping[str, str]) -> None:
        jvm: Any = session._jvm
        self.jvm = jvm
        self.servers = settings[SERVERS]
        properties = self.jvm.java.util.HashMap()
        for name, value in {**TIMEOUTS, **settings}.items():
            properties.put(name, value)
        self.refuse_misspelt(settings)
        with self._told():
            self.client = self.jvm.org.apache.kafka.clients.admin.AdminClient.create(properties)

    def refuse_misspelt(self, settings: Iterable[str]) -> None:
        """Kafka's clients ignore a setting that they do not know.

        Raises:
            KafkaError: one is nearly one that they know.
        """
        clients = self.jvm.org.apache.kafka.clients
        known = {
            *clients.admin.AdminClientConfig.configNames(),
            *clients.consumer.ConsumerConfig.configNames(),
        }
        for name in sorted({*settings} - known):
            close = get_close_matches(name, known, n=1, cutoff=0.9)
            if close:
                variable, meant = (variable_of(setting) for setting in (name, close[0]))
                raise KafkaError(f"{variable} is no setting of Kafka's; did you mean {meant}?")

    def close(self) -> None:
        self.client.close()

    def topic_names(self) -> list[str]:
        """The topics that are not Kafka's own."""
        with self._told():
            return sorted(self.client.listTopics().names().get())

    def topics(self, names: Collection[str]) -> list[Topic]:
        with self._told():
            found = self.client.describeTopics(self._list(names)).allTopicNames().get()
        return [
            Topic(name, told.topicId().toString(), tuple(range(told.partitions().size())))
            for name, told in sorted(found.items())
        ]

    def first(self, topics: Collection[Topic]) -> dict[Place, int]:
        """The offset of each partition's oldest record that is still there."""
        return self._offsets(topics, self._spec().earliest())

    def ends(self, topics: Collection[Topic]) -> dict[Place, int]:
        """The offset that follows each partition's newest committed record: a transaction that is
        open holds it up."""
        return self._offsets(topics, self._spec().latest())

    def written(self, topics: Collection[Topic]) -> dict[Place, int]:
        """The offset that follows each partition's newest record, of open transactions too."""
        return self._offsets(topics, self._spec().latest(), "READ_UNCOMMITTED")

    def since(self, topics: Collection[Topic], time: datetime) -> dict[Place, int]:
        """The first offset of each partition from a time on; its end where there is none."""
        found = self._offsets(topics, self._spec().forTimestamp(round(time.timestamp() * 1000)))
        return self.ends(topics) | {place: offset for place, offset in found.items() if offset >= 0}

    def cleanup(self, topics: Collection[Topic]) -> Cleanup:
        """What becomes of the topics' records.

        Raises:
            ForbiddenError: the user may not describe configurations.
        """
        resource = self.jvm.org.apache.kafka.common.config.ConfigResource
        kind = self.jvm.java.lang.Enum.valueOf(
            self.jvm.java.lang.Class.forName(f"{RESOURCE}$Type"), "TOPIC"
        )
        asked = self._list([resource(kind, topic.name) for topic in topics])
        with self._told():
            found = self.client.describeConfigs(asked).all().get()
        kept, compacted = {}, set()
        for topic, config in found.items():
            milliseconds = int(config.get("retention.ms").value())
            policy = config.get("cleanup.policy").value()
            if "delete" in policy and milliseconds >= 0:
                kept[topic.name()] = timedelta(milliseconds=milliseconds)
            if "compact" in policy:
                compacted.add(topic.name())
        return Cleanup(kept, compacted)

    def _spec(self) -> Any:
        return self.jvm.org.apache.kafka.clients.admin.OffsetSpec

    def _list(self, items: Collection[Any]) -> Any:
        made = self.jvm.java.util.ArrayList()
        for item in items:
            made.add(item)
        return made

    def _offsets(
        self, topics: Collection[Topic], spec: Any, isolation: str = "READ_COMMITTED"
    ) -> dict[Place, int]:
        asked = self.jvm.java.util.HashMap()
        place = self.jvm.org.apache.kafka.common.TopicPartition
        for topic in topics:
            for partition in topic.partitions:
                asked.put(place(topic.name, partition), spec)
        level = getattr(self.jvm.org.apache.kafka.common.IsolationLevel, isolation)
        options = self.jvm.org.apache.kafka.clients.admin.ListOffsetsOptions(level)
        with self._told():
            found = self.client.listOffsets(asked, options).all().get()
        return {(p.topic(), p.partition()): told.offset() for p, told in found.items()}

    @contextmanager
    def _told(self) -> Iterator[None]:
        from py4j.protocol import Py4JJavaError

        try:
            yield
        except Py4JJavaError as error:
            cause = error.java_exception
            while cause.getCause() is not None:
                cause = cause.getCause()
            forbidden = "AuthorizationException" in cause.getClass().getName()
            raise (ForbiddenError if forbidden else KafkaError)(
                f"Kafka at {self.servers} ({ENVIRONMENT}BOOTSTRAP_SERVERS) gave no answer: "
                f"{cause.getMessage() or cause.toString()}"
            ) from None
