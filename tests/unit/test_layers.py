"""The schemas that a target's prefix gives."""

from types import SimpleNamespace

import pytest

from lakemirror.layers import (
    PLAIN,
    PROPERTY,
    Layers,
    PrefixError,
    environment_of,
    layers_of_catalog,
    layers_of_raw,
    layers_with,
)


@pytest.mark.parametrize("prefix", ["", "dev_", "team_2_", "2026", None])
def test_a_prefix_begins_the_names_of_all_schemas(prefix):
    layers, text = layers_with(prefix), prefix or ""
    assert [layers.raw, layers.stage, layers.ops] == [f"{text}{n}" for n in ("raw", "stage", "ops")]
    assert layers.schema("marts") == f"{text}marts"


@pytest.mark.parametrize("prefix", ["Dev_", "dev-", "dev.", "dev ", "dev_\n", "é_", "`"])
def test_a_prefix_that_is_none(prefix):
    with pytest.raises(PrefixError) as refused:
        layers_with(prefix)
    assert str(refused.value) == (
        "schema_prefix: lower case letters, digits and underscores are expected, and not "
        f"{prefix!r}"
    )


@pytest.mark.parametrize(
    ("schema", "expected"),
    [("raw", PLAIN), ("prod_raw", Layers("prod_")), ("sink", None), ("raw_2", None)],
)
def test_whose_raw_a_schema_is(schema, expected):
    assert layers_of_raw(schema) == expected


@pytest.mark.parametrize(
    ("schema", "prefix"),
    [
        ("ops", ""),
        ("lab", ""),
        ("dev_lab", "dev_"),
        ("dev_ops", "dev_"),
        ("dev_2_marts", "dev_2_"),
        ("prod_marts", ""),
    ],
)
def test_which_environment_a_schema_is_of(schema, prefix):
    schemas = ["ops", "dev_ops", "dev_2_ops", "marts", "prod_marts"]
    assert environment_of(schema, schemas) == Layers(prefix)


def test_no_environment_has_no_schema():
    assert environment_of("marts", ["marts", "dev_ops"]) is None


def test_a_catalog_carries_the_prefix():
    assert layers_of_catalog(SimpleNamespace(properties={})) == PLAIN
    assert layers_of_catalog(SimpleNamespace(properties={PROPERTY: "dev_"})) == Layers("dev_")
