import pytest

FLOOR = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
SETTINGS = {"key": ["id"], "buckets": 4, "bucket_by": "id"}


@pytest.fixture
def completed(macros, sql):
    def render(target, floor=None, new_floor=None, fills=()):
        updates = {"fills": [*fills], "returned": []}
        return sql(
            macros.completed_sql(
                "stage.c", "stage.s", target, "mirror.t", SETTINGS, ["id", "v"], ["v"],
                floor, new_floor, updates,
            )
        )  # fmt: skip

    return render


def test_the_batch_and_the_rows_that_it_meets(macros, sql, completed):
    text = completed("mirror.o")
    assert "from mirrored left semi join changes on mirrored.`id` = changes.`id`" in text
    assert sql(macros.filled_sql("states", ["id"], ["v"], "mirror.t")) in text
    assert text.endswith("select row.`id`, row.`v`, 'change' as _outcome from newest")


def test_the_mirror_s_rows_are_read_as_they_will_be(completed):
    """Cases 39, 55: their updates come with the merge, which would take them back."""
    assert "select `id` as `id`, `v` as `v` from mirror.o" in completed("mirror.o")
    text = completed("mirror.o", fills=[{"name": "v", "expression": "7"}])
    assert "select `id` as `id`, 7 as `v` from mirror.o" in text


def test_a_mirror_that_is_built_anew_has_no_rows(completed):
    assert "mirrored" not in completed(None, FLOOR, FLOOR)


def test_a_new_truncate_also_cuts_rows_that_the_batch_does_not_meet(macros, sql, completed):
    assert "left anti join" not in completed("mirror.o", FLOOR)
    below = sql(macros.floor_condition("unsent", "<", FLOOR))
    assert f"and exists( mirrored._unsent, unsent -> {below} )" in completed(
        "mirror.o", FLOOR, FLOOR
    )
