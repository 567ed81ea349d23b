def test_only_the_mark_of_the_table_becomes_the_clause(macros):
    sql = f"select * from {macros.changes('raw.a')}, {macros.changes('raw.b')}"
    assert macros.pinned(sql, "raw.a", "version as of 7") == (
        "select * from raw.a version as of 7, /* changes(raw.b) */raw.b/* changes(raw.b) */"
    )
