from lakemirror.state.ops_tables import LEFT_OUT, QUARANTINE, TAKEN_IN


def test_the_table_has_the_columns_that_are_merged_into_it(macros, sql):
    merged = sql(macros.quarantine_batch_sql("stage.s", "raw.o version as of 7", "mirror_o", "ab"))
    assert "from stage.s as stage inner join raw.o version as of 7 as raw" in merged
    assert "where stage._outcome not in ('change', 'ignored', 'truncate')" in merged
    for name in QUARANTINE.columns:
        is_set = f"old.{name} = null" in merged
        assert is_set or f"{name}," in merged or f"as {name} " in merged, name


def test_what_was_taken_in_is_opened_again_and_what_was_left_out_is_not(macros, sql):
    merged = sql(macros.quarantine_batch_sql("stage.s", "raw.o", "mirror_o", "ab"))
    assert f"when matched and ( old.settled_as = '{TAKEN_IN}' or" in merged
    assert LEFT_OUT not in merged
    assert "on old.model = 'mirror_o' and old.quarantine_id = new.quarantine_id" in merged
