import json
from types import SimpleNamespace

import pytest

from lakemirror.runs.mirror import MirrorRun

SETTINGS = {"buckets": 4, "bucket_by": "a`b"}


def test_the_buckets_that_a_statement_touches(macros, sql):
    assert sql(macros.in_buckets(SETTINGS, [0, 3])) == (
        "and system.bucket(4, target.`a``b`) in (0, 3)"
    )


@pytest.mark.parametrize(
    ("found", "condition"),
    [([0, 2], "and system.bucket(4, target.`a``b`) in (0, 2)"), ([0, 1, 2, 3], "")],
)
def test_nothing_is_said_of_all_buckets(macros, sql, found, condition):
    """F43. Whether they are asked for at all is the route's: see asks_buckets."""
    warehouse = SimpleNamespace(sql=lambda macro, *given: getattr(macros, macro)(*given))
    run = SimpleNamespace(warehouse=warehouse, settings=SimpleNamespace(**SETTINGS))
    logs = [{"buckets": json.dumps(found[1:])}, {"buckets": json.dumps(found[:2])}]
    assert sql(MirrorRun.touched_buckets(run, logs)) == condition
