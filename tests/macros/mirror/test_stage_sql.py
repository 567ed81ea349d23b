from types import SimpleNamespace

import pytest


class Batch(SimpleNamespace):
    def __str__(self) -> str:
        return f"{self.schema}.{self.name}" if self.schema else self.name


@pytest.mark.parametrize(
    ("buckets", "clause", "mode"),
    [(16, "partitioned by (bucket(16, `id`))", "hash"), (None, "", "none")],
)
def test_with_buckets_rows_are_written_by_bucket(macros, sql, buckets, clause, mode):
    settings = {"key": ["id"], "buckets": buckets, "bucket_by": "id"}
    stage = Batch(schema="stage", name="s")
    assert sql(macros.stage_sql(stage, "select 1", settings)) == sql(f"""
        create table stage.s
        using iceberg
        {clause}
        tblproperties (
            'write.distribution-mode' = '{mode}',
            'write.parquet.compression-codec' = 'zstd',
            'write.parquet.dict-size-bytes' = '4096'
        )
        as
        select 1
    """)


def test_a_batch_without_a_schema_is_cached(macros, sql):
    assert (
        sql(macros.stage_sql(Batch(schema=None, name="s"), "select 1", {}))
        == "cache table s__rows as select 1"
    )
