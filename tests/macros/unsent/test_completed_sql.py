import pytest

from lakemirror.runs.mirror_plan import Known, Place, Shape
from lakemirror.source.evolution import made

FLOOR = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
SHAPE = Shape(["id"], ["id", "v"], ["v"], "hard")


@pytest.fixture
def completed(macros, sql):
    def render(target, floor=None, new_floor=None, fills=(), is_small=False):
        columns = {"id": "`id`", "v": "`v`"} | {c["name"]: c["expression"] for c in fills}
        known = Known(target, "mirror.t", [made(*column) for column in columns.items()])
        place = Place(None, False, None, {}, floor, None if new_floor else floor)
        return sql(macros.completed_sql("stage.s", known, SHAPE, place, is_small))

    return render


def test_the_batch_and_the_rows_that_it_meets(macros, sql, completed):
    text = completed("mirror.o")
    assert "from mirrored left semi join changes on mirrored.`id` = changes.`id`" in text
    assert sql(macros.filled_sql("states", ["id"], ["v"], "mirror.t")) in text
    assert text.endswith(
        "select row.`id`, row.`v`, 'change' as _outcome, held is null "
        f"or {sql(macros.is_newer('row', 'held'))} "
        "or row._unsent is distinct from held._unsent as _is_applied from newest"
    )
    assert "broadcast" not in text
    assert "select /*+ broadcast(changes) */ *" in completed("mirror.o", is_small=True)


def test_the_mirror_s_rows_are_read_as_they_will_be(completed):
    """Cases 39, 55: their updates come with the merge, which would take them back."""
    assert "select `id` as `id`, `v` as `v` from mirror.o" in completed("mirror.o")
    text = completed("mirror.o", fills=[{"name": "v", "expression": "7"}])
    assert "select `id` as `id`, 7 as `v` from mirror.o" in text


def test_a_mirror_that_is_built_anew_has_no_rows(completed):
    text = completed(None, FLOOR, FLOOR)
    assert "mirrored" not in text
    assert text.endswith("'change' as _outcome, true as _is_applied from newest")


def test_a_new_truncate_also_cuts_rows_that_the_batch_does_not_meet(macros, sql, completed):
    assert "left anti join" not in completed("mirror.o", FLOOR)
    below = sql(macros.floor_condition("unsent", "<", FLOOR))
    assert f"and exists( mirrored._unsent, unsent -> {below} )" in completed(
        "mirror.o", FLOOR, FLOOR
    )
