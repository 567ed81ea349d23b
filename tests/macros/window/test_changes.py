RAW = "raw.`shop__orders`"


def test_the_raw_table_is_marked(macros):
    assert macros.changes(RAW) == f"/* changes({RAW}) */{RAW}/* changes({RAW}) */"
    assert macros.refs == []


def test_landing_comes_first(macros):
    macros.context["execute"] = False
    assert macros.changes(RAW) == f"/* changes({RAW}) */{RAW}/* changes({RAW}) */"
    assert macros.refs == ["landing"]
