from types import SimpleNamespace

import pytest

from lakemirror.runs.mirror import MirrorRun

SETTINGS = {"buckets": 4, "bucket_by": "a`b"}


def test_the_buckets_of_all_changes(macros, sql):
    """F43b: a stale change too, or its row would seem new."""
    assert sql(macros.touched_buckets_sql("s", SETTINGS)) == (
        "select distinct system.bucket(4, stage.`a``b`) as bucket "
        "from s as stage where _outcome = 'change' order by bucket"
    )
    assert sql(macros.in_buckets(SETTINGS, [0, 3])) == (
        "and system.bucket(4, target.`a``b`) in (0, 3)"
    )


@pytest.mark.parametrize(
    ("found", "condition"),
    [([0, 2], "and system.bucket(4, target.`a``b`) in (0, 2)"), ([0, 1, 2, 3], "")],
)
def test_nothing_is_said_of_all_buckets(macros, sql, found, condition):
    """F43. Whether they are asked for at all is the route's: see asks_buckets."""
    warehouse = SimpleNamespace(
        sql=lambda macro, *given: getattr(macros, macro)(*given),
        rows=lambda query: [[bucket] for bucket in found],
    )
    run = SimpleNamespace(warehouse=warehouse, settings=SimpleNamespace(**SETTINGS))
    assert sql(MirrorRun.touched_buckets(run, "s")) == condition
