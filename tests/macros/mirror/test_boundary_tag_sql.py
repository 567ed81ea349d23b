from types import SimpleNamespace


def test_the_bookmark_is_tagged_for_its_mirror(macros, sql):
    target = SimpleNamespace(schema="mirror", identifier="shop__orders")
    assert sql(macros.boundary_tag_sql("raw.o", target, SimpleNamespace(end=7))) == (
        "alter table raw.o create or replace tag `lakemirror_mirror_shop__orders` as of version 7"
    )
