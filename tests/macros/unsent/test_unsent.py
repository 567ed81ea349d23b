def test_no_order_is_known(macros, sql):
    assert sql(macros.unsent("names")).startswith(
        "transform( names, name -> struct( name, cast(null as bigint) as _tx_epoch,"
    )
