def test_a_record_of_each_of_three_reasons(macros, sql):
    found = sql(macros.bad_examples_sql("stage.s", "raw.o version as of 7"))
    assert "where _outcome not in ('change', 'ignored', 'truncate') group by _outcome" in found
    assert "limit 3" in found
    assert "inner join raw.o version as of 7 as raw" in found
