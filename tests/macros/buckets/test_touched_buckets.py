from types import SimpleNamespace

import pytest

SETTINGS = {"buckets": 4, "bucket_by": "a`b"}


def test_the_buckets_of_all_changes(macros, sql):
    """F43b: a stale change too, or its row would seem new."""
    assert sql(macros.touched_buckets_sql("s", SETTINGS)) == (
        "select distinct system.bucket(4, stage.`a``b`) as bucket "
        "from s as stage where _outcome = 'change' order by bucket"
    )
    assert macros.in_buckets("target", SETTINGS, []) == ""
    assert sql(macros.in_buckets("target", SETTINGS, [0, 3])) == (
        "and system.bucket(4, target.`a``b`) in (0, 3)"
    )


@pytest.mark.parametrize(
    ("records", "buckets", "found", "touched"),
    [
        (8, 4, [0, 2], [0, 2]),
        (8, 4, [0, 1, 2, 3], []),
        (9, 4, None, []),
        (1, None, None, []),
    ],
)
def test_nothing_is_said_of_wide_batches(macros, records, buckets, found, touched):
    """F43: None is a query that must not run."""
    column = SimpleNamespace(values=lambda: found)
    macros.context["run_query"] = lambda query: SimpleNamespace(columns=[column])
    batch = SimpleNamespace(window=SimpleNamespace(records=records))
    settings = SETTINGS | {"buckets": buckets}
    assert macros.find_touched_buckets("s", batch, settings) == touched
