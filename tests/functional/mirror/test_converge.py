"""Any delivery of the same changes gives the same mirror.

I1; cases 1, 6-8, 12-17, 23, 27, 30-34, 38, 39; F01, F03, F04, F06-F09, F11, F14-F16, F32.

Thousands of random histories ride in one table: repeated, shuffled over partitions and batches,
with a run that dies. At the end all mirrors equal the source's own state, and the counts add up.
"""

import json
import random
from collections.abc import Callable
from itertools import product

import pytest
from pyiceberg.table.snapshots import ancestors_of

from lakemirror.state.window import BOOKMARK
from support.audits import assert_healthy
from support.delivery import HISTORIES, SEED, UNSENT, Source, drawn_moves
from support.depth import DEEP, whole_only
from support.history import History, Row, play, truncate_events
from support.lake import Lake

pytestmark = pytest.mark.compiled

BATCHES = 3
MODES, VERSIONS = ("merge-on-read", "copy-on-write"), (2, 3)
BUCKETS, DELETES = ("none", 4), ("hard", "soft")
CHOICES = list(product(range(2), repeat=4))
# every pair of choices meets in the shards; in the others, each choice has each of its values, and
# batches are cached and staged: in the parts, cached with both kinds of delete
PAIRS = {
    "shards": [c for c in CHOICES if sum(c) in (0, 3)],
    "servers": [(0, 0, 0, 1), (0, 1, 0, 0), (1, 0, 1, 1)],
    "parts": [(0, 0, 0, 1), (0, 1, 1, 0), (0, 0, 1, 1), (1, 1, 0, 0)],
}


def variants(world: str) -> dict[str, str]:
    """The configurations of the mirrors by name; only merge-on-read has batches that are cached."""
    return {
        f"{MODES[m][0]}_v{VERSIONS[v]}_{BUCKETS[b]}_{'cached' if s else 'staged'}_{DELETES[d]}": (
            f"config(unique_key=['id'], merge_mode='{MODES[m]}', format_version={VERSIONS[v]}, "
            f"buckets={BUCKETS[b]}, stage_from={s}, deletes='{DELETES[d]}')"
        )
        for m, v, b, d in (CHOICES if DEEP else PAIRS[world])
        for s in ((0, 10**9) if DEEP and not m else (0 if m or (v + b) % 2 else 10**9,))
    }


Rows = dict[int, tuple[Row, bool]]


def rows(lake: Lake, variant: str) -> Rows:
    """The rows of a mirror by key: the values, and whether it is marked as deleted."""
    table = lake.catalog.load_table(f"mirror.{variant}").scan().to_arrow().to_pylist()
    found = {
        row["id"]: ({"v": row["v"], "w": row["w"]}, bool(row.get("_is_deleted"))) for row in table
    }
    assert len(found) == len(table), f"{variant} has a key twice"
    return found


def expected(lives: list[History], variant: str) -> Rows:
    live = {h.key: (h.value, False) for h in lives if h.value is not None}
    gone = {h.key: (h.last, True) for h in lives if h.last is not None}
    return live | gone if variant.endswith("soft") else live


def assert_counts_add_up(lake: Lake, variant: str, events: int) -> None:
    """Nothing is dropped in silence: every event read has an outcome."""
    table = lake.catalog.load_table(f"mirror.{variant}")
    counts = [
        {k.removeprefix("lakemirror."): v for k, v in s.summary.additional_properties.items()}
        for s in ancestors_of(table.current_snapshot(), table.metadata)
        if BOOKMARK in s.summary.additional_properties
    ]
    outcomes = ("applied", "stale", "duplicate", "ignored", "quarantined")
    for commit in counts:
        assert int(commit["read"]) == sum(int(commit[name]) for name in outcomes), commit
    assert sum(int(commit["read"]) for commit in counts) == events


@pytest.mark.parametrize("world", ["shards", "servers", pytest.param("parts", marks=whole_only)])
def test_every_delivery_converges(lake: Lake, dies: Callable[[int], None], world: str) -> None:
    lives = [play(world, key, *life) for key, life in enumerate(drawn_moves(world, HISTORIES), 1)]
    events = [event for life in lives for event in life.events] + truncate_events(world)
    random.Random(SEED).shuffle(events)
    source = Source(lake, variants(world), UNSENT if world == "parts" else "")
    for batch in range(BATCHES):
        source.deliver(events[batch::BATCHES])
        if batch == BATCHES - 1:  # a run that dies, each mirror at another statement
            dies(SEED)
            source.run("path:models", fails=True)
            dies(0)
        source.run("path:models")
    hard = next(name for name in variants(world) if name.endswith("hard"))
    soft = next(name for name in variants(world) if name.endswith("soft"))
    assert_healthy(source, model=[f"mirror_{hard}", f"mirror_{soft}"])
    for variant in variants(world):
        assert_counts_add_up(lake, variant, len(events))
        found, wanted = rows(lake, variant), expected(lives, variant)
        wrong = [key for key in found.keys() | wanted.keys() if found.get(key) != wanted.get(key)]
        if wrong:
            life = min((lives[key - 1] for key in wrong), key=lambda life: len(life.events))
            pytest.fail(
                f"seed {SEED}, {variant}: {len(wrong)} of {len(lives)} keys are wrong. "
                f"Key {life.key} is {found.get(life.key)} and not {wanted.get(life.key)} after "
                "its events:\n"
                + "\n".join(json.dumps(e) for e in life.events)
                + f"\nand these truncates: {truncate_events(world)[::2]}"
            )
