from lakemirror.runs.mirror_plan import Shape
from lakemirror.runs.settings import MirrorSettings


def test_the_live_rows_replace_the_table(macros, sql):
    settings = MirrorSettings.read({"unique_key": ["id"]})
    shape = Shape(["id"], ["id", "a`b"], [], "hard")
    assert sql(macros.rebuild_sql("mirror.o", "stage.s", shape, settings)) == sql(f"""
        create or replace table mirror.o
        using iceberg
        {macros.properties_clause(settings.properties)}
        as
        select `id`, `a``b`
        from stage.s
        where _outcome = 'change' and _op <> 'd'
    """)
