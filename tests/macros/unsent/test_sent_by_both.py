def test_only_what_both_know_is_compared(macros):
    sent = [macros.is_sent(row, "'v'") for row in ("s", "t")]
    assert macros.sent_by_both("s", "t", ["id", "v"], ["v"]) == (
        f"s.`id`, if({sent[0]} and {sent[1]}, s.`v`, null)"
    )


def test_whole_rows_are_compared_whole(macros):
    assert macros.sent_by_both("s", "t", ["id", "v"], []) == "s.`id`, s.`v`"
