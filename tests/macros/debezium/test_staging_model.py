"""The SQL of a staging model as an analyst reads it."""

from pathlib import Path

import jinja2
import yaml

MODELS = Path(__file__).parents[3] / "models" / "staging" / "shop"


def test_a_staging_model_of_eight_columns_is_read_on_two_pages(macros):
    """At most 120 lines, each column with an expression of its own."""
    sources = yaml.safe_load((MODELS / "_shop__sources.yml").read_text(encoding="utf-8"))
    tables = {table["name"]: table for table in sources["sources"][0]["tables"]}
    macros.columns = tables["orders"]["columns"]
    assert len(macros.columns) == 8
    model = (MODELS / "stg_shop__orders.sql").read_text(encoding="utf-8")
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined)
    # no text: that would be the expressions of a producer that is not Debezium
    raw = type("Relation", (), {"__str__": lambda self: "raw.shop__orders"})()
    sql = environment.from_string(model).render({**macros.context, "source": lambda *_: raw})
    assert [f"as `{c['name']}`" for c in macros.columns if f"as `{c['name']}`" not in sql] == []
    assert len(sql.splitlines()) <= 120
