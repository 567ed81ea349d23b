from lakemirror.runs.settings import LogSettings

COLUMNS = [{"name": "a`b", "data_type": "bigint"}, {"name": "_src_ts", "data_type": "timestamp"}]


def test_an_empty_table_by_the_sources_day(macros, sql):
    settings = LogSettings.read({})
    assert sql(macros.create_log_sql("log.v", COLUMNS, settings)) == sql(f"""
        create table if not exists log.v (
            `a``b` bigint,
            `_src_ts` timestamp
        )
        using iceberg
        partitioned by (days(_src_ts))
        {macros.properties_clause(settings.properties)}
    """)


def test_a_table_may_have_no_partitions(macros, sql):
    settings = LogSettings.read({"partition_by": []})
    created = macros.create_log_sql("log.v", COLUMNS, settings)
    assert ") using iceberg tblproperties" in sql(created)
