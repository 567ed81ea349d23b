"""Where records come from, and what is refused before anything lands; G8."""

import pytest

from lakemirror.landing.broker import KafkaError
from lakemirror.landing.origin import BROKERS, RECORDINGS, TOPICS, OriginError, origin_of

PROJECT = {"recordings": "/data", "brokers": "", "topics": ""}
BROKER = {"recordings": "", "brokers": "a:1", "topics": "shop.*"}


def test_a_project_says_where():
    assert origin_of({"LAKEMIRROR_LAKE": "x"}, **PROJECT).folder == "/data"
    found = origin_of({}, **BROKER)
    assert (found.kafka, found.topics) == ({"bootstrap.servers": "a:1"}, "shop.*")


def test_the_environment_goes_over_it():
    assert origin_of({RECORDINGS: "/other"}, **PROJECT).folder == "/other"
    found = origin_of({BROKERS: "b:2", TOPICS: "x"}, **PROJECT)
    assert (found.kafka, found.topics) == ({"bootstrap.servers": "b:2"}, "x")
    found = origin_of({BROKERS: "b:2", "LAKEMIRROR_KAFKA_SASL_MECHANISM": "PLAIN"}, **BROKER)
    assert (found.kafka["bootstrap.servers"], found.topics) == ("b:2", "shop.*")
    assert origin_of({TOPICS: ""}, **BROKER).topics == ""  # which landing refuses


@pytest.mark.parametrize("given", [{}, {"recordings": None}, {"recordings": "", "topics": "x"}])
def test_nothing_says_where(given):
    """No folder of anybody's is a default."""
    with pytest.raises(OriginError, match="nothing says what is landed: set recordings, or"):
        origin_of({"LAKEMIRROR_LAKE": "x"}, **given)


@pytest.mark.parametrize("value", ["", "  "])
@pytest.mark.parametrize("name", [BROKERS, RECORDINGS])
def test_a_variable_that_is_empty(name, value):
    with pytest.raises(OriginError, match=f"{name} is set, and empty"):
        origin_of({name: value}, **PROJECT)
    with pytest.raises(OriginError, match=f"{name} is set, and empty"):
        origin_of({name: value}, **BROKER)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("LAKEMIRROR_KAFKA_BOOTSTRAP_SERVER", BROKERS),
        ("LAKEMIRROR_KAKFA_BOOTSTRAP_SERVERS", BROKERS),
        ("LAKEMIRROR_BOOTSTRAP_SERVERS", BROKERS),
        ("LAKEMIRROR_TOPIC", TOPICS),
        ("LAKEMIRROR_RECORDING", RECORDINGS),
        ("LAKEMIRROR_REGISTRY_URI", "LAKEMIRROR_REGISTRY_URL"),
        ("LAKEMIRROR_LAKES", "LAKEMIRROR_LAKE"),
    ],
)
def test_a_variable_that_is_misspelt(name, meant):
    for project in (PROJECT, BROKER):
        with pytest.raises(OriginError) as problem:
            origin_of({name: "hush"}, **project)
        assert f"nobody reads {name}; did you mean {meant}?" in str(problem.value)
        assert "hush" not in str(problem.value)


@pytest.mark.parametrize(
    "name",
    [
        "LAKEMIRROR_KAFKA_SSL_TRUSTSTORE_TYPE",
        "LAKEMIRROR_STACK_PORT",
        "LAKEMIRROR_SHOP_DATABASE_URL",
        "LAKEMIRROR_SEED",
        "LAKE_MIRROR_TOPICS",
    ],
)
def test_a_variable_of_somebodys_own(name):
    assert origin_of({name: "x", BROKERS: "a:1"}, **PROJECT).kafka["bootstrap.servers"] == "a:1"


def test_settings_of_kafka_without_a_broker():
    with pytest.raises(KafkaError, match="BOOTSTRAP_SERVERS is not set"):
        origin_of({"LAKEMIRROR_KAFKA_SASL_MECHANISM": "PLAIN"}, **PROJECT)
