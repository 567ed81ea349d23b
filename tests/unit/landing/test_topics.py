"""The raw table of every kind of Debezium topic."""

import ast
import doctest
import re

import pytest

from lakemirror.landing import topics
from lakemirror.landing.topics import (
    SCHEMA_CHANGE,
    TRANSACTION,
    held,
    is_ambiguous,
    misplaced,
    misplaced_warning,
    parting,
    raw_table,
    raw_tables,
    rivals_of,
    shared_tables,
    unsubscribed,
    unsubscribed_warning,
)

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
    "eu.west": "west__connector_schema_change",
    "__debezium-heartbeat.eu.west": "west__connector_heartbeat",
    "eu.north.shop.orders": "eu__orders",
    # the whole topic of a table
    "p.shop.order.items": "shop__order_items",
    "p.shop.Orders": "upper__orders",
    "eu.west.crm.people": "staff__people",
}
DECLARED = {
    **{"vt": "web", "eu": "eu", "eu.west": "west", "p.shop.order.items": "shop"},
    **{"p.shop.Orders": "upper", "eu.west.crm.people": "staff"},
}


@pytest.mark.parametrize(("topic", "table"), TABLES.items())
def test_without_an_entry_the_database_is_the_source(topic, table):
    assert raw_table(topic, {}) == table


@pytest.mark.parametrize(("topic", "table"), DECLARED_TABLES.items())
def test_an_entry_names_the_source(topic, table):
    assert raw_table(topic, DECLARED) == table


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


@pytest.mark.parametrize(
    ("topic", "sources", "side", "table"),
    [
        # prefix and database, or a prefix with a dot: the values tell
        ("p.shop.transaction", {"p.shop": "x"}, None, "x__transaction"),
        ("p.shop.transaction", {"p.shop": "x"}, TRANSACTION, "x__connector_transaction"),
        ("eu.west.transaction", {}, TRANSACTION, "west__connector_transaction"),
        ("eu.west.prod", {"eu.west.prod": "x"}, None, "x__prod"),
        ("eu.west.prod", {"eu.west.prod": "x"}, SCHEMA_CHANGE, "x__connector_schema_change"),
    ],
)
def test_values_tell_what_a_name_does_not(topic, sources, side, table):
    assert is_ambiguous(topic, sources)
    assert raw_table(topic, sources, side) == table


@pytest.mark.parametrize(
    "topic", ["p.transaction", "p.shop.orders", "p", "__debezium-heartbeat.a.b.transaction"]
)
def test_most_names_tell_it_themselves(topic):
    assert not is_ambiguous(topic, {"p": "x"})


@pytest.mark.parametrize(
    ("topics", "sources", "entries"),
    [
        # two connectors: all of the second one's database
        (["a.shop.orders", "b.shop.orders"], {}, {"b.shop": "other_source"}),
        # two tables of one: the second alone
        (["p.shop.Orders", "p.shop.orders"], {}, {"p.shop.orders": "other_source"}),
        (["a.s.x-y", "a.s.x_y"], {"a": "crm"}, {"a.s.x_y": "other_source"}),
        (["p.shop.x.items", "q.x.items"], {"p.shop.x.items": "x"}, {"q.x": "other_source"}),
        (
            ["a.shop.orders", "b.shop.orders", "c.shop.orders"],
            {},
            {"b.shop": "other_source", "c.shop": "other_source_2"},
        ),
        (["A", "a"], {}, {"a": "other_source"}),
        (["A.transaction", "a.transaction"], {}, {"a": "other_source"}),
        (["__debezium-heartbeat.A", "__debezium-heartbeat.a"], {}, {"a": "other_source"}),
    ],
)
def test_what_the_message_proposes_parts_two_topics(topics, sources, entries):
    tables = raw_tables(topics, sources)
    (group,) = rivals_of(tables, {})
    assert parting([group], sources, {}) == (entries, [])
    proposed = ", ".join(f"{beginning}: {source}" for beginning, source in entries.items())
    said = shared_tables([group], topics, sources)
    assert said == (
        f"the topics {' and '.join(topics)} would both land in raw.{tables[topics[0]]}: give one "
        "of them another source in the var topic_sources of dbt_project.yml, for example "
        f"{{{proposed}}}. Until then {', '.join(topics)} are not landed, and the files that have "
        "them are landed again."
    )
    assert rivals_of(raw_tables(topics, {**sources, **entries}), {}) == []


def test_topics_that_no_entry_parts_are_named():
    """Their names have two parts, so an entry is a connector's."""
    said = shared_tables([("s.Orders", "s.orders")], ["s.Orders", "s.orders"], {})
    assert "no entry of topic_sources tells s.orders apart: leave it out of the topics" in said
    assert "for example" not in said


def test_a_table_stays_with_the_topic_that_has_it():
    tables = raw_tables(["p.shop.Orders", "p.shop.orders", "p.shop.lines"], {})
    owners = {"shop__orders": "p.shop.orders"}
    rivals = rivals_of(tables, owners)
    assert rivals == [("p.shop.orders", "p.shop.Orders")]
    assert held(rivals, tables, owners) == {"p.shop.Orders"}
    assert parting(rivals, {}, {}) == ({"p.shop.Orders": "other_source"}, [])
    # a topic is no rival of itself
    assert rivals_of({"p.shop.lines": "shop__lines"}, {"shop__lines": "p.shop.lines"}) == []
    # also where it brings nothing now
    other = raw_tables(["b.shop.orders"], {})
    rivals = rivals_of(other, {"shop__orders": "a.shop.orders"})
    assert rivals == [("a.shop.orders", "b.shop.orders")]
    assert held(rivals, other, {"shop__orders": "a.shop.orders"}) == {"b.shop.orders"}


def test_nobody_else_waits_for_two_topics():
    tables = raw_tables(["p.shop.Orders", "p.shop.orders", "p.shop.lines", "q", "q.crm.a"], {})
    assert held(rivals_of(tables, {}), tables, {}) == {"p.shop.Orders", "p.shop.orders"}


def test_a_connector_waits_whose_schema_changes_land():
    """They name both tables, and would say of the one what the other has."""
    own = ["p", "p.shop.Orders", "p.shop.orders", "p.transaction", "__debezium-heartbeat.p"]
    tables = raw_tables([*own, "q", "q.crm.a", "pp.crm.b"], {})
    assert held(rivals_of(tables, {}), tables, {}) == {*own}


def test_a_table_whose_name_has_a_dot_is_told():
    topics = ["p.shop.orders", "p.shop.order.items", "p.shop.a.b"]
    found = misplaced(topics, {})
    assert found == {"p.shop.a.b": "shop", "p.shop.order.items": "shop"}
    assert "{p.shop.a.b: shop, p.shop.order.items: shop}" in misplaced_warning(found)
    assert sorted(raw_tables(topics, found).values()) == [
        *("shop__a_b", "shop__order_items", "shop__orders")
    ]
    assert misplaced(topics, found) == {}


@pytest.mark.parametrize("pattern", [r"shop\..*", "shop[.].*", r"(shop|crm)\..+", "shop[.]a.*"])
def test_a_pattern_that_leaves_out_the_schema_changes(pattern):
    names = ["shop", "shop.shop.a", "shop.transaction", "crm.public.b", "other", "other.x.c"]
    landed = [name for name in names if re.fullmatch(pattern, name)]
    assert unsubscribed(names, [*landed, "shop.shop.a"]) == ["shop"]
    said = unsubscribed_warning(["shop"], pattern)
    wanted = ast.literal_eval(re.search(r"too: ('.+') matches it", said)[1])
    assert [name for name in names if re.fullmatch(wanted, name)] == ["shop", *landed]


def test_a_prefix_with_dots_has_schema_changes_too():
    assert unsubscribed(["eu.west", "eu.west.shop.a"], ["eu.west.shop.a"]) == ["eu.west"]
    # a topic of a database alone is none
    assert unsubscribed(["p", "p.shop", "p.shop.a"], ["p", "p.shop.a"]) == []
    assert unsubscribed(["p", "p.transaction"], ["p.transaction"]) == []


@pytest.mark.parametrize(
    "beside", ["eu.west", "eu.west.transaction", "__debezium-heartbeat.eu", "other.west.a", "eu"]
)
def test_a_prefix_with_a_dot_is_not(beside):
    assert misplaced([beside, "eu.west.shop.orders"], {}) == {}


def test_an_entry_of_its_own_parts_two_topics():
    found = ["a.shop.orders", "b.shop.orders"]
    assert raw_tables(found, {"b": "b"}) == {found[0]: "shop__orders", found[1]: "b__orders"}


def test_the_examples_in_the_documentation():
    assert doctest.testmod(topics).failed == 0
