import pytest

from lakemirror.runs.mirror_plan import Shape

FLOOR = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}


@pytest.fixture
def merged(macros, sql):
    def render(deletes, floor=None):
        shape = Shape(["id", "day"], ["id", "a`b"], [], deletes)
        return sql(macros.merge_sql("mirror.o", "stage.s", shape, floor))

    return render


def test_only_a_newer_change_is_merged(macros, sql, merged):
    newer = macros.is_newer("changes", "target")
    assert merged("hard") == sql(f"""
        merge into mirror.o as target
        using ( select `id`, `a``b` from stage.s where _outcome = 'change' ) as changes
        on target.`id` = changes.`id` and target.`day` = changes.`day`
        when matched and {newer} and changes._op = 'd' then delete
        when matched and {newer} then update set
            target.`id` = changes.`id`,
            target.`a``b` = changes.`a``b`
        when not matched and changes._op <> 'd' then insert
            (`id`, `a``b`)
            values (changes.`id`, changes.`a``b`)
    """)


def test_of_a_few_buckets(macros, sql):
    """F43."""
    touched = macros.in_buckets({"buckets": 4, "bucket_by": "id"}, [0, 3])
    shape = Shape(["id"], ["id"], [], "hard")
    merge = sql(macros.merge_sql("m.o", "s", shape, None, touched))
    assert "on target.`id` = changes.`id` and system.bucket(4, target.`id`) in (0, 3) when" in merge


def test_a_soft_delete_keeps_the_row(macros, sql, merged):
    newer = macros.is_newer("changes", "target")
    assert merged("soft") == sql(f"""
        merge into mirror.o as target
        using (
            select `id`, `a``b`,
                _op = 'd' as _is_deleted,
                if(_op = 'd', _src_ts, null) as _deleted_at
            from stage.s
            where _outcome = 'change'
        ) as changes
        on target.`id` = changes.`id` and target.`day` = changes.`day`
        when matched and {newer} then update set
            target.`id` = changes.`id`,
            target.`a``b` = changes.`a``b`,
            target.`_is_deleted` = changes.`_is_deleted`,
            target.`_deleted_at` = changes.`_deleted_at`
        when not matched then insert
            (`id`, `a``b`, `_is_deleted`, `_deleted_at`)
            values (changes.`id`, changes.`a``b`, changes.`_is_deleted`, changes.`_deleted_at`)
    """)


def test_a_truncate_removes_what_lies_below_it(macros, sql, merged):
    floor = macros.floor_condition("target", "<", FLOOR)
    assert merged("soft", FLOOR).endswith(
        sql(f"when not matched by source and ({floor}) then delete")
    )


def test_a_row_that_a_late_change_completes_is_merged_too(macros, sql):
    shape = Shape(["id"], ["id"], ["v"], "soft")
    text = sql(macros.merge_sql("mirror.o", "stage.s", shape, None))
    newer = sql(macros.is_newer("changes", "target"))
    assert (
        f"when matched and ( {newer} or changes._unsent is distinct from target._unsent ) "
        "then update set" in text
    )
