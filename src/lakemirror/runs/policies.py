"""How each table is cared for: the defaults of its layer, and what its configuration says."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from typing import Any

from lakemirror.runs.checks import (
    choice,
    duration,
    duration_problems,
    number,
    percent,
    problems_of,
    seconds_of,
    unknown_problems,
)

SMALL_TABLE = 64 * 1024 * 1024  # bytes: a query reads it in moments
LEAST_RETENTION = "1d"
LEAST_ORPHAN_AGE = "3d"  # a file that is younger may belong to a commit that is under way (F38)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How a table is cared for: docs/maintenance.md has each key. Durations are texts such as 3d.

    Attributes:
        enabled: whether it is at all.
        earliest: the time of day (UTC) before which nothing is done, as ``02:00``; None: any.
        interval: how long a table is left alone after it was cared for.
        retention: how long the records of a raw table stay; None: for ever.
        archive: the folder, or its URL, that records are written to before they go; None: nowhere.
        snapshot_age: how old a snapshot is that expires.
        min_snapshots: so many of the newest stay.
        readers: how long a query may take that reads the table: what was the table since stays.
        small_readers: the same while the table is small; None: no other.
        max_old_percent: bytes that only old snapshots have, of the table's own; above it they
            expire before their age.
        target_file_mb: how large files are to be; one of less than three quarters is small.
        min_input_files: so many small files, or files of deletes, of a partition are rewritten.
        max_deleted_percent: deleted rows of all; above it files are rewritten without them.
        compact_by: a column of dates or times: only small files with young rows are put together.
        compact_days: how young these are, in days before the one that it is (UTC).
        sort_by: the columns that files are sorted by; None: a mirror's key, other tables not.
        z_order_by: the columns that files are ordered by together, in place of ``sort_by``.
        min_manifests: so many manifests, most of them small, are rewritten.
        metadata_files: so many former metadata files stay.
        orphan_age: how old a file is that no metadata names, and that is removed.
        orphan_interval: how often these files are looked for.
    """

    enabled: bool = choice(True, False)
    earliest: str | None = None
    interval: str = duration("0s")
    retention: str | None = None
    archive: str | None = None
    snapshot_age: str = duration("3d")
    min_snapshots: int = number(1, 1, "a whole number from 1")
    readers: str = duration("1h")
    small_readers: str | None = None
    max_old_percent: int = number(50, 0, "a whole number from 0")
    target_file_mb: int = number(128, 1, "a whole number from 1")
    min_input_files: int = number(5, 2, "a whole number from 2")
    max_deleted_percent: float = percent(10)
    compact_by: str | None = None
    compact_days: int | None = number(None, 0, "a whole number from 0")
    sort_by: list[str] | None = field(default=None)
    z_order_by: list[str] | None = field(default=None)
    min_manifests: int = number(100, 2, "a whole number from 2")
    metadata_files: int = number(10, 1, "a whole number from 1")
    orphan_age: str = duration("7d", LEAST_ORPHAN_AGE)
    orphan_interval: str = duration("7d", "1h")

    def seconds(self, name: str) -> int:
        """A duration of it in seconds."""
        return seconds_of(getattr(self, name)) or 0

    def readers_seconds(self, size: int) -> int:
        """How long a query may take that reads a table of so many bytes.

        >>> [LAYERS["table"].readers_seconds(size) for size in (10**6, 10**9)]
        [300, 3600]
        """
        is_small = size < SMALL_TABLE and self.small_readers is not None
        return self.seconds("small_readers" if is_small else "readers")

    @property
    def clustering(self) -> str:
        """What all files are to be ordered by; empty where it is not said.

        >>> Policy(z_order_by=["a", "b"]).clustering, Policy(sort_by=["a"]).clustering
        ('zorder(a, b)', 'a')
        """
        if self.z_order_by:
            return f"zorder({', '.join(self.z_order_by)})"
        return ", ".join(self.sort_by or ())

    @property
    def target_bytes(self) -> int:
        return self.target_file_mb * 1024 * 1024

    @property
    def small_bytes(self) -> int:
        """Iceberg's own bound: three quarters of the target."""
        return self.target_bytes * 3 // 4


LAYERS: dict[str, Policy] = {
    # a first load may take a day, and its bookmark is the snapshot that it has read
    "raw": Policy(snapshot_age="5d", readers="1d", max_old_percent=100),
    "mirror": Policy(),
    "tombstones": Policy(),
    "log": Policy(),
    "daily": Policy(),
    # made anew, or added to, by every run; no run goes on from what they were
    "ops": Policy(snapshot_age="0s", small_readers="5m", metadata_files=3),
    "table": Policy(snapshot_age="1d", small_readers="5m", metadata_files=3),
}


def policy_of(layer: str, given: Mapping[str, Any]) -> Policy:
    """The policy of a table: what it is given, over the defaults of its layer. ``readers`` that is
    given alone is of a table of any size.

    >>> policy_of("table", {"readers": "2h"}).readers_seconds(1)
    7200
    """
    any_size = {"small_readers": None} if "readers" in given else {}
    return Policy(**{**asdict(LAYERS[layer]), **any_size, **given})


def policy_problems(given: Any) -> list[str]:
    """All that is wrong with the configuration ``maintenance`` of a table.

    >>> policy_problems({"snapshot_ages": "1d", "orphan_age": "1d"})[0]
    'maintenance.orphan_age: 3d is the least, and not 1d'
    """
    if not isinstance(given, Mapping):
        return [f"maintenance: a mapping is expected, and not {given}"]
    problems: list[str] = []
    known = {setting.name: setting for setting in fields(Policy)}
    for name, value in given.items():
        if name in known:
            default = known[name].default
            default = None if default is MISSING else default
            found = problems_of(name, value, default, known[name].metadata)
            problems += found or more_problems(name, value)
    if given.get("sort_by") and given.get("z_order_by"):
        problems.append("z_order_by: files are ordered by it or by sort_by, and not by both")
    if (given.get("compact_by") is None) != (given.get("compact_days") is None):
        problems.append("compact_by: it is given with compact_days, or not at all")
    if given.get("archive") and not given.get("retention"):
        problems.append("archive: without a retention no record goes")
    problems += unknown_problems({*given} - {*known}, known, "maintenance")
    return [f"maintenance.{problem}" for problem in problems]


def more_problems(name: str, value: Any) -> list[str]:
    """What is wrong with a value that has no rule of all settings."""
    if name == "earliest" and value is not None:
        is_time = re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", str(value))
        return [] if is_time else [f"earliest: a time such as '02:00' is expected, and not {value}"]
    if name == "small_readers" and value is not None:
        return duration_problems(name, value, "0s")
    if name == "retention" and value is not None:
        return duration_problems(name, value, LEAST_RETENTION)
    if name == "compact_by" and value is not None:
        is_column = isinstance(value, str) and bool(value)
        return [] if is_column else [f"compact_by: a column is expected, and not {value}"]
    if name == "archive" and value is not None:
        is_folder = isinstance(value, str) and bool(value) and "`" not in value
        return [] if is_folder else [f"archive: a folder or its URL is expected, and not {value}"]
    if name in ("sort_by", "z_order_by") and value is not None:
        is_list = isinstance(value, list | tuple) and all(isinstance(each, str) for each in value)
        return [] if is_list else [f"{name}: a list of columns is expected, and not {value}"]
    return []
