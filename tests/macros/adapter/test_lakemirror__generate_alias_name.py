from types import SimpleNamespace

import pytest

ALIASES = {
    "mirror_shop__orders": "shop__orders",
    "daily_shop__orders": "shop__orders",
    "log_shop__visits": "shop__visits",
    "masked_shop__orders": "shop__orders",
    "fct_daily_sales": "fct_daily_sales",
}


@pytest.mark.parametrize(("name", "alias"), ALIASES.items())
def test_the_lake_drops_the_layers_prefix(macros, name, alias):
    assert macros.lakemirror__generate_alias_name(node=SimpleNamespace(name=name)) == alias


def test_an_alias_of_its_own_stands(macros):
    assert (
        macros.lakemirror__generate_alias_name("mirror_it", SimpleNamespace(name="fct_a"))
        == "mirror_it"
    )
