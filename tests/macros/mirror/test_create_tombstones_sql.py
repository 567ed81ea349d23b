def test_tombstones_have_the_key_and_the_order(macros, sql):
    macros.config = {"unique_key": ["id"], "buckets": 2}
    columns = [{"name": n, "data_type": "int"} for n in ("id", "v", *macros.order_columns())]
    created = sql(
        macros.create_tombstones_sql(
            "mirror.t", columns, macros.mirror_settings(macros.config, "mirror_shop__orders")
        )
    )
    assert created.startswith("create table if not exists mirror.t ( `id` int, `_tx_log` int,")
    assert "`v`" not in created
    assert "'write.merge.mode' = 'copy-on-write'" in created
    verb = "create or replace table"
    replaced = sql(
        macros.create_tombstones_sql(
            "mirror.t", columns, macros.mirror_settings(macros.config, "mirror_shop__orders"), verb
        )
    )
    assert replaced == created.replace("create table if not exists", "create or replace table")
