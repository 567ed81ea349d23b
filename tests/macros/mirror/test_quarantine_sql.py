def test_the_table_has_the_columns_that_are_merged_into_it(macros, sql):
    made = sql(macros.quarantine_sql())
    merged = sql(macros.quarantine_batch_sql("stage.s", "raw.o version as of 7", "mirror_o"))
    assert made.startswith("create table if not exists ops.quarantine ( quarantine_id string,")
    assert "from stage.s as stage inner join raw.o version as of 7 as raw" in merged
    assert "where stage._outcome not in ('change', 'ignored', 'truncate')" in merged
    columns = made[made.index("(") + 1 : made.index(") using")].split(",")
    for name in (column.split()[0] for column in columns):
        assert f"{name}," in merged or f"as {name} " in merged, name
