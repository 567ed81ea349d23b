def test_what_the_log_lacks_by_column_name(macros, sql):
    assert sql(macros.append_sql("log.v.branch_b", "stage.s", ["id", "_op"])) == sql("""
        insert into log.v.branch_b (`id`, `_op`)
        select `id`, `_op`
        from stage.s
        where _outcome = 'change' and not _is_known
    """)
