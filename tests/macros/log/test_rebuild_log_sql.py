from lakemirror.runs.settings import LogSettings


def test_one_statement_replaces_the_table(macros, sql):
    settings = LogSettings.read({})
    assert sql(macros.rebuild_log_sql("log.v", "stage.s", settings, ["id", "_op"])) == sql(f"""
        create or replace table log.v
        using iceberg
        partitioned by (days(_src_ts))
        {macros.properties_clause(settings.properties)}
        as
        select `id`, `_op`
        from stage.s
        where _outcome = 'change' and not _is_known
    """)
