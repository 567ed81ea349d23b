from lakemirror.runs.mirror_plan import Shape
from lakemirror.runs.settings import MirrorSettings


def test_the_live_rows_replace_the_table(macros, sql):
    settings = MirrorSettings.read({"unique_key": ["id"]})
    shape = Shape(["id"], ["id", "a`b"], [], "hard")
    rows = macros.rebuilt_rows_sql("stage.s", shape)
    assert sql(macros.rebuild_sql("mirror.o", rows, settings)) == sql(f"""
        create or replace table mirror.o
        using iceberg
        {macros.properties_clause(settings.properties)}
        as
        select `id`, `a``b`
        from stage.s
        where _outcome = 'change' and _op <> 'd'
    """)


def test_a_row_that_is_deleted_softly_stays(macros, sql):
    shape = Shape(["id"], ["id"], [], "soft")
    assert sql(macros.rebuilt_rows_sql("stage.s", shape)) == sql("""
        select `id`, _op = 'd' as _is_deleted, if(_op = 'd', _src_ts, null) as _deleted_at
        from stage.s
        where _outcome = 'change'
    """)
