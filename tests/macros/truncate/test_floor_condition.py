def test_below_the_newest_truncate(macros, sql):
    floor = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
    assert sql(macros.floor_condition("row", "<", floor)) == (
        macros.source_order("row") + " < " + sql(macros.floor_order(floor))
    )


def test_without_a_truncate_nothing_is_below(macros):
    assert macros.floor_condition("row", "<", None) == "false"
