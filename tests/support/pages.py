"""The commands that the documentation shows: in its blocks, and in its sentences."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
PROGRAMS = ("dbt", "lakemirror", "make")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
INDENTED = re.compile(r"^ {4,}(.*)$", re.MULTILINE)
INLINE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
SHELLS = ("sh", "bash", "console")


def pages() -> list[Path]:
    """All of them, without the changelog, which tells of commands that are gone."""
    return [PROJECT / "README.md", *sorted((PROJECT / "docs").rglob("*.md"))]


def lines(page: Path) -> list[str]:
    """The lines of a page's blocks that begin with a program, or a word of the shell."""
    text = page.read_text(encoding="utf-8")
    shown = [code for kind, code in FENCE.findall(text) if kind in SHELLS]
    shown += INDENTED.findall(FENCE.sub("", text))
    known = (*PROGRAMS, "cd", "export")
    found = [line.strip() for block in shown for line in block.splitlines()]
    return [line for line in found if line.split(" ")[0] in known]


def blocks(page: Path) -> Iterator[list[str]]:
    """Each call of a program that stands in a block, as its words."""
    for line in lines(page):
        for call in line.split(" && "):
            words = shlex.split(call, comments=True)
            if words[0] in PROGRAMS:
                yield words[: words.index("|")] if "|" in words else words


def inline(page: Path) -> Iterator[list[str]]:
    """Each call that stands in a sentence, as its words; it may lack what the sentence is not
    about."""
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for code in INLINE.findall(text):
        words = " ".join(code.split())
        if words.split(" ")[0] in PROGRAMS and " " in words and "COMMAND" not in words:
            yield shlex.split(words.replace("'", "") if words.count("'") % 2 else words)
