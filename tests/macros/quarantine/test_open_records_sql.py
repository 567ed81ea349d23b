RANGES = [{"_kfk_partition": 0, "first_offset": 3, "last_offset": 9}]


def test_only_what_another_query_has_judged(macros, sql):
    places = sql(macros.open_places_sql("mirror_o", "ab"))
    assert "where model = 'mirror_o' and settled_at is null" in places
    assert "and judged_by is distinct from 'ab'" in places


def test_files_of_other_offsets_are_left_out(macros, sql):
    found = sql(macros.open_records_sql("raw.o version as of 7", "(select 1)", RANGES))
    assert found.startswith("( select records.* from raw.o version as of 7 as records")
    assert "_kfk_partition = 0 and _kfk_offset >= 3 and _kfk_offset <= 9" in found
    assert "false" in sql(macros.open_records_sql("raw.o", "(select 1)", []))
