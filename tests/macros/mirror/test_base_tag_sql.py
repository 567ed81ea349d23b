from types import SimpleNamespace


def test_a_base_is_kept_for_a_week(macros, sql):
    commit = SimpleNamespace(id=7)
    assert sql(macros.base_tag_sql("mirror.t", commit, "2026-01-31")) == (
        "alter table mirror.t create or replace tag `lakemirror_base_2026_01_31` "
        "as of version 7 retain 7 days"
    )
