"""Which physical way a batch goes into its mirror: one pure function of what is known of it.

Decisions 10, 11 and 16 have the reasons and the figures.
"""

from dataclasses import dataclass

from lakemirror.runs.settings import MERGE_ON_READ

CACHED_BYTES = 32 * 1024 * 1024  # of raw files: what fits into a driver's cache
ONE_TASK = 10_000  # records: what one task reads is not shuffled
HASHED_KEYS = 1_000_000  # a hash of so many keys fits into memory, also where one bucket has all


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known of a batch: of its window first, of its order when it is staged, of its counts
    when it is judged.

    Attributes:
        records: how many the window has.
        bytes: the size of the window's files.
        stage_from: the setting: how many records a batch has that is staged.
        merge_mode: the setting.
        deletes: the setting.
        buckets: the setting.
        has_buckets: whether the mirror's table is bucketed by the setting.
        fills: whether the batch has columns that were not sent (``_unsent``).
        is_rebuild: whether the mirror is made anew.
        is_first: whether it has no row yet.
        follows: whether each change is newer than all that the mirror has and remembers.
        has_floor: whether there has been a TRUNCATE.
        has_new_floor: whether this batch has one that the mirror has not merged.
        changed: how many keys the batch changes.
        outdated: how many of its changes a remembered delete outdates.
        partial: how many rows lack a column that was not sent.
    """

    records: int
    bytes: int
    stage_from: int
    merge_mode: str
    deletes: str
    buckets: int | None
    has_buckets: bool
    fills: bool
    is_rebuild: bool
    is_first: bool
    follows: bool = False
    has_floor: bool = False
    has_new_floor: bool = False
    changed: int = 0
    outdated: int = 0
    partial: int = 0


@dataclass(frozen=True, kw_only=True)
class Route:
    """The way of a batch. What is decided by the window stays when the order and the counts are
    known.

    Attributes:
        is_cached: the batch is a cached view, and not a staged table.
        is_one_task: all of a cached batch is one task's: a shuffle would move nothing.
        is_compared: its changes are compared with the rows of the mirror.
        keeps_verdicts: what becomes of each change is kept beside it, and not asked again.
        cuts_truncated: what lies below the floor is removed from the stage before the merge.
        cuts_outdated: what remembered deletes outdate is removed from it.
        completes: rows get the values that were not sent from what is known of them.
        writes: ``rebuild`` (replace the table), ``insert``, ``replace`` (delete the rows of the
            changed keys, then insert), or ``merge``.
        deletes_keys: with ``replace``, whether rows of the changed keys are deleted.
        asks_buckets: whether the buckets are looked up that the changes fall in.
        lies_in_buckets: the batch is written as it lies, without a shuffle.
        join: Spark's hint for the join of the keys: broadcast, shuffle_hash or merge.
        merged_by: what the commit says of it: rebuild, broadcast, buckets or shuffle.
    """

    is_cached: bool
    is_one_task: bool
    is_compared: bool
    keeps_verdicts: bool
    cuts_truncated: bool
    cuts_outdated: bool
    completes: bool
    writes: str
    deletes_keys: bool
    asks_buckets: bool
    lies_in_buckets: bool
    join: str
    merged_by: str


def choose_route(facts: Facts) -> Route:
    """The way of a batch, of which only a part may be known yet."""
    is_cached = (
        facts.records < facts.stage_from
        and facts.bytes < CACHED_BYTES
        and facts.merge_mode == MERGE_ON_READ  # files that are rewritten need a staged batch
        and not facts.is_rebuild
    )
    completes = facts.fills and (facts.partial > 0 or facts.has_new_floor)
    writes = writes_by(facts, is_cached, completes)
    touches_all = facts.is_first or facts.is_rebuild or facts.has_new_floor
    return Route(
        is_cached=is_cached,
        is_one_task=is_cached and facts.records < ONE_TASK,
        is_compared=not facts.follows,
        keeps_verdicts=is_cached and not facts.follows,
        cuts_truncated=facts.has_floor and not is_cached and not facts.follows,
        cuts_outdated=(
            facts.outdated > 0
            and not is_cached
            and not (completes and facts.deletes == "soft")  # it still tells what was sent
        ),
        completes=completes,
        writes=writes,
        deletes_keys=writes == "replace" and (facts.changed > 0 or completes),
        asks_buckets=(
            facts.buckets is not None
            and not touches_all
            and facts.records <= 2 * facts.buckets  # more changes touch all of them
        ),
        lies_in_buckets=not is_cached and facts.has_buckets,
        join=join_of(facts, is_cached),
        merged_by=(
            "rebuild"
            if facts.is_rebuild
            else "broadcast"
            if is_cached
            else "buckets"
            if facts.has_buckets
            else "shuffle"
        ),
    )


def writes_by(facts: Facts, is_cached: bool, completes: bool) -> str:
    """How a batch is written. Where the verdicts are known, or none is needed, a MERGE would join
    more than the keys."""
    if facts.is_rebuild:
        return "rebuild"
    if facts.is_first:
        return "insert"
    is_plain = facts.follows and not completes and facts.merge_mode == MERGE_ON_READ
    return "replace" if is_cached or is_plain else "merge"


def join_of(facts: Facts, is_cached: bool) -> str:
    """How the changed keys are joined to the rows that they replace; sorted rows may spill."""
    if is_cached:
        return "broadcast"
    return "shuffle_hash" if facts.has_buckets and facts.changed < HASHED_KEYS else "merge"
