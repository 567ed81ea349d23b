import pytest

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
MARK = """
    update set
        _op = 'd',
        _is_deleted = true,
        _deleted_at = cast('2026-01-02 00:00:00' as timestamp),
        _tx_log = cast(null as string),
        _tx_epoch = 0L,
        _tx_rank = 10L,
        _tx_order = -2L,
        _src_ts = cast('2026-01-02 00:00:00' as timestamp),
        _kfk_partition = 2,
        _kfk_offset = 77L
"""


@pytest.mark.parametrize(("deletes", "action"), [("hard", "delete"), ("soft", MARK)])
def test_what_the_snapshot_does_not_have(macros, sql, deletes, action):
    settings = {"key": ["id", "day"], "deletes": deletes}
    order = removal_order(lambda macro, *given: getattr(macros, macro)(*given), SNAPSHOT)
    removal = Removal(SNAPSHOT, order)
    assert sql(macros.resync_sql("mirror.t", "stage.s", settings, removal)) == sql(f"""
        merge into mirror.t as target
        using (
            {macros.listed_rows_sql("stage.s", ["id", "day"], SNAPSHOT)}
        ) as listed
        on target.`id` = listed.`id` and target.`day` = listed.`day`
        when not matched by source and {macros.before_snapshot("target", SNAPSHOT)} then {action}
    """)
