SNAPSHOT = {"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 7, "_tx_order": -1}


def test_what_is_older_than_the_snapshot(macros, sql):
    found = sql(macros.absent_count_sql("m.o", SNAPSHOT))
    assert found.startswith("select count(*) as absent from m.o as target where target._op <> 'd'")
    assert sql(macros.before_snapshot("target", SNAPSHOT)) in found
