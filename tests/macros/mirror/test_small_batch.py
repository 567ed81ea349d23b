import pytest

from lakemirror.runs.mirror_plan import Shape


def test_the_rows_whose_keys_a_batch_has(macros, sql):
    assert sql(macros.touched_sql("m.o version as of 7", "s", ["id", "day"])) == sql("""
        (
            select /*+ broadcast(stage) */ touched.*
            from m.o version as of 7 as touched
            left semi join s as stage
                on touched.`id` = stage.`id` and touched.`day` = stage.`day`
        )
    """)


@pytest.mark.parametrize("batch", ["batch", "(select * from batch where _is_applied)"])
@pytest.mark.parametrize("touched", [[], [3, 7]])
def test_what_is_replaced_goes(macros, sql, batch, touched):
    """F43: of a few buckets, where a batch touches no others."""
    settings = {"buckets": 16, "bucket_by": "id"}
    buckets = macros.in_buckets(settings, touched) if touched else ""
    made = macros.remove_replaced_sql("m.o", batch, ["id", "day"], "shuffle_hash", buckets)
    ending = " and system.bucket(16, target.`id`) in (3, 7)" if touched else ""
    assert sql(made) == sql(f"""
        delete from m.o as target
        where (target.`id`, target.`day`) in (
            select /*+ shuffle_hash(changes) */ changes.`id`, changes.`day`
            from {batch} as changes
            where _outcome = 'change'
        ){ending}
    """)


@pytest.mark.parametrize(
    ("deletes", "columns", "live"),
    [
        ("hard", "`id`, `v`", " and _op <> 'd'"),
        ("soft", "`id`, `v`, `_is_deleted`, `_deleted_at`", ""),
    ],
)
def test_what_is_applied_comes(macros, sql, deletes, columns, live):
    shape = Shape(["id"], ["id", "v"], [], deletes)
    judged = "(select * from judged where _is_applied)"
    assert sql(macros.insert_rows_sql("m.o", judged, shape)) == sql(f"""
        insert into m.o ({columns})
        {macros.live_rows_sql(judged, shape)}{live}
    """)
    first = sql(macros.insert_rows_sql("m.o", "judged", shape))
    assert first == sql(macros.insert_rows_sql("m.o", judged, shape)).replace(judged, "judged")
    staged = sql(macros.insert_rows_sql("m.o", "stage", shape, False))
    moved = sql(macros.insert_rows_sql("m.o", "stage", shape))
    assert staged == moved.replace("m.o (", "m.o with ('distribution-mode' = 'none') (")
