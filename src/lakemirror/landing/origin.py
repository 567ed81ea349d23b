"""Where a landing's records come from: what a project says, and the environment over it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from lakemirror.landing import avro
from lakemirror.landing.broker import SERVERS, client_settings, variable_of

PREFIX = "LAKEMIRROR_"
RECORDINGS, TOPICS = PREFIX + "RECORDINGS", PREFIX + "TOPICS"
BROKERS = variable_of(SERVERS)
# what lakemirror and its profiles read, beside any setting of Kafka's
KNOWN = (
    *(RECORDINGS, TOPICS, BROKERS),
    *(PREFIX + name for name in ("LAKE", "ACCELERATE", "HOST", "PORT", "AUTH", "USER")),
    *(avro.ENVIRONMENT + name for name in ("URL", "AUTH", "ID_BYTES")),
)
LIKE = 0.85  # of two names: the one is taken for a misspelling of the other


class OriginError(Exception):
    """Nothing says where records come from, or something says it wrongly; says what to set."""


@dataclass(frozen=True)
class Origin:
    """Kafka, where ``kafka`` has settings, and else a folder or a file.

    Attributes:
        kafka: settings of Kafka's clients.
        topics: a regular expression that the whole names of topics match.
        folder: of recorded records, or one file of them.
    """

    kafka: Mapping[str, str] = field(default_factory=dict, repr=False)
    topics: str = ""
    folder: str = ""


def origin_of(
    environment: Mapping[str, str],
    recordings: str | None = None,
    brokers: str | None = None,
    topics: str | None = None,
) -> Origin:
    """Where records come from: from Kafka, if anything names its brokers.

    Args:
        recordings: what the project says; LAKEMIRROR_RECORDINGS goes over it.
        brokers: likewise, LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS.
        topics: likewise, LAKEMIRROR_TOPICS.

    Raises:
        KafkaError: there are settings of Kafka, and no broker.
        OriginError: a variable is misspelt or empty, or nothing says where.
    """
    problems = [*misspelt(environment), *empty(environment)]
    if problems:
        raise OriginError(f"the environment: {'; '.join(problems)}. Nothing was landed")
    kafka = client_settings(environment, brokers)
    if kafka:
        return Origin(kafka, environment.get(TOPICS, topics or ""))
    folder = environment.get(RECORDINGS) or recordings
    if not folder:
        raise OriginError(
            "nothing says what is landed: set recordings, or brokers and topics, of the model "
            f"landing (models/landing/_landing__models.yml), or {RECORDINGS}, or {BROKERS} and "
            f"{TOPICS}"
        )
    return Origin(folder=folder)


def misspelt(names: Iterable[str]) -> list[str]:
    """A problem for each variable that nobody reads, and whose name is nearly one that is read.

    >>> misspelt(["LAKEMIRROR_TOPIC", "LAKEMIRROR_TOPICS", "LAKEMIRROR_OWN"])
    ['nobody reads LAKEMIRROR_TOPIC; did you mean LAKEMIRROR_TOPICS?']
    """
    return [
        f"nobody reads {name}; did you mean {PREFIX}{close[0]}?"
        for name in sorted(names)
        if name.startswith(PREFIX) and name not in KNOWN and (close := nearest(name))
    ]


def nearest(name: str) -> list[str]:
    known = [other.removeprefix(PREFIX) for other in KNOWN]
    return get_close_matches(name.removeprefix(PREFIX), known, n=1, cutoff=LIKE)


def empty(environment: Mapping[str, str]) -> list[str]:
    """A problem for each variable that would name where records come from, and is empty."""
    return [
        f"{name} is set, and empty: set it, or unset it"
        for name in (BROKERS, RECORDINGS)
        if name in environment and not environment[name].strip()
    ]
