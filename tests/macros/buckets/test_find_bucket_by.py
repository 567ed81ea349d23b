from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(
    ("buckets", "configured", "there", "expected"),
    [
        (4, "part", "id", "part"),
        (4, None, "id", "id"),
        (4, None, None, "part"),
        (4, None, "gone", "part"),
        (None, None, "id", "part"),
    ],
)
def test_the_configured_column_then_the_tables_own(macros, buckets, configured, there, expected):
    macros.context["adapter"] = SimpleNamespace(described=str, bucket_column=lambda _: there)
    settings = {"key": ["part", "id"], "buckets": buckets, "bucket_by": configured}
    assert macros.find_bucket_by("mirror.o", settings) == expected
