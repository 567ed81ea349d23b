def test_the_deletes_of_a_key_in_one_row(macros, sql):
    assert sql(macros.remembered_sql("mirror.t", ["id", "day"])) == sql("""
        select `id`, `day`, collect_list(struct(*, 'd' as _op)) as deletes
        from mirror.t
        group by `id`, `day`
    """)
