START = {"_tx_epoch": 1, "_tx_rank": 7, "_src_ts": "2026-01-01 00:00:00"}


def test_a_batch_is_judged_by_what_may_be_newer(macros, sql):
    """What it is compared with at all is MirrorRun.known's: tests/unit/runs/test_mirror.py."""
    rows = sql(macros.rows_to_judge("m.t", START))
    assert rows == f"( select * from m.t where {sql(macros.may_outdate(START))} )"


def test_a_column_that_the_mirror_is_to_get_is_empty(macros, sql):
    empty = sql(macros.unsent("cast(array() as array<string>)"))
    rows = sql(macros.rows_to_judge("m.t", None, True))
    assert rows == f"( select *, {empty} as _unsent from m.t )"
