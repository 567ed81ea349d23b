def test_the_newest_known_value_of_each_column(macros, sql):
    filled = sql(macros.filled_sql("states", ["id", "day"], ["a`b"]))
    known_at = sql(macros.known_at("states", "'a`b'"))
    assert f"struct( `a``b` as value, {known_at} as at ) as `a``b`" in filled
    order = sql(macros.change_order("_known.`a``b`.at"))
    assert f"max_by( _known.`a``b`, {order} ) over (partition by `id`, `day`)" in filled
    assert "_kept.`a``b`.value as `a``b`," in filled
    assert "remembered" not in filled


def test_no_value_from_before_a_delete_or_a_floor(macros, sql):
    filled = sql(macros.filled_sql("states", ["id"], ["v"], "mirror.t", ["floor"]))
    assert sql(macros.remembered_sql("mirror.t", ["id"])) in filled
    assert "array(floor) as _floors" in filled
    assert "_floors ), limit -> limit < " + macros.source_order("newest") in filled
    order = macros.source_order("_newest.`v`.at")
    assert f"if( coalesce({order} > _limit, true), _newest.`v`, null )" in filled


def test_records_that_are_no_changes_stay_apart(macros, sql):
    filled = sql(macros.filled_sql("states", ["id", "_outcome"], ["v"]))
    assert "over (partition by `id`, `_outcome`)" in filled
