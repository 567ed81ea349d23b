def test_as_given(macros, sql):
    assert sql(macros.set_properties_sql("mirror.t", {"a.b": 1, "c": "d"})) == (
        "alter table mirror.t set tblproperties ( 'a.b' = '1', 'c' = 'd' )"
    )
