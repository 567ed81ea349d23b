"""How the command line reads its arguments, and how it writes: for people, and for programs."""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand

from lakemirror.cli.errors import MISCALLED, CommandError

if TYPE_CHECKING:
    from lakemirror.cli.status_text import Part

MOST = timedelta(days=36_500)  # a system sleeps no longer than some centuries
SIZES = {"B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}
PIPE_WIDTH = 10_000  # columns: no line is broken where a program reads it


def flag(name: str, about: str, **more: Any) -> Any:
    """An option without a value."""
    return typer.Option(name, help=about, metavar="", **more)


Json = Annotated[bool, flag("--json", "Print it as JSON, for programs.")]


def flowing(text: str) -> str:
    """A text whose paragraphs are one line each, which the terminal breaks.

    >>> flowing("\\n  one\\n  two\\n\\n  three\\n")
    'one two\\n\\nthree'
    """
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def duration(text: str) -> timedelta:
    """A duration of one unit.

    Raises:
        BadParameter: it is none.

    >>> duration("90s") == duration("1.5m")
    True
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text)
    if found is None:
        raise typer.BadParameter(f"{text!r} is no duration such as 90s, 15m, 2h or 1d")
    unit = timedelta(**{UNITS[found[2]]: 1})
    if float(found[1]) > MOST / unit:
        raise typer.BadParameter(f"{text} is too long: {MOST.days}d are the most")
    return float(found[1]) * unit


def budget(text: str) -> timedelta | int:
    """A duration, or a size as a number of bytes.

    Raises:
        BadParameter: it is neither.

    >>> budget("20GB"), budget("10m") == duration("10m")
    (20000000000, True)
    """
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([kMGT]?B)", text)
    return round(float(found[1]) * SIZES[found[2]]) if found else duration(text)


def day(text: str) -> date:
    """A day, of which there is a next one.

    Raises:
        BadParameter: it is none.
    """
    try:
        found = date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is no day such as 2026-01-31") from None
    if found == date.max:
        raise typer.BadParameter(f"{text!r} is no day that ends before the year 10000")
    return found


class ManyValues(TyperCommand):
    """A command whose options take several values: ``--tables orders products``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        many = {o for p in self.params if getattr(p, "multiple", False) for o in p.opts}
        return super().parse_args(ctx, each_its_option(args, many))


def each_its_option(arguments: Sequence[str], many: Iterable[str]) -> list[str]:
    """Arguments with the option before each of its values.

    >>> each_its_option(["--tables", "a", "b", "--ds", "x"], ["--tables"])
    ['--tables', 'a', '--tables', 'b', '--ds', 'x']
    """
    made: list[str] = []
    option = ""
    for n, argument in enumerate(arguments):
        is_first = n > 0 and arguments[n - 1] == option
        if argument.startswith("-"):
            option = argument if argument in {*many} else ""
        elif option and not is_first:
            made.append(option)
        made.append(argument)
    return made


def console() -> Console:
    """Where tables go: in colour on a terminal, and of any width where they do not."""
    is_terminal = sys.stdout.isatty()
    return Console(
        file=sys.stdout, width=None if is_terminal else PIPE_WIDTH, highlight=False, emoji=False
    )


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Table:
    """Rows in columns under a header; numbers are aligned to the right."""
    cells = [[cell(value) for value in row] for row in rows]
    made = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for n, name in enumerate(header):
        is_number = any(row[n].justify == "right" for row in cells)
        made.add_column(name, justify="right" if is_number else "left", overflow="fold")
    for row in cells:
        made.add_row(*row)
    return made


def cell(value: Any) -> Text:
    """A value as a cell: what comes from data is never markup."""
    if isinstance(value, Text):
        return value
    if isinstance(value, datetime):
        return Text(f"{value:%F %T}")
    if isinstance(value, int):
        return Text(str(value), justify="right")
    return Text("" if value is None else str(value))


def print_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    written = console()
    with written.capture() as captured:
        written.print(table(header, rows))
    sys.stdout.writelines(f"{line.rstrip()}\n" for line in captured.get().splitlines())


def print_diff(lines: Iterable[str]) -> None:
    """A unified diff, in colour on a terminal."""
    written = console()
    for line in lines:
        if line.startswith(("+++", "---")):
            style = "bold"
        else:
            style = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        written.print(Text(line, style=style), soft_wrap=True)


def print_json(found: Any) -> None:
    """What a command found, for programs: times in ISO 8601, UTC."""
    sys.stdout.write(json.dumps(found, indent=2, default=as_json, ensure_ascii=False) + "\n")


def as_json(value: Any) -> Any:
    """What JSON has no type for: bytes are ``0x`` and hex digits."""
    if isinstance(value, bytes):
        return f"0x{value.hex()}"
    return value.isoformat() if isinstance(value, date | time) else str(value)


def report_problem(problem: CommandError | typer.TyperException) -> int:
    """Write what is wrong, as one sentence.

    Returns:
        The exit code.
    """
    if isinstance(problem, CommandError):
        sys.stderr.write(f"{sentence(str(problem))}\n")
        return problem.code
    context = getattr(problem, "ctx", None)
    path = context.command_path if context else "lakemirror"
    sys.stderr.write(f"{path}: {sentence(problem.format_message())} See {path} --help.\n")
    return MISCALLED


def sentence(text: str) -> str:
    """A text with its full stop, or its question mark."""
    return text if text.endswith((".", "?")) else f"{text}."


def print_parts(parts: "Iterable[Part]") -> None:
    """Tables, each with an empty line behind it."""
    for part in parts:
        print_part(part)
        write_lines([""])


def print_part(part: "Part") -> None:
    if part.rows:
        print_table(part.header, part.rows)
    else:
        write_lines([part.without])


def write_lines(lines: Iterable[str]) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
