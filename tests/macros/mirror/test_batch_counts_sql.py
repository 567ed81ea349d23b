FLOOR = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}


def test_a_change_is_compared_with_the_row_the_deletes_and_the_floor(macros, sql):
    counts = sql(macros.batch_counts_sql("stage.s", "mirror.o", "mirror.t", ["id"], None, FLOOR))
    assert sql(macros.remembered_sql("mirror.t", ["id"])) in counts
    assert f"{sql(macros.floor_condition('stage', '<', FLOOR))} ) as is_truncated" in counts
    assert sql(macros.is_newer("stage", "target")) in counts
    assert sql(macros.outdates("tombstone", "stage")) in counts


def test_every_outcome_is_counted(macros, sql):
    counts = sql(macros.batch_counts_sql("stage.s", "mirror.o", "mirror.t", ["id"], None, None))
    for name in ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "max_src_ts"):
        assert f"as {name}" in counts
