def test_epoch_then_rank_then_order(macros):
    assert macros.source_order("c") == "struct(c._tx_epoch, c._tx_rank, c._tx_order)"
