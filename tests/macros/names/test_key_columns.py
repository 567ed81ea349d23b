def test_names_are_quoted_and_listed(macros):
    assert macros.key_columns(["id", "a`b"]) == "`id`, `a``b`"
    assert macros.key_columns(["id", "day"], "stage") == "stage.`id`, stage.`day`"
