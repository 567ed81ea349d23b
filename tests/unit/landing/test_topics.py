"""The raw table of every kind of Debezium topic."""

import doctest

import pytest

from lakemirror.landing import topics
from lakemirror.landing.topics import TopicError, raw_table, raw_tables

TABLES = {
    "shop.shop.orders": "shop__orders",
    "shop.crm.orders": "crm__orders",
    "shop.transaction": "shop__connector_transaction",
    "shop": "shop__connector_schema_change",
    "__debezium-heartbeat.shop": "shop__connector_heartbeat",
    # a table may be called transaction
    "shop.shop.transaction": "shop__transaction",
    # a topic has parts, and whoever made it may have added some
    "eu.west.shop.orders": "shop__orders",
}
DECLARED_TABLES = {
    "vt.commerce.orders": "web__orders",
    "vt.transaction": "web__connector_transaction",
    "vt": "web__connector_schema_change",
    "__debezium-heartbeat.vt": "web__connector_heartbeat",
    # whole parts: vtx does not begin with vt
    "vtx.commerce.orders": "commerce__orders",
    # a prefix with dots, and the longest wins
    "eu.west.shop.orders": "west__orders",
    "eu.west.transaction": "west__connector_transaction",
    "eu.west": "west__connector_schema_change",
    "__debezium-heartbeat.eu.west": "west__connector_heartbeat",
    "eu.north.shop.orders": "eu__orders",
}


@pytest.mark.parametrize(("topic", "table"), TABLES.items())
def test_without_an_entry_the_database_is_the_source(topic, table):
    assert raw_table(topic, {}) == table


@pytest.mark.parametrize(("topic", "table"), DECLARED_TABLES.items())
def test_an_entry_names_the_source(topic, table):
    assert raw_table(topic, {"vt": "web", "eu": "eu", "eu.west": "west"}) == table


@pytest.mark.parametrize(
    ("topic", "table"),
    [
        ("shop.shop.Order-Lines", "shop__order_lines"),
        ("shop.shop.a`; drop table b --", "shop__a___drop_table_b___"),
        ("shop.shop.a'b\"c", "shop__a_b_c"),
        ("shop.sh/op.näme", "sh_op__n_me"),
        ("__debezium-heartbeat.My-Shop", "my_shop__connector_heartbeat"),
    ],
)
def test_a_table_name_has_harmless_characters_only(topic, table):
    assert raw_table(topic, {}) == table


def test_every_topic_has_its_table():
    assert raw_tables(["b.shop.lines", "a.shop.orders", "a"], {}) == {
        "a": "a__connector_schema_change",
        "a.shop.orders": "shop__orders",
        "b.shop.lines": "shop__lines",
    }
    assert raw_tables([], {}) == {}


@pytest.mark.parametrize("found", [("a.shop.orders", "b.shop.orders"), ("a.s.x-y", "a.s.x_y")])
def test_two_topics_never_share_a_table(found):
    first, second = found
    with pytest.raises(TopicError) as error:
        raw_tables([second, first], {})
    assert str(error.value) == (
        f"the topics {first} and {second} would both land in raw.{raw_table(first, {})}: give one "
        "of them another source in the var topic_sources, "
        f"for example {{{second.rpartition('.')[0]}: other_source}}"
    )


def test_an_entry_of_its_own_parts_two_topics():
    found = ["a.shop.orders", "b.shop.orders"]
    assert raw_tables(found, {"b": "b"}) == {found[0]: "shop__orders", found[1]: "b__orders"}


def test_the_examples_in_the_documentation():
    assert doctest.testmod(topics).failed == 0
