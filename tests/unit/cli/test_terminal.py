"""How the command line writes."""

import json
from datetime import UTC, date, datetime

import pytest
import typer

from lakemirror.cli import terminal
from lakemirror.cli.terminal import each_its_option, print_diff, print_json, print_table


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["--t", "a"], ["--t", "a"]),
        (["--t", "a", "b", "--x", "c"], ["--t", "a", "--t", "b", "--x", "c"]),
        (["--t=a", "b"], ["--t=a", "b"]),
        (["--t", "a", "--t", "b", "c"], ["--t", "a", "--t", "b", "--t", "c"]),
        (["--t"], ["--t"]),
        (["a", "b"], ["a", "b"]),
    ],
)
def test_an_option_takes_several_values(given, read):
    assert each_its_option(given, ["--t"]) == read


@pytest.mark.parametrize("text", ["36501d", "9999999999999999999999d", "3153600001s"])
def test_a_duration_that_no_clock_has(text):
    with pytest.raises(typer.BadParameter, match=f"{text} is too long: 36500d are the most"):
        terminal.duration(text)
    assert terminal.duration("36500d") == terminal.duration("3153600000s")


def test_numbers_are_aligned_to_the_right_and_words_to_the_left(capsys):
    rows = [("mirror.a", 7, datetime(2026, 1, 1)), ("mirror.long", 12345, None)]
    print_table(("mirror", "rows", "newest"), rows)
    assert capsys.readouterr().out == (
        "mirror        rows  newest\nmirror.a         7  2026-01-01 00:00:00\nmirror.long  12345\n"
    )


def test_no_line_is_broken_in_a_pipe_and_no_name_is_markup(capsys):
    print_table(("name",), [("[red]" + "x" * 500,)])
    assert capsys.readouterr().out == f"name\n[red]{'x' * 500}\n"


@pytest.mark.parametrize(("no_color", "is_coloured"), [("", True), ("1", False)])
def test_colour_goes_to_a_terminal(monkeypatch, no_color, is_coloured):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", no_color)
    monkeypatch.setattr(terminal.sys.stdout, "isatty", lambda: True)
    written = terminal.console()
    assert (written.color_system is not None and not written.no_color) is is_coloured


def test_json_is_for_programs(capsys):
    print_json({"day": date(2026, 1, 31), "at": datetime(2026, 1, 31, tzinfo=UTC), "name": "ä"})
    text = capsys.readouterr().out
    assert json.loads(text) == {
        "day": "2026-01-31",
        "at": "2026-01-31T00:00:00+00:00",
        "name": "ä",
    }
    assert "ä" in text


@pytest.mark.parametrize(
    ("is_terminal", "shown"), [(False, "+[b]x"), (True, "\x1b[32m+[b]x\x1b[0m")]
)
def test_a_diff_is_coloured_on_a_terminal_alone(is_terminal, shown, capsys, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr("sys.stdout.isatty", lambda: is_terminal)
    print_diff(["+[b]x"])
    assert capsys.readouterr().out == f"{shown}\n"
