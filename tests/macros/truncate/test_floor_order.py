def test_the_floor_as_an_order(macros, sql):
    floor = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
    assert sql(macros.floor_order(floor)) == (
        "struct( 0L as _tx_epoch, 10L as _tx_rank, 3L as _tx_order )"
    )
