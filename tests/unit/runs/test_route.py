"""Which way a batch goes: every combination of what is known of it."""

from dataclasses import replace
from itertools import product

import pytest

from lakemirror.runs.route import CACHED_BYTES, HASHED_KEYS, Facts, choose_route

FACTS = Facts(
    records=9,
    bytes=1,
    stage_from=10,
    merge_mode="merge-on-read",
    deletes="hard",
    buckets=None,
    has_buckets=False,
    fills=False,
    is_rebuild=False,
    is_first=False,
)
BOOLEANS = ("fills", "is_rebuild", "is_first", "follows", "has_floor", "has_new_floor")


def every():
    sizes = product((9, 10), (1, CACHED_BYTES), ("merge-on-read", "copy-on-write"))
    for size, deletes, buckets in product(sizes, ("hard", "soft"), ((None, False), (4, True))):
        for flags in product((False, True), repeat=len(BOOLEANS)):
            for changed, outdated, partial in product((0, 1, HASHED_KEYS), (0, 1), (0, 1)):
                yield Facts(
                    records=size[0],
                    bytes=size[1],
                    stage_from=10,
                    merge_mode=size[2],
                    deletes=deletes,
                    buckets=buckets[0],
                    has_buckets=buckets[1],
                    changed=changed,
                    outdated=outdated,
                    partial=partial,
                    **dict(zip(BOOLEANS, flags, strict=True)),
                )


def test_what_holds_of_every_batch():
    """Decisions 10, 11 and 16."""
    count = 0
    for facts in every():
        count += 1
        route = choose_route(facts)
        is_small = facts.records < 10 and facts.bytes < CACHED_BYTES
        on_read = facts.merge_mode == "merge-on-read"
        assert route.is_cached == (is_small and on_read and not facts.is_rebuild)
        assert route.is_compared == (not facts.follows)
        assert route.keeps_verdicts == (route.is_cached and route.is_compared)
        assert route.completes == (facts.fills and bool(facts.partial or facts.has_new_floor))
        if facts.is_rebuild:
            assert route.writes == "rebuild"
        elif facts.is_first:
            assert route.writes == "insert"
        elif route.is_cached or (facts.follows and on_read and not route.completes):
            assert route.writes == "replace"
        else:
            assert route.writes == "merge"
        assert (route.join == "broadcast") == route.is_cached
        assert not (route.join == "shuffle_hash" and facts.changed >= HASHED_KEYS)
        assert not (route.is_cached and (route.cuts_truncated or route.cuts_outdated))
        assert not (route.lies_in_buckets and not facts.has_buckets)
        assert route.asks_buckets == (
            facts.buckets is not None
            and facts.records <= 8
            and not (facts.is_first or facts.is_rebuild or facts.has_new_floor)
        )
        window = replace(
            FACTS,
            **{name: getattr(facts, name) for name in vars(FACTS) if name not in LATER},
        )
        assert choose_route(window).is_cached == route.is_cached
        assert choose_route(window).merged_by == route.merged_by
    assert count == 2**3 * 2 * 2 * 2**6 * 12


LATER = (
    *("follows", "has_floor", "has_new_floor"),
    *("changed", "outdated", "partial"),
)
WAYS = {
    "small, in order": ({"follows": True, "changed": 1}, "replace", "broadcast", "broadcast"),
    "small, late": ({"changed": 1}, "replace", "broadcast", "broadcast"),
    "first load": ({"is_first": True, "records": 99}, "insert", "merge", "shuffle"),
    "staged, in order": (
        {"records": 99, "follows": True, "has_buckets": True, "buckets": 4, "changed": 1},
        "replace",
        "shuffle_hash",
        "buckets",
    ),
    "staged, late": (
        {"records": 99, "has_buckets": True, "buckets": 4, "changed": 1},
        "merge",
        "shuffle_hash",
        "buckets",
    ),
    "copy-on-write": (
        {"merge_mode": "copy-on-write", "follows": True},
        "merge",
        "merge",
        "shuffle",
    ),
    "rebuild": ({"is_rebuild": True}, "rebuild", "merge", "rebuild"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_ways(way):
    given, writes, join, merged_by = WAYS[way]
    route = choose_route(replace(FACTS, **given))
    assert (route.writes, route.join, route.merged_by) == (writes, join, merged_by)


@pytest.mark.parametrize(
    ("records", "size", "mode", "is_rebuild", "expected"),
    [
        (9, 2**25 - 1, "merge-on-read", False, True),
        (10, 1, "merge-on-read", False, False),
        (9, 2**25, "merge-on-read", False, False),
        (9, 1, "copy-on-write", False, False),
        (9, 1, "merge-on-read", True, False),
    ],
)
def test_what_is_small(records, size, mode, is_rebuild, expected):
    given = {"records": records, "bytes": size, "merge_mode": mode, "is_rebuild": is_rebuild}
    assert choose_route(replace(FACTS, **given)).is_cached is expected


@pytest.mark.parametrize(
    ("keys", "has_buckets", "records", "expected"),
    [
        (10**7, True, 9, "broadcast"),
        (10**6 - 1, True, 99, "shuffle_hash"),
        (10**6, True, 99, "merge"),
        (1, False, 99, "merge"),
    ],
)
def test_how_keys_are_joined(keys, has_buckets, records, expected):
    """F25: a hash of many keys, which may be of one bucket, does not fit into memory."""
    facts = replace(FACTS, changed=keys, has_buckets=has_buckets, records=records)
    assert choose_route(facts).join == expected


@pytest.mark.parametrize(
    ("records", "buckets", "asks"), [(8, 4, True), (9, 4, False), (1, None, False)]
)
def test_nothing_is_asked_of_wide_batches(records, buckets, asks):
    """F43."""
    assert choose_route(replace(FACTS, records=records, buckets=buckets)).asks_buckets is asks
