from types import SimpleNamespace

KNOWN = {"mirror": {"added": ["n"]}, "has_new_key": False}
UNSENT = {"mirror": {"added": ["n", "_unsent"]}, "has_new_key": False}
NEW_KEY = {"mirror": {"added": []}, "has_new_key": True}


def test_a_batch_is_judged_by_what_the_mirror_has(macros):
    batch = SimpleNamespace(is_rebuild=False)
    assert macros.rows_to_judge("m.t", "s", batch, KNOWN) == "m.t"
    assert macros.deletes_to_judge("s", "m.t__tombstones", ["id"], KNOWN) == "m.t__tombstones"


def test_a_column_that_the_mirror_is_to_get_is_empty(macros, sql):
    batch = SimpleNamespace(is_rebuild=False)
    empty = sql(macros.unsent("cast(array() as array<string>)"))
    rows = sql(macros.rows_to_judge("m.t", "s", batch, UNSENT))
    assert rows == f"(select *, {empty} as _unsent from m.t)"


def test_a_rebuild_is_judged_by_no_row_and_by_no_delete_of_another_key(macros, sql):
    batch = SimpleNamespace(is_rebuild=True)
    assert macros.rows_to_judge("m.t", "s", batch, KNOWN) == "(select * from s where false)"
    key = macros.key_columns(["id", *macros.order_columns()])
    deletes = macros.deletes_to_judge("s", "m.t__tombstones", ["id"], NEW_KEY)
    assert deletes == f"(select {key} from s where false)"
