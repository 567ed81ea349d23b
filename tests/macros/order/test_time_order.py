def test_at_one_time_what_lives_stands(macros, sql):
    assert sql(macros.time_order("a")) == sql(
        f"struct(a._src_ts, a._op <> 'd', {macros.change_order('a')})"
    )
