def test_of_equal_changes_the_first_delivery_is_the_greatest(macros, sql):
    assert sql(macros.change_order("c")) == sql("""
        struct( c._tx_epoch, c._tx_rank, c._tx_order, -c._kfk_partition, -c._kfk_offset )
    """)
