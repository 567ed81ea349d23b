def test_one_order_in_one_lineage(macros, sql):
    assert sql(macros.same_place("a", "b")) == sql(f"""
        {macros.source_order("a")} = {macros.source_order("b")}
        and {macros.same_lineage("a._tx_log", "b._tx_log")}
    """)
