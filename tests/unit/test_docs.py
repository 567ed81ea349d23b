"""Each command that the documentation shows is one: its name, its options, what it asks for."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
import typer
import yaml
from dbt.cli.main import cli as dbt

from lakemirror.cli.main import app
from support.pages import PROJECT, blocks, inline, pages

ROOTS = {"lakemirror": typer.main.get_command(app), "dbt": dbt}
PAGES = pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)


def resolved(words: Sequence[str]) -> tuple[Any, list[str]]:
    """The command that is called, and its arguments.

    Raises:
        AssertionError: there is none of this name.
    """
    command, rest = ROOTS[words[0]], [*words[1:]]
    while hasattr(command, "commands") and rest and not rest[0].startswith("-"):
        name = rest.pop(0)
        assert name in command.commands, f"{' '.join(words)}: no command {name}"
        command = command.commands[name]
    return command, rest


def check_options(words: Sequence[str]) -> None:
    command, rest = resolved(words)
    known = {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
    known |= {name for p in ROOTS[words[0]].params for name in p.opts} | {"--help"}
    given = {word.partition("=")[0] for word in rest if re.match("--[a-z]", word)}
    assert given <= known, f"{' '.join(words)}: no option {given - known}"


def check_call(words: Sequence[str]) -> None:
    """All that the command needs is there, and can be read."""
    check_options(words)
    command, rest = resolved(words)
    if words[0] == "lakemirror":
        try:
            command.make_context(command.name, rest)
        except (click.ClickException, typer.TyperException) as problem:
            raise AssertionError(f"{' '.join(words)}: {problem}") from problem


def check_operation(words: Sequence[str]) -> None:
    """An operation is a macro of the package, with the arguments that it takes."""
    if words[:2] != ["dbt", "run-operation"]:
        return
    name = words[2]
    [file] = (PROJECT / "macros").rglob(f"{name}.sql")
    if "--args" in words:
        given = yaml.safe_load(words[words.index("--args") + 1])
        taken = re.search(rf"macro {name}\((.*?)\)", file.read_text(encoding="utf-8"), re.DOTALL)
        assert taken is not None
        assert {*given} <= {*re.findall(r"(\w+)\s*(?:=|,|$)", taken[1])}, words


@PAGES
def test_what_blocks_call(page: Path) -> None:
    for words in blocks(page):
        if words[0] != "make":
            check_call(words)
            check_operation(words)


@PAGES
def test_what_sentences_call(page: Path) -> None:
    for words in inline(page):
        if words[0] != "make":
            check_options(words)
            check_operation(words)


@PAGES
def test_targets_of_make(page: Path) -> None:
    text = (PROJECT / "Makefile").read_text(encoding="utf-8")
    targets = {*re.findall(r"^([a-z-]+):", text, re.MULTILINE)}
    for words in (*blocks(page), *inline(page)):
        if words[0] == "make":
            assert {word for word in words[1:] if "=" not in word} <= targets, words


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["lakemirror", "summary"], "no command summary"),
        (["lakemirror", "status", "--jsno"], "no option"),
        (["lakemirror", "generate", "--dry-run"], "source"),
        (["dbt", "biuld"], "no command biuld"),
    ],
)
def test_what_is_none_is_found(words: list[str], problem: str) -> None:
    with pytest.raises(AssertionError, match=problem):
        check_call(words)


def test_the_guides_have_commands() -> None:
    """The test reads them: it would be green over none, too."""
    guides = [page for page in pages() if page.parent.name == "guides"]
    assert len(guides) > 10
    assert sum(len([*blocks(page)]) for page in guides) > 40
    assert sum(len([*inline(page)]) for page in pages()) > 100
