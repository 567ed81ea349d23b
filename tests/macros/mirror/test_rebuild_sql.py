def test_the_live_rows_replace_the_table(macros, sql):
    macros.config = {"unique_key": ["id"]}
    settings = macros.mirror_settings(macros.config, "mirror_shop__orders")
    assert sql(macros.rebuild_sql("mirror.o", "stage.s", settings, ["id", "a`b"])) == sql(f"""
        create or replace table mirror.o
        using iceberg
        {macros.properties_clause(settings["properties"])}
        as
        select `id`, `a``b`
        from stage.s
        where _outcome = 'change' and _op <> 'd'
    """)
