def test_names_are_quoted(macros):
    columns = [{"name": "a`b", "data_type": "bigint"}, {"name": "c", "data_type": "date"}]
    assert macros.column_definitions(columns) == "`a``b` bigint,\n`c` date"
