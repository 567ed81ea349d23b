from lakemirror.runs.mirror import soft_columns
from lakemirror.runs.settings import MirrorSettings


def test_an_empty_table_with_its_buckets_and_properties(macros, sql):
    settings = MirrorSettings.read({"unique_key": ["id"], "buckets": 4})
    columns = [
        {"name": "id", "data_type": "bigint"},
        {"name": "a`b", "data_type": "decimal(12,2)"},
    ]
    made = macros.create_mirror_sql("mirror.o", columns, settings, settings.properties)
    assert sql(made) == sql(f"""
        create table if not exists mirror.o (
            `id` bigint,
            `a``b` decimal(12,2)
        )
        using iceberg
        partitioned by (bucket(4, `id`))
        {macros.properties_clause(settings.properties)}
    """)


def test_soft_deletes_have_two_columns_more():
    assert [c["name"] for c in soft_columns("soft")] == ["_is_deleted", "_deleted_at"]
    assert [*soft_columns("hard")] == []
