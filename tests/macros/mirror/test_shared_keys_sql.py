def test_the_newest_key_is_no_tombstones(macros, sql):
    found = sql(macros.newest_key_sql("raw.o version as of 7"))
    assert "max_by(key, struct(_src_ts, _kfk_offset))" in found
    assert "where key is not null and _src_ts is not null" in found
    assert "value" not in found
    assert found.endswith("from raw.o version as of 7")
    untimed = sql(macros.newest_key_sql("raw.o", "value"))
    assert "where key is not null and value is not null" in untimed


def test_a_row_moves_where_a_part_of_its_key_changes(macros, sql):
    found = sql(macros.moved_rows_sql("raw.o version as of 7", ["id", "o'c"]))
    assert "from raw.o version as of 7 where value is not null" in found
    assert found.endswith(r"where before['id'] <> after['id'] or before['o\'c'] <> after['o\'c']")


def test_rows_of_the_mirror_count_where_it_has_some(macros, sql):
    found = sql(macros.shared_keys_sql("select * from c", "m.o", "raw.o", ["id"]))
    assert "from m.o as target left semi join changed on target.`id` = changed.`id`" in found
    assert sql(macros.change_outcome(["id"])) + " = 'change'" in found
    assert "target" not in sql(macros.shared_keys_sql("select * from c", None, "raw.o", ["id"]))
