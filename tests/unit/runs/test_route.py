"""Which way a batch goes: every combination of what is known of it."""

from dataclasses import fields, replace
from itertools import product

import pytest

from lakemirror.runs.route import (
    CACHED_BYTES,
    HASHED_KEYS,
    ONE_TASK,
    Facts,
    Route,
    choose_route,
)

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
LATER = (
    *("follows", "has_floor", "has_new_floor"),  # known with the order
    *("changed", "outdated", "partial"),  # known with the counts
)
INPUTS = {
    "records": (8, 9, 10),  # 8: two of each of four buckets; 10: stage_from
    "bytes": (CACHED_BYTES - 1, CACHED_BYTES),
    "merge_mode": ("merge-on-read", "copy-on-write"),
    "deletes": ("hard", "soft"),
    "fills": (False, True),
    "is_rebuild": (False, True),
    "is_first": (False, True),
    "follows": (False, True),
    "has_floor": (False, True),
    "has_new_floor": (False, True),
    "changed": (0, 1, HASHED_KEYS),
    "outdated": (0, 1),
    "partial": (0, 1),
}
TABLES = ((None, False), (4, False), (4, True))  # the second has other buckets than its setting


def every():
    for values in product(*INPUTS.values()):
        known = dict(zip(INPUTS, values, strict=True))
        for buckets, has_buckets in TABLES:
            yield Facts(stage_from=10, buckets=buckets, has_buckets=has_buckets, **known)


def test_what_holds_of_every_batch():
    """Decisions 10, 11 and 16."""
    count = 0
    for facts in every():
        count += 1
        route = choose_route(facts)
        check_comparison(facts, route)
        check_writing(facts, route)
        check_buckets(facts, route)
    assert count == 3 * 2**11 * 3 * len(TABLES)


def check_comparison(facts, route):
    """What the batch is, and what is asked of its rows before the commit."""
    is_small = facts.records < 10 and facts.bytes < CACHED_BYTES
    on_read = facts.merge_mode == "merge-on-read"
    assert route.is_cached == (is_small and on_read and not facts.is_rebuild)
    assert route.is_one_task == route.is_cached
    assert route.is_compared == (not facts.follows)
    assert route.keeps_verdicts == (route.is_cached and route.is_compared)
    assert route.completes == (facts.fills and bool(facts.partial or facts.has_new_floor))
    # a cached batch has its verdicts, and what follows lies below no floor
    assert route.cuts_truncated == (facts.has_floor and not route.is_cached and not facts.follows)
    is_kept = route.completes and facts.deletes == "soft"
    assert route.cuts_outdated == (bool(facts.outdated) and not route.is_cached and not is_kept)


def check_writing(facts, route):
    """How the commit is made."""
    on_read = facts.merge_mode == "merge-on-read"
    if facts.is_rebuild:
        assert (route.writes, route.merged_by) == ("rebuild", "rebuild")
    elif facts.is_first:
        assert route.writes == "insert"
    elif route.is_cached or (facts.follows and on_read and not route.completes):
        assert route.writes == "replace"
    else:
        assert route.writes == "merge"
    if route.writes == "replace":  # it deletes rows, and files are not rewritten for that
        assert on_read
        assert route.deletes_keys == bool(facts.changed or route.completes)
    else:
        assert not route.deletes_keys


def check_buckets(facts, route):
    """How the rows are found and moved."""
    assert (route.join == "broadcast") == route.is_cached
    if not route.is_cached:
        is_hashed = facts.has_buckets and facts.changed < HASHED_KEYS
        assert route.join == ("shuffle_hash" if is_hashed else "merge")
    touches_all = facts.is_first or facts.is_rebuild or facts.has_new_floor
    is_few = facts.buckets is not None and facts.records <= 8
    assert route.asks_buckets == (is_few and not touches_all)
    assert route.lies_in_buckets == (facts.has_buckets and not route.is_cached)
    if not facts.is_rebuild:
        staged = "buckets" if facts.has_buckets else "shuffle"
        assert route.merged_by == ("broadcast" if route.is_cached else staged)


WINDOW = ("is_cached", "is_one_task", "lies_in_buckets", "merged_by")
ORDERED = (*WINDOW, "is_compared", "keeps_verdicts", "cuts_truncated", "asks_buckets")


def decided(facts, names):
    route = choose_route(facts)
    return [getattr(route, name) for name in names]


def test_what_is_decided_stays():
    """A run stages by the window, and judges by the order: what it did then holds at its end."""
    windows, orders = {}, {}
    for facts in every():
        in_window = tuple(v for name, v in vars(facts).items() if name not in LATER)
        in_order = (*in_window, *(getattr(facts, name) for name in LATER[:3]))
        if in_window not in windows:
            early = replace(facts, **dict.fromkeys(LATER[:3], False), **dict.fromkeys(LATER[3:], 0))
            windows[in_window] = decided(early, WINDOW)
        if in_order not in orders:
            orders[in_order] = decided(replace(facts, **dict.fromkeys(LATER[3:], 0)), ORDERED)
        assert decided(facts, WINDOW) == windows[in_window]
        assert decided(facts, ORDERED) == orders[in_order]


def way(*true, writes, join, merged_by):
    """A whole route: what is not named is false."""
    kinds = {f.name: f.type for f in fields(Route)}
    flags = {name: name in true for name, kind in kinds.items() if kind in (bool, "bool")}
    assert {*true} <= {*flags}
    return Route(writes=writes, join=join, merged_by=merged_by, **flags)


STAGED = {"records": 99, "buckets": 4, "has_buckets": True}
WAYS = {
    "first load": (
        STAGED | {"is_first": True, "follows": True, "changed": 50},
        way("lies_in_buckets", writes="insert", join="shuffle_hash", merged_by="buckets"),
    ),
    "first load, small": (
        {"is_first": True, "follows": True, "changed": 5},
        way("is_cached", "is_one_task", writes="insert", join="broadcast", merged_by="broadcast"),
    ),
    "small, in order": (
        {"follows": True, "changed": 1},
        way(
            "is_cached",
            "is_one_task",
            "deletes_keys",
            writes="replace",
            join="broadcast",
            merged_by="broadcast",
        ),
    ),
    "small, late": (
        {"changed": 1, "outdated": 1, "has_floor": True},
        way(
            *("is_cached", "is_one_task", "is_compared", "keeps_verdicts", "deletes_keys"),
            writes="replace",
            join="broadcast",
            merged_by="broadcast",
        ),
    ),
    "small, of few buckets": (
        {"records": 8, "buckets": 4, "has_buckets": True, "follows": True, "changed": 1},
        way(
            *("is_cached", "is_one_task", "deletes_keys", "asks_buckets"),
            writes="replace",
            join="broadcast",
            merged_by="broadcast",
        ),
    ),
    "small, nothing newer": (
        {},
        way(
            *("is_cached", "is_one_task", "is_compared", "keeps_verdicts"),
            writes="replace",
            join="broadcast",
            merged_by="broadcast",
        ),
    ),
    "staged, in order": (
        STAGED | {"follows": True, "changed": 1},
        way(
            *("lies_in_buckets", "deletes_keys"),
            writes="replace",
            join="shuffle_hash",
            merged_by="buckets",
        ),
    ),
    "staged, in order, without buckets": (
        {"records": 99, "follows": True, "changed": 1},
        way("deletes_keys", writes="replace", join="merge", merged_by="shuffle"),
    ),
    "staged, late": (
        STAGED | {"changed": 1, "outdated": 1, "has_floor": True},
        way(
            *("is_compared", "cuts_truncated", "cuts_outdated", "lies_in_buckets"),
            writes="merge",
            join="shuffle_hash",
            merged_by="buckets",
        ),
    ),
    "copy-on-write": (
        {"merge_mode": "copy-on-write", "follows": True, "changed": 1},
        way(writes="merge", join="merge", merged_by="shuffle"),
    ),
    "rebuild": (
        {"is_rebuild": True, "changed": 1, "outdated": 1, "has_floor": True},
        way(
            *("is_compared", "cuts_truncated", "cuts_outdated"),
            writes="rebuild",
            join="merge",
            merged_by="rebuild",
        ),
    ),
    "new TRUNCATE, small": (
        {"buckets": 4, "has_buckets": True, "has_floor": True, "has_new_floor": True},
        way(
            *("is_cached", "is_one_task", "is_compared", "keeps_verdicts"),
            writes="replace",
            join="broadcast",
            merged_by="broadcast",
        ),
    ),
    "new TRUNCATE, staged": (
        STAGED | {"has_floor": True, "has_new_floor": True, "changed": 1},
        way(
            *("is_compared", "cuts_truncated", "lies_in_buckets"),
            writes="merge",
            join="shuffle_hash",
            merged_by="buckets",
        ),
    ),
    "completes, small": (
        {"fills": True, "partial": 1, "follows": True},
        way(
            *("is_cached", "is_one_task", "completes", "deletes_keys"),
            writes="replace",
            join="broadcast",
            merged_by="broadcast",
        ),
    ),
    "completes, staged": (
        STAGED | {"fills": True, "partial": 1, "follows": True, "changed": 1},
        way(
            *("completes", "lies_in_buckets"),
            writes="merge",
            join="shuffle_hash",
            merged_by="buckets",
        ),
    ),
    "completes, with soft deletes": (
        STAGED | {"fills": True, "partial": 1, "deletes": "soft", "outdated": 1, "changed": 1},
        way(
            *("is_compared", "completes", "lies_in_buckets"),
            writes="merge",
            join="shuffle_hash",
            merged_by="buckets",
        ),
    ),
}


@pytest.mark.parametrize("name", WAYS)
def test_the_ways(name):
    given, expected = WAYS[name]
    assert choose_route(replace(FACTS, **given)) == expected


@pytest.mark.parametrize(
    ("is_rebuild", "has_buckets", "records", "expected"),
    [
        (True, True, 99, "rebuild"),
        (False, True, 9, "broadcast"),
        (False, True, 99, "buckets"),
        (False, False, 99, "shuffle"),
    ],
)
def test_how_a_batch_is_merged(is_rebuild, has_buckets, records, expected):
    given = {"is_rebuild": is_rebuild, "has_buckets": has_buckets, "records": records}
    assert choose_route(replace(FACTS, **given)).merged_by == expected


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


@pytest.mark.parametrize(("records", "is_one"), [(ONE_TASK - 1, True), (ONE_TASK, False)])
def test_what_one_task_reads_is_not_shuffled(records, is_one):
    small = replace(FACTS, records=records, stage_from=ONE_TASK + 1)
    assert choose_route(small).is_one_task is is_one
    assert choose_route(replace(small, stage_from=0)).is_one_task is False
