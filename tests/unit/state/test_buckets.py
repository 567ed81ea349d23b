import pytest

from lakemirror.state.buckets import TASK, advise


@pytest.mark.parametrize(
    ("size", "distinct", "buckets", "by"),
    [
        (0, {"id": 0}, None, "id"),
        (TASK, {"id": 10**6}, None, "id"),
        (TASK + 1, {"id": 10**6}, 2, "id"),
        (5 * TASK, {"id": 10**6}, 8, "id"),
        (5 * TASK, {"day": 100, "id": 10**6}, 8, "id"),
        (5 * TASK, {"a": 10**6, "b": 10**6}, 8, "a"),
        (5 * TASK, {"day": 799}, 4, "day"),
        (5 * TASK, {"day": 800}, 8, "day"),
        (5 * TASK, {"day": 100}, None, "day"),
    ],
)
def test_advice(size, distinct, buckets, by):
    found = advise(size, distinct)
    assert (found.buckets, found.bucket_by) == (buckets, by)
    assert found.reason.endswith(f"{by} has about {distinct[by]} values")
