def test_what_is_asked_of_a_mirror(macros, sql):
    facts = sql(macros.key_facts_sql("mirror.t", ["id", "a`b"]))
    assert facts == (
        "select count(*) as live_rows, "
        "approx_count_distinct(`id`) as key_1, approx_count_distinct(`a``b`) as key_2 "
        "from mirror.t"
    )
    assert sql(macros.key_facts_sql("mirror.t", ["id", "a`b"], "mirror.t.data_files")) == (
        facts.removesuffix(" from mirror.t")
        + ", (select sum(file_size_in_bytes) from mirror.t.data_files) as size from mirror.t"
    )
