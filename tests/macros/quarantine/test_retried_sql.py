from lakemirror.state.ops_tables import TAKEN_IN


def test_a_recordis_usable_as_the_fold_takes_it(macros, sql):
    made = sql(macros.retried_sql("stage.r", "select * from c", ["id"]))
    assert sql(macros.change_outcome(["id"])) in made
    assert "_outcome in ('change', 'ignored', 'truncate')" in made
    assert "'no key'" not in sql(macros.retried_sql("stage.r", "select * from c", []))


def test_the_others_keep_by_what_they_were_judged(macros, sql):
    settled = sql(macros.settle_sql("stage.r", "mirror_o", "ab", "01"))
    assert "old.model = 'mirror_o' and old.settled_at is null" in settled
    assert (
        f"when matched and new.is_usable then update set old.settled_at = current_timestamp(), "
        f"old.settled_as = '{TAKEN_IN}'" in settled
    )
    assert settled.endswith("old.reason = new._outcome, old.judged_by = 'ab'")
