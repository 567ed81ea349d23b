from lakemirror.runs.mirror_plan import Known, Place, Shape

KNOWN = Known("m.o", "m.t")
FLOOR = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}


def shape(*filled):
    return Shape(["id"], ["id", "v"], filled, "hard")


def place(floor):
    return Place(None, False, None, {}, floor, None)


def test_a_change_is_compared_with_the_row_the_deletes_and_the_floor(macros, sql):
    judged = sql(macros.judged_sql("stage.s", KNOWN, shape(), place(FLOOR)))
    assert sql(macros.remembered_sql("m.t", ["id"])) in judged
    assert f"{sql(macros.floor_condition('stage', '<', FLOOR))} ) as _is_truncated" in judged
    assert sql(macros.is_newer("stage", "target")) in judged
    assert sql(macros.outdates("tombstone", "stage")) in judged
    assert "left join m.o as target" in judged


def test_a_change_that_only_completes_a_row_is_applied(macros, sql):
    whole = sql(macros.judged_sql("stage.s", KNOWN, shape(), place(None)))
    parts = sql(macros.judged_sql("stage.s", KNOWN, shape("v"), place(None)))
    completes = f"or {sql(macros.completes('stage', 'target'))} as _is_newer"
    assert completes in parts
    assert completes not in whole
    assert "coalesce(stage._unsent, target._unsent) is not null as _is_partial" in parts
    assert "_unsent" not in whole


def test_a_small_batch_is_broadcast_to_what_the_mirror_holds_and_remembers(macros, sql):
    judged = sql(macros.judged_sql("s", KNOWN, shape(), place(None), is_cached=True))
    assert "select /*+ broadcast(target, remembered) */ stage.*" in judged
    assert f"left join {sql(macros.touched_sql('m.o', 's', ['id']))} as target" in judged
    assert sql(macros.remembered_sql(macros.touched_sql("m.t", "s", ["id"]), ["id"])) in judged
