def test_the_order_within_a_lineage_and_the_time_between(macros, sql):
    assert sql(macros.is_newer("a", "b")) == sql(f"""
        if(
            {macros.same_lineage("a._tx_log", "b._tx_log")},
            {macros.change_order("a")} > {macros.change_order("b")},
            {macros.time_order("a")} > {macros.time_order("b")}
        )
    """)
