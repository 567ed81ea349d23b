def test_a_later_order_of_a_column_that_the_row_lacks(macros, sql):
    assert sql(macros.completes("stage", "target")) == sql(f"""
        coalesce(
            exists(
                target._unsent,
                unsent -> exists(
                    array({macros.known_at("stage", "unsent.name")}),
                    known -> {macros.change_order("known")} > {macros.change_order("unsent")}
                )
            ),
            false
        )
    """)
