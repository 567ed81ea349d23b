def test_all_of_it_is_applied(macros, sql):
    """Decision 16."""
    assert sql(macros.following_sql("s")) == sql("""
        select
            *,
            _outcome = 'change' as _is_ordered,
            true as _is_applied,
            true as _is_new_row,
            false as _is_same,
            false as _is_outdated
        from s
    """)
    assert "_unsent is not null as _is_partial," in macros.following_sql("s", ["v"])
