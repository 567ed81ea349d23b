"""The marks in a model's SQL."""

import pytest

from lakemirror.runs import marks

CHANGES = "/* changes(raw.t) */raw.t/* changes(raw.t) */"
PLAIN = "with stg as (select 1) select * from m.t /* midnight(m.t, stg, w) */\n"


def test_the_window_stands_between_two_marks():
    sql = f"select * from {CHANGES} where a union all select * from {CHANGES}"
    assert marks.raw_of_changes(sql) == "raw.t"
    assert marks.pinned(sql, "raw.t", "raw.t version as of 7") == (
        "select * from raw.t version as of 7 where a union all select * from raw.t version as of 7"
    )


def test_the_table_that_was_marked():
    sql = f"select * from {CHANGES.replace('raw.t', 'raw.`a`')}"
    assert marks.raw_of_changes(sql) == "raw.`a`"
    assert marks.raw_of_changes(f"{sql} union all {sql}") == "raw.`a`"


def test_only_the_mark_of_the_table_becomes_the_records():
    other = CHANGES.replace("raw.t", "raw.b")
    assert marks.pinned(f"select * from {CHANGES}, {other}", "raw.t", "raw.t version as of 7") == (
        f"select * from raw.t version as of 7, {other}"
    )


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        ("select 1", "no raw table"),
        ("from a /* changes(a) */, b /* changes(b) */", "a, b"),
        (CHANGES + CHANGES.replace("raw.t", "raw.u"), "raw.t, raw.u"),
    ],
)
def test_one_raw_table_and_no_more(sql, read):
    with pytest.raises(marks.MarkError) as raised:
        marks.raw_of_changes(sql)
    assert str(raised.value) == (
        f"reads {read} by changes(): its staging model must read one raw table by "
        "changes(source(...))."
    )


def test_a_midnight_takes_the_mirrors_place():
    assert marks.midnight_of(PLAIN) == ("m.t", "stg", "w")
    assert marks.at_midnight(PLAIN, "(x)").strip() == "with stg as (select 1) select * from (x)"
    with pytest.raises(marks.MarkError, match="midnight"):
        marks.midnight_of("select 1")


@pytest.mark.parametrize(
    "sql",
    [
        f"{PLAIN} where id > 1",
        "select id from m.t /* midnight(m.t, stg, w) */",
        "select * from (m.t /* midnight(m.t, stg, w) */)",
    ],
)
def test_a_branch_has_the_rows_of_the_mirror(sql):
    assert marks.is_plain_midnight(PLAIN)
    assert not marks.is_plain_midnight(sql)


def test_the_mirrors_of_a_cut():
    sql = "select 1 from stg /* at_cut(m.t, stg, w) */ union all select 1 /* at_cut(m.u, s, w) */"
    assert marks.cut_of(sql) == [("m.t", "stg", "w"), ("m.u", "s", "w")]
    with pytest.raises(marks.MarkError, match="a cut is made of at_cut"):
        marks.cut_of("select 1")
