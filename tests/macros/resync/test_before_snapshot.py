import pytest

SNAPSHOT = {"_tx_log": None, "_tx_epoch": 0, "_tx_rank": 10, "_tx_order": -1}


@pytest.mark.parametrize(
    ("log", "text"), [(None, "cast(null as string)"), ("-80", "cast('-80' as string)")]
)
def test_live_and_older_in_its_log(macros, sql, log, text):
    snapshot = SNAPSHOT | {"_tx_log": log}
    assert sql(macros.before_snapshot("target", snapshot)) == sql(f"""
        target._op <> 'd'
        and {macros.same_lineage("target._tx_log", text)}
        and {macros.floor_condition("target", "<", snapshot)}
    """)
