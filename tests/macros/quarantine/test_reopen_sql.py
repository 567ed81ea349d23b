def test_what_was_taken_in_since_is_open_again(macros, sql):
    made = sql(macros.reopen_sql("mirror_o", "2026-01-31 00:00:00"))
    assert made.startswith("update ops.quarantine set settled_at = null, settled_as = null")
    assert made.endswith(
        "where model = 'mirror_o' and settled_as = 'taken in' "
        "and settled_at >= timestamp '2026-01-31 00:00:00'"
    )
