from types import SimpleNamespace

KNOWN = {"mirror": {"added": ["n"]}, "has_new_key": False}
UNSENT = {"mirror": {"added": ["n", "_unsent"]}, "has_new_key": False}
NEW_KEY = {"mirror": {"added": []}, "has_new_key": True}
START = {"_tx_epoch": 1, "_tx_rank": 7, "_src_ts": "2026-01-01 00:00:00"}
MEMORY = SimpleNamespace(deletes="m.t", is_unwritten=False)
BATCH, REBUILD, FIRST = (
    SimpleNamespace(is_rebuild=is_rebuild, is_first=is_first)
    for is_rebuild, is_first in ((False, False), (True, False), (False, True))
)


def test_a_batch_is_judged_by_what_may_be_newer(macros, sql):
    rows = sql(macros.rows_to_judge("m.t", "s", BATCH, KNOWN, START))
    assert rows == f"( select * from m.t where {sql(macros.may_outdate(START))} )"
    assert macros.rows_to_judge("m.t", "s", BATCH, KNOWN, None) == "m.t"
    deletes = sql(macros.deletes_to_judge("s", MEMORY, ["id"], KNOWN, START))
    assert deletes == rows
    assert macros.deletes_to_judge("s", MEMORY, ["id"], KNOWN, None) == "m.t"


def test_a_column_that_the_mirror_is_to_get_is_empty(macros, sql):
    empty = sql(macros.unsent("cast(array() as array<string>)"))
    rows = sql(macros.rows_to_judge("m.t", "s", BATCH, UNSENT, None))
    assert rows == f"( select *, {empty} as _unsent from m.t )"


def test_a_rebuild_is_judged_by_no_row_and_by_no_delete_of_another_key(macros, sql):
    for batch in (REBUILD, FIRST):
        rows = macros.rows_to_judge("m.t", "s", batch, KNOWN, START)
        assert rows == "(select * from s where false)"
    key = macros.key_columns(["id", *macros.order_columns()])
    deletes = macros.deletes_to_judge("s", "m.t", ["id"], NEW_KEY, START)
    assert deletes == f"(select {key} from s where false)"
