def test_a_mark_says_where_the_midnight_goes(macros):
    assert macros.midnight("mirror.o", "stg") == "mirror.o /* midnight(mirror.o, stg) */"


def test_the_watermarks_come_first(macros):
    macros.context["execute"] = False
    macros.midnight("mirror.o", "stg")
    assert macros.refs == ["watermarks", "landing"]
