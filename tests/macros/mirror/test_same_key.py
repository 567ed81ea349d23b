def test_every_column_is_equal(macros):
    assert macros.same_key("a", "b", ["id"]) == "a.`id` = b.`id`"
    assert macros.same_key("a", "b", ["id", "day"]) == "a.`id` = b.`id` and a.`day` = b.`day`"
