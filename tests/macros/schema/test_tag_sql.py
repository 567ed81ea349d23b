def test_a_snapshot_is_kept(macros, sql):
    assert sql(macros.tag_sql("mirror.t", "lakemirror_base_2026_01_31", 7, "7 days")) == (
        "alter table mirror.t create or replace tag `lakemirror_base_2026_01_31` "
        "as of version 7 retain 7 days"
    )


def test_it_may_be_kept_for_good(macros, sql):
    assert sql(macros.tag_sql("raw.o", "a`b", 7)) == (
        "alter table raw.o create or replace tag `a``b` as of version 7"
    )
