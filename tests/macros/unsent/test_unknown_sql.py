def test_live_rows_with_a_column_that_has_no_order(macros, sql):
    assert sql(macros.unknown_sql("stage.c")).endswith(
        "where _op <> 'd' and exists(_unsent, unsent -> unsent._tx_epoch is null)"
    )
