from types import SimpleNamespace


def test_days_carry_on_what_is_known(macros):
    commit = SimpleNamespace(summary={"lakemirror.known-from": "2026-01-30 10:00:00"})
    assert macros.first_known(commit, "2026-01-29 00:08:00", "raw.t", "t") == "2026-01-30 10:00:00"
    assert macros.first_known(commit, "2026-01-30 10:00:00.5", "raw.t", "t").endswith(".5")
    assert macros.first_known(commit, None, "raw.t", "t") is None


def test_a_snapshot_ends_with_its_last_row(macros, sql):
    """Cases 23, 69."""
    assert sql(macros.snapshot_end_sql("stg", True)) == sql("""
        select
            cast(coalesce(
                min(_src_ts) filter (where _src_snapshot in ('last', 'last_in_data_collection')),
                max(_src_ts) filter (where _op = 'r')
            ) as string) as known_from
        from stg
    """)
    assert "_src_snapshot" not in macros.snapshot_end_sql("stg", False)


def test_a_query_has_the_staging_of_its_model(macros, sql):
    macros.context["model"].extra_ctes = []
    assert macros.with_staging("select 1") == "select 1"
    macros.context["model"].extra_ctes = [{"sql": "a as (select 1)"}, {"sql": "b as (select 2)"}]
    both = "with a as (select 1), b as (select 2) select * from b"
    assert sql(macros.with_staging("select * from b")) == both
