def test_a_name_stays_one_identifier(macros):
    assert macros.quoted("order_id") == "`order_id`"
    assert macros.quoted("a`b'c") == "`a``b'c`"
