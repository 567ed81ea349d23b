import pytest

from lakemirror.runs.batch import Batch
from lakemirror.runs.mirror_plan import Shape

BATCH = Batch("raw.t", None, (), False, False, None, False, False)
SHAPE = Shape(["id"], ["id", "v"], (), "hard")


def logs(macros, settings=None):
    return macros.batch_logs_sql("stage.s", BATCH, SHAPE, [], settings)


def test_changes_and_truncates_of_each_log_and_epoch(macros, sql):
    found = sql(logs(macros))
    begin = "select _outcome in ('change', 'truncate') as is_ordered, _tx_log, _tx_epoch,"
    assert found.startswith(f"{begin} _latest_log, _latest_epoch, _tx_last_epoch,")
    assert "if(_outcome = 'truncate', _tx_rank, null) as truncate_rank," in found
    # a source's column may be called is_ordered
    assert found.endswith(
        "as stage group by _outcome in ('change', 'truncate'), _tx_log, _tx_epoch, _latest_log, "
        "_latest_epoch, _tx_last_epoch, if(_outcome = 'truncate', _tx_rank, null)"
    )


def test_what_follows_is_counted_with_its_order(macros, sql):
    """Decision 16: nothing more is asked of it."""
    found = sql(logs(macros))
    assert sql(macros.batch_counts(BATCH, SHAPE, [])) in found
    assert f"from ( {sql(macros.following_sql('stage.s'))} ) as stage group by" in found


@pytest.mark.parametrize("settings", [None, {"buckets": 4, "bucket_by": "a`b"}])
def test_the_buckets_of_all_changes(macros, sql, settings):
    """F43b: a stale change too, or its row would seem new."""
    buckets = (
        "to_json(collect_set(system.bucket(4, stage.`a``b`)) "
        "filter (where _outcome = 'change')) as buckets,"
    )
    assert (buckets in sql(logs(macros, settings))) == (settings is not None)


def test_what_a_batch_is_compared_with(macros, sql):
    start = {"_tx_epoch": 1, "_tx_rank": 7, "_src_ts": "2026-01-01 00:00:00"}
    assert sql(macros.may_outdate(start)) == (
        "_tx_epoch > 1L or _tx_epoch = 1L and _tx_rank >= 7L "
        "or _src_ts >= timestamp '2026-01-01 00:00:00'"
    )
