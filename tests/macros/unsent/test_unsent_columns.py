def test_the_columns_beside_the_key(macros):
    names = ["id", "v", "_op", "_unsent"]
    assert macros.unsent_columns(names, ["id"]) == ["v"]


def test_none_where_every_change_is_a_whole_row(macros):
    assert macros.unsent_columns(["id", "v", "_op"], ["id"]) == []
