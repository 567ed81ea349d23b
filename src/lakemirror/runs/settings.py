"""The settings of each materialization: their defaults, and all that is wrong with a model's."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from lakemirror.runs.checks import choice, number, percent, problems_of
from lakemirror.runs.policies import policy_problems

MERGE_ON_READ, COPY_ON_WRITE = "merge-on-read", "copy-on-write"


class SettingsError(Exception):
    """All that is wrong with a model's configuration, a problem each."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n  - ".join(["", *problems]).lstrip("\n"))
        self.problems = problems


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the materializations of changes have in common.

    Attributes:
        table_properties: properties of the table, over those that lakemirror gives it.
        maintenance: over the defaults of its layer: see lakemirror.runs.policies.Policy.
    """

    table_properties: Mapping[str, Any] = field(default_factory=dict)
    maintenance: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def names(cls) -> set[str]:
        """The configurations that the materialization knows, beside dbt's own."""
        return {setting.name for setting in fields(cls)}

    @classmethod
    def read(cls, config: Mapping[str, Any]) -> Self:
        """The settings of a model's configuration.

        Raises:
            SettingsError: all that is wrong with them.
        """
        given = {n: config[n] for n in cls.names() if config.get(n) is not None}
        problems: list[str] = []
        given = cls.prepared(given, problems)
        for setting in fields(cls):
            value = given.get(setting.name, setting.default)
            problems += problems_of(setting.name, value, setting.default, setting.metadata)
        problems += policy_problems(given.get("maintenance", {}))
        properties = given.get("table_properties", {})
        if not isinstance(properties, Mapping):
            problems.append("table_properties: a mapping is expected")
        elif "format_version" in cls.names() and "format-version" in properties:
            problems.append("table_properties: format-version is set by format_version (2 or 3)")
        if problems:
            raise SettingsError(problems)
        return cls(**given)

    @classmethod
    def prepared(cls, given: dict[str, Any], problems: list[str]) -> dict[str, Any]:
        """The configurations as the settings have them; what is wrong is added to ``problems``."""
        return given


def table_properties(merge_mode: str, format_version: int, has_buckets: bool) -> dict[str, Any]:
    """The properties that lakemirror gives a table of changes."""
    return {
        "format-version": format_version,
        "write.merge.mode": merge_mode,
        "write.update.mode": merge_mode,
        "write.delete.mode": merge_mode,
        "write.merge.isolation-level": "serializable",
        "write.delete.granularity": "partition",
        "write.merge.distribution-mode": "none" if has_buckets else "hash",
        "write.parquet.compression-codec": "zstd",
        "write.metadata.delete-after-commit.enabled": "true",
        "write.metadata.previous-versions-max": 10,
    }


@dataclass(frozen=True, kw_only=True)
class MirrorSettings(Settings):
    """A mirror's settings: docs/semantics.md says what each does.

    Attributes:
        unique_key: the key columns.
        source_key: the source's key, where ``unique_key`` is another one on purpose.
        bucket_by: the key column that the buckets are made of; None where it is yet to be chosen.
        max_bad_rows_percent: how much of a batch may be unusable; above it nothing is written.
        stage_from: how many records a batch has that is staged and not cached.
        erased: what becomes of records of a key that is erased, and comes again.
        tombstone_retention_days: for how long deletes are remembered, by the source's time.
        audit_parts: in how many parts of the keys audits go through the mirror.
        publish_when: whether what a run has written is audited before readers see it.
    """

    unique_key: list[str]
    source_key: list[str] = field(default_factory=list)
    buckets: int | None = number(None, 1, "a number from 1")
    bucket_by: str | None = None
    merge_mode: str = choice(MERGE_ON_READ, COPY_ON_WRITE)
    format_version: int = choice(2, 3)
    deletes: str = choice("hard", "soft")
    on_bad_rows: str = choice("quarantine", "fail")
    max_bad_rows_percent: float = percent(1)
    on_order_conflict: str = choice("warn", "error")
    on_drop: str = choice("keep", "drop")
    on_type_conflict: str = choice("fail", "new_column", "string")
    on_undeclared: str = choice("wait", "fail", "warn")
    on_foreign_commit: str = choice("warn", "fail", "ignore")
    stage_from: int = number(400000, 0, "a number of records")
    tombstone_retention_days: int = number(7, 1, "a whole number from 1")
    audit_parts: int = number(24, 1, "a whole number from 1")
    publish_when: str = choice("merged", "audited")
    erased: str = choice("keep out", "take in")

    @classmethod
    def prepared(cls, given: dict[str, Any], problems: list[str]) -> dict[str, Any]:
        key = given.get("unique_key")
        key = [key] if key and isinstance(key, str) else key
        if not key or not isinstance(key, list | tuple):
            problems.append(
                "unique_key: a list of the key columns is needed. A table without a key gets one "
                "by message.key.columns at its connector, or has its changes kept by "
                "materialized='log'"
            )
            key = []
        source_key = given.get("source_key") or []
        source_key = [source_key] if isinstance(source_key, str) else source_key
        if not isinstance(source_key, list | tuple):
            problems.append(f"source_key: a list of columns is expected, and not {source_key}")
            source_key = []
        if source_key and {*source_key} <= {*key}:
            problems.append(
                "source_key: these columns are a key already, and with more of them an update "
                f"would leave its old row: configure unique_key={[*source_key]} and no source_key"
            )
        by = given.get("bucket_by")
        if by and by not in key:
            problems.append(f"bucket_by: a column of unique_key is expected, and not {by}")
        only = key[0] if len(key) == 1 else None
        keys = {"unique_key": [*key], "source_key": [*source_key]}
        return given | keys | {"bucket_by": by or only}

    @property
    def key(self) -> list[str]:
        return self.unique_key

    @property
    def properties(self) -> dict[str, Any]:
        """The properties of the mirror's table."""
        made = table_properties(self.merge_mode, self.format_version, bool(self.buckets))
        return made | dict(self.table_properties)


@dataclass(frozen=True, kw_only=True)
class LogSettings(Settings):
    """A log's settings.

    Attributes:
        partition_by: expressions of the table's partitions.
        max_bad_rows_percent: how much of a batch may be unusable; above it nothing is written.
    """

    partition_by: list[str] = field(default_factory=lambda: ["days(_src_ts)"])
    on_bad_rows: str = choice("quarantine", "fail")
    max_bad_rows_percent: float = percent(1)
    on_type_conflict: str = choice("fail", "new_column")
    on_undeclared: str = choice("wait", "fail", "warn")
    on_foreign_commit: str = choice("warn", "fail", "ignore")

    @classmethod
    def prepared(cls, given: dict[str, Any], problems: list[str]) -> dict[str, Any]:
        by = given.get("partition_by", ["days(_src_ts)"])
        by = [by] if isinstance(by, str) else by
        if not isinstance(by, list | tuple) or not all(isinstance(part, str) for part in by):
            problems.append(f"partition_by: a list of expressions is expected, and not {by}")
        return given | {"partition_by": by}

    @property
    def key(self) -> list[str]:
        """A log has none."""
        return []

    @property
    def properties(self) -> dict[str, Any]:
        """The properties of the log's table."""
        return table_properties(MERGE_ON_READ, 2, False) | dict(self.table_properties)


@dataclass(frozen=True, kw_only=True)
class DailySettings(Settings):
    """A daily table's settings.

    Attributes:
        unique_key: the key columns of its mirror.
        keep_days: how many days are kept beside the last of each month; None: all.
        publish_when: whether a day is audited before readers see it.
        on_foreign_commit: what a commit of others does.
    """

    unique_key: list[str]
    late_events: str = choice("restate", "report")
    publish: str = choice("copy", "branch")
    publish_when: str = choice("written", "audited")
    keep_days: int | None = number(None, 1, "a number of days from 1")
    on_foreign_commit: str = choice("warn", "fail", "ignore")

    @classmethod
    def prepared(cls, given: dict[str, Any], problems: list[str]) -> dict[str, Any]:
        key = given.get("unique_key")
        key = [key] if key and isinstance(key, str) else key
        if not key or not isinstance(key, list | tuple):
            problems.append("unique_key: a list of the key columns is needed")
            key = []
        return given | {"unique_key": [*key]}


@dataclass(frozen=True, kw_only=True)
class CutSettings(Settings):
    """A consistent cut's settings: those of every table."""


SETTINGS: dict[str, type[Settings]] = {
    "mirror": MirrorSettings,
    "log": LogSettings,
    "daily": DailySettings,
    "cut": CutSettings,
}
VARS = (
    *("topic_sources", "metadata_columns", "epochs", "allow_full_refresh", "replay", "resync"),
    *("ds", "ds_to", "landing_start", "commit_records", "accept_loss", "from_retained_log"),
    "maintenance_tables",
)
