def test_a_mark_says_where_the_midnight_goes(macros):
    expected = "mirror.o /* midnight(mirror.o, stg, ops.watermark_s) */"
    assert macros.midnight("mirror.o", "stg", "ops.watermark_s") == expected


def test_landing_comes_first(macros):
    macros.context["execute"] = False
    macros.midnight("mirror.o", "stg", "ops.watermark_s")
    assert macros.refs == ["landing"]
