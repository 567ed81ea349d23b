import pytest


def test_the_table_that_was_marked(macros):
    sql = f"select * from {macros.changes('raw.`a`')}"
    assert macros.raw_of_changes(sql, "mirror_shop__orders") == "raw.`a`"
    assert macros.raw_of_changes(f"{sql} union all {sql}", "mirror_shop__orders") == "raw.`a`"


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("select 1", "no raw table"),
        ("from a /* changes(a) */, b /* changes(b) */", "a, b"),
    ],
)
def test_one_raw_table_and_no_more(macros, sql, read):
    assert macros.error("raw_of_changes", sql, "mirror_shop__orders") == (
        f"mirror_shop__orders reads {read} by changes(): its staging model must read one raw "
        "table by changes(source(...))."
    )
