from lakemirror.runs.resync import Removal, removal_order

SNAPSHOT = {
    "_tx_log": None,
    "_tx_epoch": 0,
    "_tx_rank": 10,
    "_tx_order": -1,
    "_src_ts": "2026-01-02 00:00:00",
    "_kfk_partition": 2,
    "_kfk_offset": 77,
}


def removal(macros, **other):
    snapshot = SNAPSHOT | other
    order = removal_order(lambda macro, *given: getattr(macros, macro)(*given), snapshot)
    return Removal(snapshot, order)


def test_remembered_right_before_the_snapshot(macros, sql):
    columns = macros.key_columns(["id", *macros.order_columns()])
    absent = macros.absent_rows_sql("mirror.t.branch_b", "stage.s", ["id"], SNAPSHOT)
    statement = macros.absent_tombstones_sql(
        "mirror.d", "mirror.t.branch_b", "stage.s", ["id"], removal(macros)
    )
    assert sql(statement) == sql(f"""
        insert into mirror.d ({columns})
        select
            `id`,
            cast(null as string) as _tx_log,
            0L as _tx_epoch,
            10L as _tx_rank,
            -2L as _tx_order,
            cast('2026-01-02 00:00:00' as timestamp) as _src_ts,
            2 as _kfk_partition,
            77L as _kfk_offset
        from ( {absent} )
    """)


def test_a_source_without_times(macros):
    order = removal(macros, _src_ts=None).order
    assert order["_src_ts"] == "cast(null as timestamp)"
