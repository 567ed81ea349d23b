from lakemirror.state.ops_tables import QUARANTINE

COLUMNS = [{"name": "a`b", "data_type": "bigint"}, {"name": "ds", "data_type": "date"}]


def test_an_empty_table(macros, sql):
    created = sql(
        macros.create_table_sql("log.v", COLUMNS, ["days(_src_ts)", "ds"], {"owner": "o"})
    )
    assert created == sql("""
        create table if not exists log.v (
            `a``b` bigint,
            ds date
        )
        using iceberg
        partitioned by (days(_src_ts), ds)
        tblproperties ( 'owner' = 'o' )
    """).replace("ds date", "`ds` date")


def test_a_table_may_have_no_partitions(macros, sql):
    assert sql(macros.create_table_sql("log.v", COLUMNS)).endswith("`ds` date ) using iceberg")


def test_a_table_of_ops_says_what_a_row_is(macros, sql):
    created = sql(macros.create_table_sql(*QUARANTINE.create_arguments("dev_ops")))
    assert created.startswith(
        "create table if not exists dev_ops.quarantine ( `quarantine_id` string,"
    )
    assert created.endswith(
        "using iceberg comment 'Input that could not be used, and why; open until it is taken in, "
        "or left out by hand.' "
        "tblproperties ( 'write.metadata.delete-after-commit.enabled' = 'true', "
        "'write.metadata.previous-versions-max' = '3', 'write.merge.mode' = 'merge-on-read' )"
    )
