SNAPSHOT = {"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 10, "_tx_order": -1}


def test_older_and_not_in_the_snapshot(macros, sql):
    assert sql(macros.absent_rows_sql("mirror.t", "stage.s", ["id"], SNAPSHOT)) == sql(f"""
        select target.`id`
        from mirror.t as target
        left anti join (
            select distinct `id`
            from stage.s as stage
            where
                stage._tx_log <=> cast(null as string)
                and {macros.floor_condition("stage", "=", SNAPSHOT)}
        ) as listed
            on target.`id` = listed.`id`
        where
            {macros.before_snapshot("target", SNAPSHOT)}
    """)
