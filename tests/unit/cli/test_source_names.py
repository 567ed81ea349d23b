"""Names of sources: what is said of one that none can have, and that what it proposes works."""

import doctest
import re

import pyarrow as pa
import pytest
import yaml

from lakemirror.cli import source_names
from lakemirror.cli.errors import CallError
from lakemirror.cli.source_names import NAME, check_name, topic_sources
from lakemirror.landing.topics import TOPIC_PROPERTY, raw_table
from support.small_lake import add_table, small_lake

EMPTY = pa.schema([("key", pa.string())]).empty_table()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "dbt_project.yml").write_text("{name: p, vars: {topic_sources: {vt: commerce}}}")
    return tmp_path


def land(folder, *topics):
    catalog = small_lake(folder, {})
    for topic in topics:
        table = add_table(catalog, f"raw.{raw_table(topic, {})}", EMPTY)
        with table.transaction() as change:
            change.set_properties({TOPIC_PROPERTY: topic})


def said_of(folder, source):
    with pytest.raises(CallError) as error:
        check_name(folder, {"LAKEMIRROR_LAKE": str(folder / "lake")}, source)
    return str(error.value)


@pytest.mark.parametrize(
    ("schema", "source", "name"),
    [
        ("2shop", "2shop", "s2shop"),
        ("shop_", "shop_", "shop"),
        ("my--shop", "my--shop", "my_shop"),
        ("my--shop", "my__shop", "my_shop"),
    ],
)
def test_the_proposed_entry_gives_a_schema_another_source(folder, schema, source, name):
    topics = [f"p.{schema}.orders", f"p.{schema}.lines"]
    land(folder, *topics, "p.crm.people")
    said = said_of(folder, source)
    assert said.startswith(f"{source!r} is not the name of a source: it has lower-case letters")
    assert said.endswith("dbt run --select landing --full-refresh. Nothing was written")
    entries = yaml.safe_load(re.search(r"[{].+[}]", said)[0])
    assert {raw_table(topic, entries) for topic in topics} == {f"{name}__orders", f"{name}__lines"}
    assert NAME.fullmatch(name)
    assert raw_table("p.crm.people", entries) == "crm__people"


def test_the_proposed_source_is_no_other(folder):
    land(folder, "p.shop_.orders", "p.shop.orders")
    assert "{p.shop_: shop_2}" in said_of(folder, "shop_")


@pytest.mark.parametrize("source", ["Shop", "sh-op", "shopp-"])
def test_a_near_name_is_proposed(folder, source):
    land(folder, "p.shop.orders")
    said = f"{source!r} is not the name of a source; did you mean shop? Nothing was written"
    assert said_of(folder, source) == said


def test_without_a_lake_the_rule_is_said(folder):
    said = said_of(folder, "2shop")
    assert "The var topic_sources in dbt_project.yml names the source of topics." in said


def test_a_name_of_a_source(folder):
    check_name(folder, {}, "shop_2")


def test_the_var_topic_sources(folder):
    assert topic_sources(folder) == {"vt": "commerce"}
    file = folder / "dbt_project.yml"
    file.write_text("{name: p, vars: {p: {topic_sources: {a: b}}}}")
    assert topic_sources(folder) == {"a": "b"}
    file.unlink()
    with pytest.raises(CallError, match="where dbt_project"):
        topic_sources(folder)


def test_the_examples_in_the_documentation():
    assert doctest.testmod(source_names).failed == 0
