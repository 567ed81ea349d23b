import pytest

CHOICES = {
    "merge_mode": "merge-on-read",
    "format_version": 2,
    "deletes": "hard",
    "on_bad_rows": "quarantine",
    "on_order_conflict": "warn",
    "on_drop": "keep",
    "on_type_conflict": "fail",
    "on_undeclared": "wait",
}
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
    "write.metadata.previous-versions-max": 100,
}


def test_defaults(macros):
    macros.config = {"unique_key": ["id", "day"]}
    assert macros.mirror_settings(macros.config, "mirror_shop__orders") == {
        "key": ["id", "day"],
        "buckets": None,
        "bucket_by": None,
        "stage_from": 400000,
        "properties": DEFAULTS,
        **CHOICES,
    }


def test_a_key_may_be_one_name(macros):
    macros.config = {"unique_key": "order_id"}
    assert macros.mirror_settings(macros.config, "mirror_shop__orders")["key"] == ["order_id"]
    assert macros.mirror_settings(macros.config, "mirror_shop__orders")["bucket_by"] == "order_id"


def test_everything_configured(macros):
    macros.config = {
        "unique_key": ["id", "day"],
        "buckets": 16,
        "bucket_by": "day",
        "stage_from": 0,
        "merge_mode": "copy-on-write",
        "format_version": 3,
        "table_properties": {"write.parquet.compression-codec": "gzip", "owner": "shop"},
        "deletes": "soft",
        "on_bad_rows": "fail",
        "on_order_conflict": "error",
        "on_drop": "drop",
        "on_type_conflict": "string",
        "on_undeclared": "warn",
    }
    assert macros.mirror_settings(macros.config, "mirror_shop__orders") == {
        "key": ["id", "day"],
        "buckets": 16,
        "bucket_by": "day",
        "stage_from": 0,
        "properties": DEFAULTS
        | {
            "format-version": 3,
            "write.merge.mode": "copy-on-write",
            "write.update.mode": "copy-on-write",
            "write.delete.mode": "copy-on-write",
            "write.merge.distribution-mode": "none",
            "write.parquet.compression-codec": "gzip",
            "owner": "shop",
        },
        "merge_mode": "copy-on-write",
        "format_version": 3,
        "deletes": "soft",
        "on_bad_rows": "fail",
        "on_order_conflict": "error",
        "on_drop": "drop",
        "on_type_conflict": "string",
        "on_undeclared": "warn",
    }


def test_all_problems_in_one_error(macros):
    macros.config = {
        "buckets": 0,
        "bucket_by": "day",
        "stage_from": "many",
        "merge_mode": "copy",
        "format_version": 1,
        "table_properties": "zstd",
        "deletes": "never",
    }
    assert macros.error("mirror_settings", macros.config, "mirror_shop__orders") == (
        "mirror_shop__orders is not configured right:\n"
        "  - unique_key: a list of the key columns is needed. A table without a key gets one by "
        "message.key.columns at its connector, or has its changes kept by materialized='log'\n"
        "  - buckets: a number from 1 is expected, and not 0\n"
        "  - bucket_by: a column of unique_key is expected, and not day\n"
        "  - merge_mode: merge-on-read or copy-on-write is expected, and not copy\n"
        "  - format_version: 2 or 3 is expected, and not 1\n"
        "  - deletes: hard or soft is expected, and not never\n"
        "  - table_properties: a mapping is expected\n"
        "  - stage_from: a number of records is expected, and not many"
    )


@pytest.mark.parametrize("unique_key", [None, [], "", {"id": 1}])
def test_a_key_is_needed(macros, unique_key):
    macros.config = {"unique_key": unique_key}
    assert "unique_key: a list of the key columns" in macros.error(
        "mirror_settings", macros.config, "mirror_shop__orders"
    )


@pytest.mark.parametrize("buckets", [0, -1, "16", 1.5, True])
def test_buckets_are_a_number(macros, buckets):
    macros.config = {"unique_key": ["id"], "buckets": buckets}
    assert f"buckets: a number from 1 is expected, and not {buckets}" in macros.error(
        "mirror_settings", macros.config, "mirror_shop__orders"
    )


@pytest.mark.parametrize("days", [0, -1, "7", 1.5, True, None])
def test_the_retention_is_a_number_of_days(macros, days):
    macros.config = {"unique_key": ["id"], "tombstone_retention_days": days}
    assert (
        f"tombstone_retention_days: a whole number from 1 is expected, and not {days}"
        in macros.error("mirror_settings", macros.config, "mirror_shop__orders")
    )


def test_deletes_are_remembered_for_a_week(macros):
    assert macros.tombstone_retention({}) == 7
    assert macros.tombstone_retention({"tombstone_retention_days": 30}) == 30
