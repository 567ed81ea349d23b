"""What a landing from Kafka says of what may be lost, or is late."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

NEAR = 0.5  # of the time that Kafka keeps a record: who waited longer was nearly lost


def near_loss(waited: Mapping[str, timedelta], kept: Mapping[str, timedelta]) -> str | None:
    """What is said of the topic whose records were the nearest to be lost, and of how many others.

    Args:
        waited: for how long the oldest record of each topic had waited for a landing.
        kept: for how long the topics keep a record; those that keep each are not there.

    >>> near_loss({"a": timedelta(days=3), "b": timedelta(days=9)}, {"a": timedelta(days=7)})
    >>> print(near_loss({"a": timedelta(days=4)}, {"a": timedelta(days=7)})[:57])
    a: records had waited 4.0 of the 7.0 days for which Kafka
    """
    near = {t: time / kept[t] for t, time in waited.items() if t in kept and time > NEAR * kept[t]}
    if not near:
        return None
    topic = max(near, key=lambda name: near[name])
    others = f", and so had those of {len(near) - 1} more topics" if len(near) > 1 else ""
    days = (f"{time / timedelta(days=1):.1f}" for time in (waited[topic], kept[topic]))
    return (
        f"{topic}: records had waited {' of the '.join(days)} days for which Kafka keeps them "
        f"(retention.ms){others}. Land more often, or let Kafka keep them longer: what is deleted "
        "before it has landed is lost."
    )


def compacted_warning(topics: Sequence[str]) -> str:
    """What is said of topics of tables that are compacted.

    >>> compacted_warning(["shop.shop.orders"])[:45]
    'shop.shop.orders: cleanup.policy has compact:'
    """
    others = f" (and {len(topics) - 1} more topics)" if len(topics) > 1 else ""
    return (
        f"{topics[0]}: cleanup.policy has compact{others}: of a row that is deleted Kafka keeps "
        "the tombstone and not the delete before it, and what is compacted before it has landed is "
        "lost. Set cleanup.policy=delete, or tombstones.on.delete=false at the connector"
    )


def gone_warning(topics: Sequence[str], pattern: str) -> str:
    """What is said of topics that have landed, and are not there any more.

    >>> gone_warning(["shop.shop.orders"], "shop.*")[:50]
    'shop.shop.orders have landed, and are not there an'
    """
    named = ", ".join(topics[:3]) + (f" and {len(topics) - 3} more" if len(topics) > 3 else "")
    return (
        f"{named} have landed, and are not there any more: they are deleted, the user may not "
        f"describe them, or LAKEMIRROR_TOPICS ({pattern!r}) leaves them out. What they get does "
        "not land, and no day is complete meanwhile. If they are gone for good, say so once: dbt "
        "run --select landing --vars '{accept_loss: true}'"
    )


def retired_warning(topics: Sequence[str]) -> str:
    """What is said of topics that are to be gone for good."""
    return f"{', '.join(topics)} have landed, and are taken to be gone for good"


def move_warning(topic: str, table: str, former: str, partition: int, start: int) -> str:
    """What is said of a topic that lands in another table from now on, without its beginning."""
    return (
        f"{topic} lands in {table} from now on, and begins there at offset {start} of "
        f"partition {partition}: Kafka has no older records, and {former} has them. A mirror "
        f"of {table} needs a new snapshot at the connector"
    )


def hidden_line(topic: str, partition: int, first: int, last: int) -> str:
    """What is said of records of an open transaction."""
    return (
        f"{topic}: of partition {partition} an open transaction hides the records {first} to "
        f"{last}; no day is complete meanwhile"
    )


def hanging_warning(line: str) -> str:
    """What is said of a transaction that was open at the last landing already."""
    return (
        f"{line}. It has not moved since the last landing: kafka-transactions.sh find-hanging "
        "names the producer, and abort ends it"
    )
