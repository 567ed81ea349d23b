def test_only_what_both_know_is_compared(macros, sql):
    assert sql(macros.sent_by_both("s", "t", ["id", "v"], ["v"])) == sql("""
        s.`id`, if(
            exists(
                concat(coalesce(s._unsent, array()), coalesce(t._unsent, array())),
                unsent -> unsent.name = 'v'
            ),
            null,
            s.`v`
        )
    """)


def test_whole_rows_are_compared_whole(macros):
    assert macros.sent_by_both("s", "t", ["id", "v"], []) == "s.`id`, s.`v`"
