SNAPSHOT = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": -1, "_src_ts": "2026", "rows": 3}
FOUND = "mirror_t: the newest full snapshot has 3 rows, of 2026, order (0, 10, -1). "


def test_what_goes_and_the_command(macros):
    assert macros.resync_line("mirror_t", "mirror.t", SNAPSHOT, 2, ['{"id":1}', '{"id":2}']) == (
        FOUND + '2 rows of mirror.t are older and not in it, such as {"id":1} {"id":2}. '
        "They are removed by dbt run --select mirror_t --vars '{resync: apply}'"
    )


def test_nothing_goes(macros):
    assert macros.resync_line("mirror_t", "mirror.t", SNAPSHOT, 0, []) == (
        FOUND + "0 rows of mirror.t are older and not in it"
    )
