def test_the_batch_loses_what_lies_below_a_floor(macros, sql):
    floor = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
    assert sql(macros.drop_truncated_sql("stage.s", floor)) == sql(f"""
        delete from stage.s as stage
        where stage._outcome = 'change'
            and {macros.floor_condition("stage", "<", floor)}
    """)
