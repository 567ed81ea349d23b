"""What is planned of a landing from Kafka, and how it is configured."""

import pytest

from lakemirror.landing.broker import KafkaError, Topic, client_settings
from lakemirror.landing.kafka_plan import (
    NO_ID,
    OFFSETS,
    TOPIC_ID,
    Memory,
    Range,
    matching,
    remembered,
    slices,
)
from lakemirror.landing.raw import RawConflictError
from lakemirror.state.window import ERASED, LAST, Snapshot, known_ends

TOPIC = Topic("shop.orders", "id", (0,))
TOLD = {OFFSETS: '{"0": 5}', TOPIC_ID: "id"}


@pytest.mark.parametrize(
    ("ranges", "most", "expected"),
    [
        ([], 4, []),
        ([(0, 3, 3)], 4, []),
        ([(0, 0, 4)], 4, [[(0, 0, 4)]]),
        ([(0, 0, 5), (1, 7, 9)], 4, [[(0, 0, 4)], [(0, 4, 5), (1, 7, 9)]]),
        ([(0, 0, 2), (2, 5, 12)], 4, [[(0, 0, 2), (2, 5, 7)], [(2, 7, 11)], [(2, 11, 12)]]),
    ],
)
def test_a_commit_takes_a_slice(ranges, most, expected):
    found = list(slices([Range(*part) for part in ranges], most))
    assert found == [[Range(*part) for part in piece] for piece in expected]


@pytest.mark.parametrize(
    ("later", "is_known", "checks"),
    [
        ([], True, False),
        ([("replace", {})], True, False),
        ([("delete", {})], True, False),
        ([("append", {})], False, True),
        ([("overwrite", {})], False, False),
        # one that goes on from what landing has said tells nothing of its own moment
        ([("append", {}), ("append", TOLD)], False, False),
        ([("overwrite", {ERASED: "x"})], True, False),
        ([("append", TOLD | {LAST: "true"}), ("replace", {})], True, False),
    ],
)
def test_what_a_table_is_known_to_have(later, is_known, checks):
    """F02, F32: of what others have landed nothing is known."""
    told = [("append", TOLD | {LAST: "true"}), *later]
    commits = [Snapshot(n, n - 1 or None, *each) for n, each in enumerate(told, 1)]
    found = remembered(commits[::-1], TOPIC, "raw.orders")
    assert found == Memory({0: 5}, len(told), checks)
    assert known_ends(commits[::-1]) == ({0: 5} if is_known else None)


def test_what_no_commit_tells():
    assert remembered([], TOPIC, "raw.orders") == Memory({}, None, False)
    others = [Snapshot(7, None, "append", {})]
    assert remembered(others, TOPIC, "raw.orders") == Memory({}, 7, True)


@pytest.mark.parametrize(("topic", "said"), [("id", NO_ID), (NO_ID, "id")])
def test_a_broker_that_gives_topics_no_ids(topic, said):
    commits = [Snapshot(7, None, "append", {**TOLD, TOPIC_ID: said})]
    found = remembered(commits, Topic("shop.orders", topic, (0,)), "raw.orders")
    assert found == Memory({0: 5}, 7, topic == NO_ID)


def test_another_topic_of_the_name():
    commits = [Snapshot(7, None, "append", TOLD)]
    with pytest.raises(RawConflictError, match=r"raw\.orders has .* topic shop\.orders that was"):
        remembered(commits, Topic("shop.orders", "new", (0,)), "raw.orders")


def test_settings_are_kafkas_own():
    environment = {
        "LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS": "a:1,b:2",
        "LAKEMIRROR_KAFKA_SASL_MECHANISM": "PLAIN",
        "LAKEMIRROR_KAFKA_SSL_KEYSTORE_LOCATION": "",
        "LAKEMIRROR_LAKE": "lake",
    }
    expected = {"bootstrap.servers": "a:1,b:2", "sasl.mechanism": "PLAIN"}
    assert client_settings(environment) == expected
    assert client_settings({"LAKEMIRROR_LAKE": "lake"}) == {}


def test_settings_without_a_broker():
    with pytest.raises(KafkaError) as problem:
        client_settings({"LAKEMIRROR_KAFKA_SASL_PASSWORD": "secret"})
    assert "BOOTSTRAP_SERVERS is not set" in str(problem.value)
    assert "LAKEMIRROR_KAFKA_SASL_PASSWORD is" in str(problem.value)
    assert "secret" not in str(problem.value)


def test_whole_names_match():
    names = ["shop", "shop.shop.orders", "workshop", "schema_history.shop"]
    assert matching(names, "shop([.].*)?", "k:9092") == ["shop", "shop.shop.orders"]


@pytest.mark.parametrize("pattern", ["", "shops", "("])
def test_what_matches_nothing_is_refused(pattern):
    with pytest.raises(KafkaError, match="LAKEMIRROR_TOPICS"):
        matching(["shop"], pattern, "k:9092")
