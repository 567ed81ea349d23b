def test_what_the_log_lacks_by_column_name(macros, sql):
    assert sql(macros.new_records_sql("stage.s", ["id", "_op"])) == sql("""
        select `id`, `_op`
        from stage.s
        where _outcome = 'change' and not _is_known
    """)
