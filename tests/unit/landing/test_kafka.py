"""What is planned of a landing from Kafka, and how it is configured."""

import pytest

from lakemirror.landing.broker import KafkaError, client_settings
from lakemirror.landing.kafka_plan import Range, matching, slices


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
