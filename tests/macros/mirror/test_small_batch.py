from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(
    ("records", "size", "mode", "is_rebuild", "expected"),
    [
        (9, 2**25 - 1, "merge-on-read", False, True),
        (10, 1, "merge-on-read", False, False),
        (9, 2**25, "merge-on-read", False, False),
        (9, 1, "copy-on-write", False, False),
        (9, 1, "merge-on-read", True, False),
    ],
)
def test_what_is_small(macros, records, size, mode, is_rebuild, expected):
    batch = {"window": SimpleNamespace(records=records, bytes=size), "is_rebuild": is_rebuild}
    settings = {"stage_from": 10, "merge_mode": mode}
    assert macros.is_small(batch, settings) is expected


def test_few_records_are_one_task(macros):
    given = []
    macros.context["adapter"] = SimpleNamespace(execute=given.append)
    macros.enable_small_batch(9_999)
    macros.enable_small_batch(10_000)
    tasks = [query for query in given if "shuffle.partitions" in query]
    assert tasks == [f"set `spark.sql.shuffle.partitions` = `{n}`" for n in (1, 2)]


def test_the_rows_whose_keys_a_batch_has(macros, sql):
    assert sql(macros.touched_sql("m.o version as of 7", "s", ["id", "day"])) == sql("""
        (
            select /*+ broadcast(stage) */ touched.*
            from m.o version as of 7 as touched
            left semi join s as stage
                on touched.`id` = stage.`id` and touched.`day` = stage.`day`
        )
    """)


def test_what_is_replaced_goes(macros, sql):
    assert sql(macros.remove_replaced_sql("m.o", "judged", ["id"])) == sql("""
        merge into m.o as target
        using (
            select `id` from judged
            where _outcome = 'change' and _is_applied
        ) as changes
        on target.`id` = changes.`id`
        when matched then delete
    """)


def test_a_truncate_removes_what_lies_below_it(macros, sql):
    """Cases 33, 34; and nothing is deleted where nothing has changed."""
    run = []
    macros.context["run_query"] = run.append
    floor = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
    macros.remove_replaced("m.o", "judged", ["id"], False, None)
    assert run == []
    macros.remove_replaced("m.o", "judged", ["id"], True, floor)
    below = f"delete from m.o as target where {macros.floor_condition('target', '<', floor)}"
    assert run == [below, macros.remove_replaced_sql("m.o", "judged", ["id"])]


@pytest.mark.parametrize(
    ("deletes", "columns", "live"),
    [
        ("hard", "`id`, `v`", " and _op <> 'd'"),
        ("soft", "`id`, `v`, `_is_deleted`, `_deleted_at`", ""),
    ],
)
def test_what_is_applied_comes(macros, sql, deletes, columns, live):
    settings = {"deletes": deletes}
    inserted = sql(macros.insert_rows_sql("m.o", "judged", settings, ["id", "v"], True))
    assert inserted == sql(f"""
        insert into m.o ({columns})
        {macros.live_rows_sql("judged", ["id", "v"], deletes)}
        and _is_applied{live}
    """)
    first = sql(macros.insert_rows_sql("m.o", "judged", settings, ["id", "v"], False))
    assert first == inserted.replace(" and _is_applied", "")
