"""Each number that the repository cites (`case 14`, `F06`, `G1`) has its line in docs/cases.md."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
CASES = PROJECT / "docs/cases.md"
FOLDERS = ("bench", "demo", "docs", "macros", "models", "src", "stack", "tests")
SUFFIXES = {".md", ".py", ".sql", ".toml", ".yml"}
NUMBER = r"(?:F\d\d|[GH]\d{1,2}|\d{1,2})b?"
RANGE = rf"{NUMBER}(?:-{NUMBER})?\b(?!\.\d)"
# a list may go on in the next line of a comment
BETWEEN = r"(?:,|;|,? and|,? or)[\s#]+(?:[Cc]ases? )?"
CITATION = re.compile(
    rf"(?:\b[Cc]ases?[\s#]+(?=\d)|\b(?=F\d\d|[GH]\d{{1,2}}\b)){RANGE}(?:{BETWEEN}{RANGE})*"
)


def numbers(text: str) -> Iterator[str]:
    """The numbers that a text cites, with those in its ranges: `14` is a case, `F06` a fault, `G1`
    and `H1` a mistake."""
    for citation in CITATION.finditer(text):
        for first, last in re.findall(rf"({NUMBER})(?:-({NUMBER}))?", citation[0]):
            kind = first[0] if first[0] in "FGH" else ""
            if not last:
                yield first
                continue
            start, end = (int(number.lstrip("FGH")) for number in (first, last))
            for number in range(start, end + 1):
                yield f"F{number:02}" if kind == "F" else f"{kind}{number}"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Case 14: it stays deleted", "14"),
        ("cases 12-14,\n# 20; F06-F07, F43b and case 9.", "12 13 14 20 F06 F07 F43b 9"),
        ("F49, 74: also when it is late", "F49 74"),
        ("G1: both keys; H1, H12; G8-G9", "G1 H1 H12 G8 G9"),
        ("cases 33 and 34, F15: 7 rows", "33 34 F15"),
        ("in this case 3.5 is F1 or #F58518", ""),
        ("a case of 12; in case 100 are there", ""),
    ],
)
def test_numbers_are_found_as_they_are_written(text: str, found: str) -> None:
    assert " ".join(numbers(text)) == found


def test_each_cited_number_has_one_line_and_each_line_is_cited() -> None:
    """Whoever reads a number can look it up, and no line is left behind."""
    files = [file for folder in FOLDERS for file in (PROJECT / folder).rglob("*")]
    files += PROJECT.glob("*.md")
    texts = {
        file: file.read_text(encoding="utf-8")
        for file in files
        if file.suffix in SUFFIXES and file not in (CASES, Path(__file__))
    }
    cited = {number for text in texts.values() for number in numbers(text)}
    assert len(cited) > 100
    lines = re.findall(rf"^\| ({NUMBER}) \|", CASES.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) == len({*lines})
    assert {"without a line": cited - {*lines}, "cited nowhere": {*lines} - cited} == {
        "without a line": set(),
        "cited nowhere": set(),
    }
