"""The settings of a model: their defaults, and every problem in one error."""

import pytest

from lakemirror.runs import messages
from lakemirror.runs.checks import unknown_problems
from lakemirror.runs.settings import (
    SETTINGS,
    DailySettings,
    LogSettings,
    MirrorSettings,
    SettingsError,
    table_properties,
)

DEFAULTS = {
    "format-version": 2,
    "write.merge.mode": "merge-on-read",
    "write.update.mode": "merge-on-read",
    "write.delete.mode": "merge-on-read",
    "write.merge.isolation-level": "serializable",
    "write.delete.granularity": "partition",
    "write.merge.distribution-mode": "hash",
    "write.parquet.compression-codec": "zstd",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": 10,
}


def problems(kind, **config):
    with pytest.raises(SettingsError) as raised:
        kind.read(config)
    return raised.value.problems


def test_a_key_is_enough():
    settings = MirrorSettings.read({"unique_key": "id"})
    assert (settings.key, settings.buckets, settings.bucket_by) == (["id"], None, "id")
    assert (settings.merge_mode, settings.format_version, settings.deletes) == (
        *("merge-on-read", 2),
        "hard",
    )
    assert (settings.on_bad_rows, settings.on_order_conflict) == ("quarantine", "warn")
    assert (settings.on_drop, settings.on_type_conflict, settings.on_undeclared) == (
        *("keep", "fail"),
        "wait",
    )
    assert (settings.stage_from, settings.tombstone_retention_days) == (400000, 7)


def test_a_table_of_changes_has_these_properties():
    assert table_properties("merge-on-read", 2, False) == DEFAULTS
    assert MirrorSettings.read({"unique_key": ["id", "day"]}).properties == DEFAULTS
    assert LogSettings.read({}).properties == DEFAULTS


def test_a_key_of_several_columns():
    settings = MirrorSettings.read({"unique_key": ["id", "day"]})
    assert (settings.key, settings.bucket_by) == (["id", "day"], None)


def test_everything_configured():
    given = {
        "unique_key": ["id", "day"],
        "source_key": ["code"],
        "buckets": 16,
        "bucket_by": "day",
        "stage_from": 0,
        "merge_mode": "copy-on-write",
        "format_version": 3,
        "table_properties": {"write.parquet.compression-codec": "gzip", "owner": "shop"},
        "deletes": "soft",
        "on_bad_rows": "fail",
        "max_bad_rows_percent": 0.5,
        "on_order_conflict": "error",
        "on_drop": "drop",
        "on_type_conflict": "string",
        "on_undeclared": "warn",
        "on_foreign_commit": "fail",
        "tombstone_retention_days": 30,
        "audit_parts": 12,
        "publish_when": "audited",
        "maintenance": {"snapshot_age": "1d"},
        "erased": "take in",
    }
    settings = MirrorSettings.read(given)
    assert vars(settings) == given
    assert settings.properties == DEFAULTS | {
        "format-version": 3,
        "write.merge.mode": "copy-on-write",
        "write.update.mode": "copy-on-write",
        "write.delete.mode": "copy-on-write",
        "write.merge.distribution-mode": "none",
        "write.parquet.compression-codec": "gzip",
        "owner": "shop",
    }


def test_a_column_of_several_is_chosen_later():
    assert MirrorSettings.read({"unique_key": ["a", "b"], "buckets": 4}).bucket_by is None
    chosen = MirrorSettings.read({"unique_key": ["a", "b"], "buckets": 4, "bucket_by": "b"})
    assert chosen.bucket_by == "b"


def test_properties_follow_the_settings():
    properties = MirrorSettings.read(
        {"unique_key": ["id"], "merge_mode": "copy-on-write", "table_properties": {"a": "b"}}
    ).properties
    modes = {properties[f"write.{what}.mode"] for what in ("merge", "update", "delete")}
    assert modes == {"copy-on-write"}
    assert properties["write.merge.isolation-level"] == "serializable"
    assert (properties["a"], properties["write.merge.distribution-mode"]) == ("b", "hash")
    bucketed = MirrorSettings.read({"unique_key": ["id"], "buckets": 2}).properties
    assert bucketed["write.merge.distribution-mode"] == "none"


@pytest.mark.parametrize("key", [None, [], {}, "", {"id": 1}])
def test_a_key_is_needed(key):
    [problem] = problems(MirrorSettings, unique_key=key)
    assert problem.startswith("unique_key: a list of the key columns is needed")
    assert "message.key.columns" in problem
    assert "materialized='log'" in problem


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("buckets", 0, "buckets: a number from 1 is expected, and not 0"),
        ("buckets", True, "buckets: a number from 1 is expected, and not True"),
        ("buckets", "4", "buckets: a number from 1 is expected, and not 4"),
        ("bucket_by", "v", "bucket_by: a column of unique_key is expected, and not v"),
        ("stage_from", -1, "stage_from: a number of records is expected, and not -1"),
        ("stage_from", "all", "stage_from: a number of records is expected, and not all"),
        ("format_version", 4, "format_version: 2 or 3 is expected, and not 4"),
        ("deletes", "none", "deletes: hard or soft is expected, and not none"),
        (
            *("on_type_conflict", "ignore"),
            "on_type_conflict: fail or new_column or string is expected, and not ignore",
        ),
        ("table_properties", "x", "table_properties: a mapping is expected"),
        (
            *("table_properties", {"format-version": "2"}),
            "table_properties: format-version is set by format_version (2 or 3)",
        ),
        (
            *("tombstone_retention_days", 0),
            "tombstone_retention_days: a whole number from 1 is expected, and not 0",
        ),
    ],
)
def test_a_wrong_value_is_named(name, value, expected):
    assert problems(MirrorSettings, unique_key=["id"], **{name: value}) == [expected]


@pytest.mark.parametrize("buckets", [0, -1, "16", 1.5, True])
def test_buckets_are_a_number(buckets):
    problem = f"buckets: a number from 1 is expected, and not {buckets}"
    assert problems(MirrorSettings, unique_key=["id"], buckets=buckets) == [problem]


@pytest.mark.parametrize("days", [0, -1, "7", 1.5, True])
def test_the_retention_is_a_number_of_days(days):
    problem = f"tombstone_retention_days: a whole number from 1 is expected, and not {days}"
    assert problems(MirrorSettings, unique_key=["id"], tombstone_retention_days=days) == [problem]


def test_all_problems_are_told_together():
    found = problems(
        MirrorSettings,
        buckets=0,
        bucket_by="day",
        stage_from="many",
        merge_mode="copy",
        format_version=1,
        table_properties="zstd",
        deletes="never",
    )
    assert messages.not_configured("mirror_o", found) == (
        "mirror_o is not configured right:\n"
        "  - unique_key: a list of the key columns is needed. A table without a key gets one by "
        "message.key.columns at its connector, or has its changes kept by materialized='log'\n"
        "  - bucket_by: a column of unique_key is expected, and not day\n"
        "  - buckets: a number from 1 is expected, and not 0\n"
        "  - merge_mode: merge-on-read or copy-on-write is expected, and not copy\n"
        "  - format_version: 2 or 3 is expected, and not 1\n"
        "  - deletes: hard or soft is expected, and not never\n"
        "  - stage_from: a number of records is expected, and not many\n"
        "  - table_properties: a mapping is expected"
    )


def test_all_problems_are_one_error():
    found = problems(MirrorSettings, buckets=0, deletes="x", stage_from=-1)
    assert [problem.split(":")[0] for problem in found] == [
        *("unique_key", "buckets"),
        *("deletes", "stage_from"),
    ]


@pytest.mark.parametrize("source_key", ["id", ["id", "part"], 7])
def test_a_source_key_that_makes_no_sense(source_key):
    with pytest.raises(SettingsError, match="source_key: "):
        MirrorSettings.read({"unique_key": ["part", "id"], "source_key": source_key})


@pytest.mark.parametrize("value", [-1, 101, "1", True])
def test_a_percentage(value):
    with pytest.raises(SettingsError, match="a number from 0 to 100 is expected, and not"):
        MirrorSettings.read({"unique_key": ["id"], "max_bad_rows_percent": value})
    assert LogSettings.read({"max_bad_rows_percent": 0}).max_bad_rows_percent == 0


def test_a_log_has_defaults():
    assert vars(LogSettings.read({})) == {
        "table_properties": {},
        "maintenance": {},
        "partition_by": ["days(_src_ts)"],
        "on_bad_rows": "quarantine",
        "max_bad_rows_percent": 1,
        "on_type_conflict": "fail",
        "on_undeclared": "wait",
        "on_foreign_commit": "warn",
    }


def test_a_log_that_is_configured():
    given = {"on_bad_rows": "fail", "table_properties": {"owner": "shop"}}
    settings = LogSettings.read(given | {"partition_by": "bucket(4, id)"})
    assert settings.partition_by == ["bucket(4, id)"]
    assert settings.on_bad_rows == "fail"
    assert settings.properties == DEFAULTS | {"owner": "shop"}


@pytest.mark.parametrize("partition_by", [7, {"day": 1}, [7]])
def test_all_problems_of_a_log_are_told_together(partition_by):
    given = {"partition_by": partition_by, "on_bad_rows": "drop", "table_properties": "zstd"}
    assert problems(LogSettings, **given) == [
        f"partition_by: a list of expressions is expected, and not {partition_by}",
        "on_bad_rows: quarantine or fail is expected, and not drop",
        "table_properties: a mapping is expected",
    ]


def test_a_log_is_partitioned_by_the_sources_day():
    assert LogSettings.read({}).partition_by == ["days(_src_ts)"]
    assert LogSettings.read({"partition_by": "ds"}).partition_by == ["ds"]
    assert LogSettings.read({"partition_by": []}).partition_by == []
    for wrong in ({"a": 1}, [1], 7):
        [problem] = problems(LogSettings, partition_by=wrong)
        assert problem.startswith("partition_by: a list of expressions is expected, and not")
    assert problems(LogSettings, on_type_conflict="string") == [
        "on_type_conflict: fail or new_column is expected, and not string"
    ]
    assert LogSettings.read({"table_properties": {"a": 1}}).properties["a"] == 1


def test_a_daily_table_is_configured():
    given = {"unique_key": "id"}
    settings = DailySettings.read(given)
    assert (settings.unique_key, settings.late_events, settings.publish) == (
        *(["id"], "restate"),
        "copy",
    )
    assert DailySettings.read(given | {"keep_days": 30}).keep_days == 30
    assert DailySettings.read(given | {"late_events": "report"}).late_events == "report"
    for wrong in (0, "many"):
        [problem] = problems(DailySettings, **given, keep_days=wrong)
        assert problem.startswith("keep_days: a number of days from 1")
    assert problems(DailySettings, **given, late_events="ignore") == [
        "late_events: restate or report is expected, and not ignore"
    ]
    assert [p.split(":")[0] for p in problems(DailySettings)] == ["unique_key"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("bucket", "buckets"),
        ("on_dorp", "on_drop"),
        ("tombstone_retention", "tombstone_retention_days"),
    ],
)
def test_a_misspelt_configuration_is_told(name, meant):
    [problem] = unknown_problems([name], SETTINGS["mirror"].names(), "a mirror")
    assert problem == f"{name}: a mirror has no such configuration; did you mean {meant}?"


def test_what_is_no_configuration_goes_under_meta():
    [problem] = unknown_problems(["zzz"], SETTINGS["log"].names(), "a log")
    assert problem.endswith("what is no configuration goes under meta")
