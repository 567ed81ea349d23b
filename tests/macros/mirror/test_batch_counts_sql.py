FLOOR = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}


def test_a_change_is_compared_with_the_row_the_deletes_and_the_floor(macros, sql):
    counts = sql(macros.batch_counts_sql("stage.s", "m.o", "m.t", ["id"], None, FLOOR, None))
    assert sql(macros.remembered_sql("m.t", ["id"])) in counts
    assert f"{sql(macros.floor_condition('stage', '<', FLOOR))} ) as is_truncated" in counts
    assert sql(macros.is_newer("stage", "target")) in counts
    assert sql(macros.outdates("tombstone", "stage")) in counts


def test_every_outcome_is_counted(macros, sql):
    counts = sql(macros.batch_counts_sql("stage.s", "m.o", "m.t", ["id"], None, None, None))
    for name in ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "max_src_ts"):
        assert f"as {name}" in counts


def test_new_rows_from_before_the_horizon_are_unguarded(macros, sql):
    """F06: with the horizon of a prune, and without one."""
    pruned = sql(macros.batch_counts_sql("stage.s", "m", "t", ["id"], None, None, "2026-01-13"))
    assert "is_new_row and _op <> 'd' and _src_ts < timestamp '2026-01-13' ) as unguarded" in pruned
    whole = sql(macros.batch_counts_sql("stage.s", "m", "t", ["id"], None, None, None))
    assert "0 as unguarded" in whole


def test_a_change_that_only_completes_a_row_is_applied(macros, sql):
    whole = sql(
        macros.batch_counts_sql("stage.s", "mirror.o", "mirror.t", ["id"], None, None, None)
    )
    parts = macros.batch_counts_sql(
        "stage.s", "mirror.o", "mirror.t", ["id"], None, None, None, ["v"]
    )
    completes = f"or {sql(macros.completes('stage', 'target'))} as is_newer"
    assert completes in sql(parts)
    assert completes not in whole
