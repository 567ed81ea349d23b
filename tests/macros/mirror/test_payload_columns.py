def test_technical_columns_are_left_out(macros):
    assert macros.payload_columns(["id", "_op", "a_b", "_src_ts"]) == ["id", "a_b"]
