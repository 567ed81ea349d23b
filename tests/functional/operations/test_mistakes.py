"""A name that nobody knows, or that stands where nobody reads it, is an error."""

from support.lake import Lake, messages
from support.one_table import Shop


def test_a_misspelt_name_or_a_misplaced_one(lake: Lake) -> None:
    """G5: nothing is merged, and the error asks whether another name is meant, or says where."""
    shop = Shop(lake)
    shop.send(("c", 1, 10))
    shop.merge()
    before = lake.snapshots("mirror.shop__t")
    shop.send(("c", 2, 20))
    refused = shop.dbt("run", "--vars", "{replayy: true}", fails=True)
    assert "nobody reads a var of this name; did you mean replay?" in messages(refused)
    shop.write_mirror("t", "buckets=2, on_dorp='drop'")
    said = shop.merge(fails=True)
    assert "on_dorp: a mirror has no such configuration; did you mean on_drop?" in said
    shop.write_mirror("t")
    shop.declare(id={"data_type": "int"}, v={"data_type": "int", "default": 5})
    said = shop.merge(fails=True)
    assert "column v: default stands under config: `config: {meta: {default: 5}}`" in said
    assert lake.snapshots("mirror.shop__t") == before
    assert shop.values() == {1: 10}
