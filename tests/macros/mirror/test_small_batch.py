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
    macros.context["adapter"] = SimpleNamespace(set_session=given.append)
    macros.enable_small_batch(9_999)
    macros.enable_small_batch(10_000)
    assert [settings["spark.sql.shuffle.partitions"] for settings in given] == ["1", "2"]


def test_the_rows_whose_keys_a_batch_has(macros, sql):
    assert sql(macros.touched_sql("m.o version as of 7", "s", ["id", "day"])) == sql("""
        (
            select /*+ broadcast(stage) */ touched.*
            from m.o version as of 7 as touched
            left semi join s as stage
                on touched.`id` = stage.`id` and touched.`day` = stage.`day`
        )
    """)


SETTINGS = {"key": ["id", "day"], "buckets": 16, "bucket_by": "id"}


@pytest.mark.parametrize(("is_judged", "applied"), [(True, " and _is_applied"), (False, "")])
@pytest.mark.parametrize("touched", [[], [3, 7]])
def test_what_is_replaced_goes(macros, sql, is_judged, applied, touched):
    """F43: of a few buckets, where a batch touches no others."""
    buckets = " and system.bucket(16, target.`id`) in (3, 7)" if touched else ""
    made = macros.remove_replaced_sql("m.o", "batch", SETTINGS, is_judged, touched, "shuffle_hash")
    assert sql(made) == sql(f"""
        delete from m.o as target
        where (target.`id`, target.`day`) in (
            select /*+ shuffle_hash(changes) */ changes.`id`, changes.`day`
            from batch as changes
            where _outcome = 'change'{applied}
        ){buckets}
    """)


@pytest.mark.parametrize(
    ("keys", "has_buckets", "is_small", "expected"),
    [
        (10**7, True, True, "broadcast"),
        (10**6 - 1, True, False, "shuffle_hash"),
        (10**6, True, False, "merge"),
        (1, False, False, "merge"),
        (1, None, False, "merge"),
    ],
)
def test_how_keys_are_joined(macros, keys, has_buckets, is_small, expected):
    """F25: a hash of many keys, which may be of one bucket, does not fit into memory."""
    assert macros.batch_join(keys, has_buckets, is_small) == expected


def test_a_truncate_removes_what_lies_below_it(macros, sql):
    """Cases 33, 34; and nothing is deleted where nothing has changed."""
    run = []
    macros.context["run_query"] = run.append
    floor = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
    macros.remove_replaced("m.o", "batch", SETTINGS, False, None, False)
    assert run == []
    macros.remove_replaced("m.o", "batch", SETTINGS, True, floor, True)
    below = f"delete from m.o as target where {macros.floor_condition('target', '<', floor)}"
    assert run == [
        below,
        macros.remove_replaced_sql("m.o", "batch", SETTINGS, True, [], "broadcast"),
    ]


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
    staged = sql(macros.insert_rows_sql("m.o", "stage", settings, ["id", "v"], False, True))
    moved = sql(macros.insert_rows_sql("m.o", "stage", settings, ["id", "v"], False))
    assert staged == moved.replace("m.o (", "m.o with ('distribution-mode' = 'none') (")
