def test_the_deletes_of_the_stage_are_remembered(macros, sql):
    assert sql(macros.tombstones_sql("mirror.t", "stage.s", ["id", "day"])) == sql("""
        insert into mirror.t
        select
            `id`, `day`, _tx_epoch, _tx_rank, _tx_order, _src_ts, _kfk_partition, _kfk_offset
        from stage.s
        where _outcome = 'change' and _op = 'd'
    """)
