from dataclasses import replace
from types import SimpleNamespace

import pytest

from lakemirror.runs.state import NOTHING, State


def made(before, floor=None, columns=("id", "v"), filled=(), is_resynced=False):
    made_of = None, before, True, floor, "stg", "mirror.t", is_resynced, ""
    return State("2026-02-01", ["id"], columns, filled, *made_of)


@pytest.fixture
def state(macros, sql):
    def render(before, floor=None):
        return sql(macros.state_sql(made(before, floor)))

    return render


def test_the_mirror_before_midnight_and_what_came_since(macros, sql, state):
    columns = [{"name": "id", "expression": "`id`"}, {"name": "v", "expression": "`w`"}]
    before = macros.before_midnight_sql("mirror.o", SimpleNamespace(id=7), columns)
    assert sql(before) == (
        "select `id` as `id`, `w` as `v`, true as _is_before from mirror.o version as of 7"
    )
    text = state(before)
    assert f"from ( {sql(before)} ) as mirror left join changed" in text
    assert "from mirrored where not _is_changed and _op <> 'd'" in text
    assert sql(macros.timed_changes_sql("stg", ["id"], "2026-02-01")) in text
    assert sql(macros.newest_change("collect_list(row)")) in text
    assert "and tombstones._src_ts < timestamp '2026-02-01'" in text
    assert text.endswith("where not false )")


def test_the_columns_of_several_commits(macros, sql):
    one = "select 7L as _base_id, base_7.* from mirror.o version as of 7 as base_7"
    assert sql(macros.bases_sql("mirror.o", [7])) == one
    assert sql(macros.bases_sql("mirror.o", [7, 9])) == (
        "select 7L as _base_id, base_7.*, 9L as _base_id, base_9.* from mirror.o version as of 7 "
        "as base_7 cross join mirror.o version as of 9 as base_9"
    )


def test_how_far_back_changes_reach(macros, sql):
    assert sql(macros.changed_from_sql({7: "raw.o since", 9: "raw.o"})) == (
        "select 7L as base, min(_src_ts) as changed_from from raw.o since union all "
        "select 9L as base, min(_src_ts) as changed_from from raw.o"
    )


def test_a_copied_row_counts_as_before_any_time(macros, sql):
    text = sql(macros.timed_changes_sql("stg", ["id"], "2026-02-01"))
    assert text.endswith("from stg where _src_ts < timestamp '2026-02-01' or _src_ts is null")


def test_no_filter_goes_below_the_outcome(macros, sql):
    """Or the decoding of all columns is written into it, once for each column."""
    text = sql(macros.timed_changes_sql("stg", ["id"], "2026-02-01"))
    assert "if(rand() >= 0, case when" in text
    assert text.index("null) as _outcome") < text.index(" from stg")


def test_what_has_changed_alone(macros, sql):
    assert "from mirrored where not _is_changed" in sql(macros.state_sql(made("rows")))
    changed = sql(macros.state_sql(made("rows"), is_whole=False))
    assert "from mirrored where not _is_changed" not in changed
    assert "from mirrored where _is_changed" in changed


REST = "union all select `id`, `v` from mirrored where not _is_changed and _op <> 'd'"


def test_what_no_change_tells_of_has_outlived_the_deletes_of_then(macros, sql):
    text = sql(macros.state_sql(made("rows")))
    assert text.count(REST) == 1
    assert text.index("as tombstones") < text.index(REST)


def test_what_nothing_has_changed_is_its_commit(macros, sql):
    commit = SimpleNamespace(id=7)
    told = True, None, "stg", "mirror.t", False, NOTHING
    state = State("2026-02-01", ["id"], ("id", "v"), (), commit, "rows", *told)
    assert sql(macros.state_sql(state)) == "( select `id`, `v` from ( rows ) where _op <> 'd' )"
    assert sql(macros.state_sql(state, False)).endswith("where _op <> 'd' and false )")
    assert not replace(state, is_resynced=True).is_base


def test_how_many_changes_are_from_before_a_time(macros, sql):
    assert sql(macros.changes_before_sql("stg", "2026-02-01", 7)) == (
        "select '2026-02-01' as time, 7L as base, count_if( _src_ts < timestamp '2026-02-01' "
        "or (_src_ts is null and _op is distinct from 'tombstone') ) as changes from stg"
    )


def test_a_resync_is_told_by_no_change(macros, sql):
    text = sql(macros.state_sql(made("rows", is_resynced=True)))
    assert text.count(REST) == 1
    assert text.index(REST) < text.index("as tombstones")


def test_without_a_commit_all_of_raw_is_read(state):
    assert "version as of" not in state(None)


def test_an_earlier_truncate_holds(macros, sql, state):
    floor = {"_tx_epoch": 0, "_tx_rank": 10, "_tx_order": 3}
    below = sql(macros.floor_condition("remaining", "<", floor))
    assert state(None, floor).endswith(f"where not {below} )")


def test_columns_are_filled_as_in_the_mirror(macros, sql):
    text = sql(macros.state_sql(made(None, None, ["id", "v", "_unsent"], ["v"])))
    tombstones = "(select * from mirror.t where _src_ts < timestamp '2026-02-01')"
    floors = ["(select floor from truncates)"]
    assert sql(macros.filled_sql("before", ["id"], ["v"], tombstones, floors)) in text
    assert "from filled group by `id`, _tx_log" in text
