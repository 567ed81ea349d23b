"""How many buckets a mirror is to have, and by which column of its key."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TASK = 128 * 1024 * 1024  # Iceberg's read.split.target-size: what one task reads
KEYS_A_BUCKET = 100  # with fewer, some buckets are much larger than others


@dataclass(frozen=True)
class Advice:
    """Buckets for a mirror.

    Attributes:
        buckets: a power of two, or None where the table is too small to have any.
        bucket_by: the column of the key with the most values, of equals the first.
        reason: both in figures.
    """

    buckets: int | None
    bucket_by: str
    reason: str


def advise(size: int, distinct: Mapping[str, int]) -> Advice:
    """Buckets that a task each reads: a merge joins one in a task, and writes one file to it.

    Args:
        size: bytes of the mirror's data files.
        distinct: about how many values each column of the key has.

    >>> advise(2_000_000_000, {"region": 7, "id": 40_000_000}).buckets
    16
    >>> advise(2_000_000_000, {"region": 700}).buckets
    4
    """
    by = max(distinct, key=lambda name: distinct[name])
    buckets = 1
    while buckets * TASK < size and 2 * buckets * KEYS_A_BUCKET <= distinct[by]:
        buckets *= 2
    reason = (
        f"{size / 1e6:.1f} MB of files, of which a task reads {TASK / 1e6:.0f} MB; "
        f"{by} has about {distinct[by]} values"
    )
    return Advice(buckets if buckets > 1 else None, by, reason)


def are_as_configured(
    partitioning: Sequence[str], buckets: int | None, bucket_by: str | None
) -> bool:
    """Whether a table is partitioned by these buckets, or not at all where there are none.

    >>> are_as_configured(["bucket(16, `id`)"], 16, "id"), are_as_configured([], 16, "id")
    (True, False)
    """
    wanted = [f"bucket({buckets}, {bucket_by})"] if buckets else []
    return [text.replace("`", "") for text in partitioning] == [w.replace("`", "") for w in wanted]


def column_of(partitioning: Sequence[str]) -> str | None:
    """The column that a table is bucketed by; None where it has no buckets.

    >>> column_of(["bucket(16, `id`)"])
    'id'
    """
    found = re.fullmatch(r"bucket\(\d+, `?(.+?)`?\)", "".join(partitioning[:1]))
    return found[1].replace("``", "`") if found else None


def kept_column(
    partitioning: Sequence[str], key: Sequence[str], buckets: int | None, bucket_by: str | None
) -> str:
    """The column that a table's buckets are made of: the configured one, or the one that was chosen
    for it, while its key has it."""
    by = bucket_by or (column_of(partitioning) if buckets else None)
    return by if by is not None and by in key else key[0]


def bucketable(types: Mapping[str, str], key: list[str]) -> list[str]:
    """Those columns of a key that Iceberg's bucket transform takes; all, where it takes none.

    >>> bucketable({"price": "double", "id": "bigint"}, ["price", "id"])
    ['id']
    """
    return [name for name in key if types[name] not in ("boolean", "float", "double")] or key
