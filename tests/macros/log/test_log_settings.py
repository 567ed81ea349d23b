import pytest


def test_defaults(macros):
    assert macros.log_settings() == {
        "partition_by": ["days(_src_ts)"],
        "on_bad_rows": "quarantine",
        "on_type_conflict": "fail",
        "on_undeclared": "wait",
        "properties": macros.mirror_properties("merge-on-read", 2, None),
    }


def test_everything_configured(macros):
    macros.config = {
        "partition_by": "bucket(4, id)",
        "on_bad_rows": "fail",
        "table_properties": {"owner": "shop"},
    }
    settings = macros.log_settings()
    assert settings["partition_by"] == ["bucket(4, id)"]
    assert settings["on_bad_rows"] == "fail"
    assert settings["properties"]["owner"] == "shop"


@pytest.mark.parametrize("partition_by", [7, {"day": 1}, [7], None])
def test_all_problems_in_one_error(macros, partition_by):
    macros.config = {
        "partition_by": partition_by,
        "on_bad_rows": "drop",
        "table_properties": "zstd",
    }
    assert macros.error("log_settings") == (
        "mirror_shop__orders is not configured right:\n"
        f"  - partition_by: a list of expressions is expected, and not {partition_by}\n"
        "  - on_bad_rows: quarantine or fail is expected, and not drop\n"
        "  - table_properties: a mapping is expected"
    )
