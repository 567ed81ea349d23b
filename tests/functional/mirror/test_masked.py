"""A masked view shows what is said to be free, and no column that is new: F54."""

import json

from pyspark.sql import SparkSession

from support.lake import Lake
from support.one_table import Shop

VIEW = """
{{ config(materialized='view', schema='masked') }}
{{ masked(ref('mirror_shop__t')) }}
"""


def test_a_new_column_is_masked(lake: Lake, spark: SparkSession) -> None:
    shop = Shop(lake)
    shop.write("models/masked/masked_shop__t.sql", VIEW)
    columns = [{"name": "ID", "config": {"meta": {"pii": False}}}]
    columns += [{"name": "v", "config": {"meta": {"pii": True}}}]
    models = [{"name": "masked_shop__t", "columns": columns}]
    shop.write("models/masked/_masked.yml", json.dumps({"models": models}))
    shop.deliver((10, 1, "c", 1))
    spark.sql("alter table mirror.shop__t add column email string")
    spark.sql("update mirror.shop__t set email = 'ada@example.org'")
    shop.dbt("run", "--select", "masked_shop__t")
    found = spark.sql("select id, v, email, _op from masked.shop__t").collect()
    assert [tuple(row) for row in found] == [(1, None, None, "c")]
