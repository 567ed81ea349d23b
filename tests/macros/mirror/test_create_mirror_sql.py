from lakemirror.runs.batch import tombstone_properties
from lakemirror.runs.mirror_plan import soft_columns
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


def test_tombstones_rewrite_files_and_may_be_made_anew(macros, sql):
    """Which columns they have is MirrorRun.tombstones_sql's: tests/unit/runs/test_mirror.py."""
    settings = MirrorSettings.read({"unique_key": ["id"], "buckets": 2})
    columns = [{"name": name, "data_type": "int"} for name in ("id", "_tx_log")]
    given = ("m.t", columns, settings, tombstone_properties(settings.properties))
    created = sql(macros.create_mirror_sql(*given))
    assert created.startswith("create table if not exists m.t ( `id` int, `_tx_log` int )")
    assert "'write.merge.mode' = 'copy-on-write'" in created
    replaced = sql(macros.create_mirror_sql(*given, "create or replace table"))
    assert replaced == created.replace("create table if not exists", "create or replace table")


def test_soft_deletes_have_two_columns_more():
    assert [c["name"] for c in soft_columns("soft")] == ["_is_deleted", "_deleted_at"]
    assert [*soft_columns("hard")] == []
