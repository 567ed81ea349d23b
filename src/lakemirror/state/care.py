"""What a table needs, by its figures: which snapshots may go, which files are to be rewritten."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from lakemirror.state import window
from lakemirror.state.window import Snapshot

HOURS, CLUSTER = "drop hours", "cluster"
COMPACT, DELETES, MANIFESTS = "compact", "rewrite deletes", "rewrite manifests"
EXPIRE, METADATA, ORPHANS = "expire", "trim metadata", "remove orphans"
SMALL_MANIFEST = 4 * 1024 * 1024  # bytes: Iceberg makes manifests of 8 MB


class Rules(Protocol):
    """What lakemirror.runs.policies.Policy says of a table."""

    @property
    def retention(self) -> str | None: ...

    @property
    def archive(self) -> str | None: ...

    @property
    def clustering(self) -> str: ...

    @property
    def min_snapshots(self) -> int: ...

    @property
    def max_old_percent(self) -> int: ...

    @property
    def min_input_files(self) -> int: ...

    @property
    def max_deleted_percent(self) -> float: ...

    @property
    def compact_by(self) -> str | None: ...

    @property
    def min_manifests(self) -> int: ...

    @property
    def metadata_files(self) -> int: ...

    def readers_seconds(self, size: int) -> int: ...

    def seconds(self, name: str) -> int: ...


@dataclass(frozen=True)
class Outlived:
    """The records of a raw table that need not be kept: whole files of them.

    Attributes:
        until: they are of hours that have ended by then, by the source's time (UTC).
        landed_until: those without a source's time have landed before.
        records: how many they are.
        bytes: of their files.
    """

    until: str
    landed_until: str
    records: int
    bytes: int


@dataclass(frozen=True)
class Figures:
    """What Iceberg's metadata says of a table. Sizes are bytes.

    Attributes:
        small_files: small data files that are to be put together, in partitions of enough of them.
        delete_files: files of deletes, of positions and vectors.
        most_deletes: files of position deletes of the partition that has the most.
        deleted: rows that they delete.
        old_bytes: what files have that only old snapshots name.
        expired: the snapshots that may go.
        expired_bytes: what files have that only these name.
        snapshots: all of them.
        metadata_files: the former ones that the newest names.
        orphans_checked: seconds since orphans were looked for; None where they never were.
        outlived: the records of raw that may go.
        clustered_by: what all files were ordered by once; None: by nothing that was asked for.
    """

    data_files: int = 0
    data_bytes: int = 0
    rows: int = 0
    small_files: int = 0
    small_bytes: int = 0
    delete_files: int = 0
    delete_bytes: int = 0
    most_deletes: int = 0
    deleted: int = 0
    manifests: int = 0
    manifest_bytes: int = 0
    snapshots: int = 0
    old_bytes: int = 0
    expired: Sequence[int] = ()
    expired_bytes: int = 0
    metadata_files: int = 0
    orphans_checked: float | None = None
    outlived: Outlived | None = None
    clustered_by: str | None = None

    @property
    def live_bytes(self) -> int:
        """What its files have now."""
        return self.data_bytes + self.delete_bytes

    @property
    def deleted_percent(self) -> float:
        return 100 * self.deleted / self.rows if self.rows else 0.0


def few_files(summary: Mapping[str, str], least: int) -> Figures | None:
    """What the newest commit of a table tells of it, if it has less than ``least`` files, and no
    deletes: then nothing needs to be rewritten.

    >>> few_files({"total-data-files": "2", "total-delete-files": "0"}, 5).data_files
    2
    >>> few_files({"total-data-files": "2", "total-delete-files": "1"}, 5)
    """
    files, deletes = summary.get("total-data-files"), summary.get("total-delete-files")
    if files is None or int(files) >= least or deletes != "0":
        return None
    size, rows = (int(summary.get(f"total-{name}", 0)) for name in ("files-size", "records"))
    return Figures(data_files=int(files), data_bytes=size, rows=rows)


@dataclass(frozen=True)
class Step:
    """Something that a table needs.

    Attributes:
        why: with the figure.
        urgency: 1 where it has just become needed; more is more urgent.
        reads: bytes that it is expected to read.
        writes: bytes that it is expected to write.
        folds: whether a compaction takes in all files that have deletes.
    """

    action: str
    why: str
    urgency: float
    reads: int = 0
    writes: int = 0
    folds: bool = False


def steps(figures: Figures, rules: Rules) -> list[Step]:
    """What a table needs, in the order in which it is to be done: what is rewritten leaves old
    files behind, which go with their snapshots.

    >>> from lakemirror.runs.policies import Policy
    >>> [step.action for step in steps(Figures(small_files=9, data_files=9), Policy())]
    ['compact', 'remove orphans']
    """
    found = [
        hours(figures, rules),
        clustering(figures, rules) or compaction(figures, rules),
        deletes(figures, rules),
        manifests(figures, rules),
        expiry(figures, rules),
        metadata(figures, rules),
        orphans(figures, rules),
    ]
    is_folded = found[1] is not None and found[1].folds
    return [step for step in found if step and not (is_folded and step.action == DELETES)]


def hours(figures: Figures, rules: Rules) -> Step | None:
    """Hours of raw that are older than its retention, and that nobody still reads, go."""
    found = figures.outlived
    if found is None:
        return None
    records = f"{found.records} records" if found.records != 1 else "1 record"
    why = f"{records} from before {found.until} are older than {rules.retention}"
    return Step(HOURS, why, 1.0, found.bytes if rules.archive else 0)


def clustering(figures: Figures, rules: Rules) -> Step | None:
    """All files are ordered by the columns that readers ask by, once they are named."""
    if not rules.clustering or figures.clustered_by == rules.clustering or not figures.data_files:
        return None
    size = figures.live_bytes
    why = f"its files are to be ordered by {rules.clustering}"
    return Step(CLUSTER, why, 0.5, size, size, folds=True)


def compaction(figures: Figures, rules: Rules) -> Step | None:
    """Small files become large ones, and deleted rows leave their files, unless only young files
    are to be touched."""
    is_high = bool(figures.deleted) and figures.deleted_percent > rules.max_deleted_percent
    folds = is_high and rules.compact_by is None
    if folds:
        why = f"{figures.deleted_percent:.0f} % of {figures.rows} rows are deleted"
        size = figures.live_bytes
        urgency = figures.deleted_percent / max(rules.max_deleted_percent, 1)
        kept = size * max(figures.rows - figures.deleted, 0) // max(figures.rows, 1)
        return Step(COMPACT, why, urgency, size, kept, folds=True)
    if not figures.small_files:
        return None
    why = f"{figures.small_files} of {figures.data_files} data files are small"
    urgency = figures.small_files / rules.min_input_files
    return Step(COMPACT, why, urgency, figures.small_bytes, figures.small_bytes)


def deletes(figures: Figures, rules: Rules) -> Step | None:
    """Files of position deletes of a partition become one; those without a data file go."""
    if figures.most_deletes < rules.min_input_files:
        return None
    why = f"{figures.delete_files} files of deletes, up to {figures.most_deletes} of a partition"
    size = figures.delete_bytes
    return Step(DELETES, why, figures.most_deletes / rules.min_input_files, size, size)


def manifests(figures: Figures, rules: Rules) -> Step | None:
    """Many small manifests become few."""
    is_many = figures.manifests >= rules.min_manifests
    if not is_many or figures.manifest_bytes >= SMALL_MANIFEST * figures.manifests:
        return None
    why = f"{figures.manifests} manifests of {in_words(figures.manifest_bytes)}"
    size = figures.manifest_bytes
    return Step(MANIFESTS, why, figures.manifests / rules.min_manifests, size, size)


def expiry(figures: Figures, rules: Rules) -> Step | None:
    """Snapshots that nobody needs go, with the files that only they name."""
    if not figures.expired:
        return None
    of_all = f"{len(figures.expired)} of {figures.snapshots} snapshots"
    why = f"{of_all} are needed no more, with {in_words(figures.expired_bytes)}"
    share = 100 * figures.old_bytes / max(figures.live_bytes, 1)
    return Step(EXPIRE, why, 1 + share / max(rules.max_old_percent, 1))


def metadata(figures: Figures, rules: Rules) -> Step | None:
    """Former metadata files go: each has all that the table knew then, and one is written by every
    commit. Nobody reads them but who has just been told where one is."""
    if figures.metadata_files <= rules.metadata_files:
        return None
    why = f"{figures.metadata_files} former metadata files"
    return Step(METADATA, why, figures.metadata_files / max(rules.metadata_files, 1) / 2)


def orphans(figures: Figures, rules: Rules) -> Step | None:
    """Files that no metadata names."""
    since = figures.orphans_checked
    every = rules.seconds("orphan_interval")
    if since is None:
        return Step(ORPHANS, "never looked for; the first time only counts them", 0.1)
    if since < every:
        return None
    return Step(ORPHANS, f"looked for {since / 86400:.0f} days ago", min(since / every, 2) / 10)


def in_words(size: int) -> str:
    """A size for people.

    >>> in_words(2_500_000), in_words(12)
    ('2.5 MB', '12 B')
    """
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.1f} {unit}"
    return f"{size} B"


# -- which snapshots may go ------------------------------------------------------------------


@dataclass(frozen=True)
class Needs:
    """Who still reads a table.

    Attributes:
        ids: snapshots that stay, each for itself.
        since: snapshots from which on all of the table's history stays.
        refs: the snapshots of its tags and branches.
        ages: how many seconds ago each snapshot was committed.
    """

    ids: Collection[int] = ()
    since: Collection[int] = ()
    refs: Collection[int] = ()
    ages: Mapping[int, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Expiry:
    """The snapshots that may go.

    Attributes:
        ids: of them.
        bytes: of files that only they name, as far as the summaries tell.
        old_bytes: of files that no longer are the table's.
    """

    ids: Sequence[int]
    bytes: int
    old_bytes: int


def expirable(
    snapshots: Sequence[Snapshot], head: int | None, needs: Needs, rules: Rules, live: int
) -> Expiry:
    """Which snapshots of a table may go: the oldest of its history, never one in between, and what
    is beside it.

    Args:
        snapshots: all of them.
        live: bytes of the table's files.
    """
    lineage = window.lineage(snapshots, head)
    if not lineage:
        return Expiry((), 0, 0)
    removed = [removed_bytes(snapshot) for snapshot in lineage]
    young = rules.readers_seconds(live)
    needed = must_stay(lineage, needs, rules, young)
    stays = max(needed, by_age(lineage, needs.ages, rules.seconds("snapshot_age")))
    # what the snapshot at a place has, and the next newer one has not, goes with it
    while stays > needed and 100 * sum(removed[: stays - 1]) > rules.max_old_percent * live:
        stays -= 1
    kept = {snapshot.id for snapshot in lineage[:stays]} | {*needs.ids}
    kept |= kept_by_refs(snapshots, needs.refs)
    in_lineage = {snapshot.id for snapshot in lineage}
    gone = [
        snapshot.id
        for snapshot in snapshots
        if snapshot.id not in kept
        and (snapshot.id in in_lineage or needs.ages.get(snapshot.id, 0) >= young)
    ]
    return Expiry(gone, sum(removed[stays - 1 :]) if gone else 0, sum(removed))


def must_stay(lineage: Sequence[Snapshot], needs: Needs, rules: Rules, young: int) -> int:
    """How many of the newest snapshots of a history must stay.

    Args:
        young: seconds; what the table was since then stays.
    """
    own = [window.BOOKMARK in snapshot.summary for snapshot in lineage]
    places = [place for place, snapshot in enumerate(lineage) if snapshot.id in {*needs.since}]
    return max(
        min(rules.min_snapshots, len(lineage)),
        by_age(lineage, needs.ages, young),
        own.index(True) + 1 if any(own) else 1,
        *(place + 1 for place in places),
        1,
    )


def by_age(lineage: Sequence[Snapshot], ages: Mapping[int, float], seconds: int) -> int:
    """How many of the newest snapshots have been the table within some time: the one that was it at
    its beginning is among them."""
    for place, snapshot in enumerate(lineage):
        if ages.get(snapshot.id, 0) >= seconds:
            return place + 1
    return len(lineage)


def kept_by_refs(snapshots: Sequence[Snapshot], refs: Iterable[int]) -> set[int]:
    """The snapshots of tags and branches, each with what is between it and the newest commit that
    carries a bookmark: a rollback to one asks for it."""
    kept: set[int] = set()
    for ref in refs:
        lineage = window.lineage(snapshots, ref)
        own = window.newest_own_commit(lineage)
        kept |= {s.id for s in lineage[: lineage.index(own) + 1]} if own else {ref}
    return kept


def removed_bytes(snapshot: Snapshot) -> int:
    """Bytes of the files that a commit has removed from the table."""
    return int(snapshot.summary.get("removed-files-size", 0))


def bookmarks(snapshots: Iterable[Snapshot]) -> set[int]:
    """The snapshots of raw that the commits of a table carry."""
    texts: Iterable[Any] = (snapshot.summary.get(window.BOOKMARK) for snapshot in snapshots)
    return {int(text) for text in texts if text}
