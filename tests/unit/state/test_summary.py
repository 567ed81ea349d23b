"""The summary's text."""

from lakemirror.state.summary import table


def test_counts_are_aligned_to_the_right_and_words_to_the_left() -> None:
    rows = iter([("mirror.a", "7", "2026-01-01"), ("mirror.long", "12345", "2026-01-02")])
    assert table(("mirror", "rows", "newest"), rows) == (
        "mirror        rows  newest\n"
        "mirror.a         7  2026-01-01\n"
        "mirror.long  12345  2026-01-02\n"
    )


def test_a_lake_without_tables_has_a_header_only() -> None:
    assert table(("mirror", "rows"), iter([])) == "mirror  rows\n"
