"""How much of a program the macros are, and what tests take: lint/figures.py prints a table."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from dbt_common.clients.jinja import get_environment
from jinja2 import nodes

ROOT = Path(__file__).parents[1]
MACROS = ROOT / "macros"
TESTS = ROOT / "tests"
DOORS = ROOT / "src" / "dbt" / "adapters" / "lakemirror"
# what dbt itself calls by these names, and what is called by hand
DBTS, OPERATIONS = ("adapter", "tests"), ("ops",)
# dbt's macros that run a statement, and the adapter's methods that do, or that begin a run
ACTS = ("run_query", "statement", "noop_statement")
ACTING_METHODS = ("begin", "operate", "days_as_branches", "cut_snapshots")


@cache
def parsed() -> dict[str, tuple[Path, nodes.Macro]]:
    """Each macro by its name, with its file; of a materialization or a test, dbt's own name."""
    found = {}
    for path in sorted(MACROS.rglob("*.sql")):
        for macro in get_environment().parse(path.read_text("utf-8")).find_all(nodes.Macro):
            found[macro.name.removeprefix("dbt_macro__")] = (path, macro)
    return found


def folder(name: str) -> str:
    return parsed()[name][0].relative_to(MACROS).parts[0]


def called(name: str) -> set[str]:
    """The names that a macro calls."""
    calls = parsed()[name][1].find_all(nodes.Call)
    return {call.node.name for call in calls if isinstance(call.node, nodes.Name)}


def methods(name: str) -> set[str]:
    """The adapter's methods that a macro calls."""
    attributes = parsed()[name][1].find_all(nodes.Getattr)
    return {
        attribute.attr
        for attribute in attributes
        if isinstance(attribute.node, nodes.Name) and attribute.node.name == "adapter"
    }


def acts(name: str) -> bool:
    """Whether a macro runs a statement, itself or by the adapter, or calls one that does."""
    if called(name) & {*ACTS} or methods(name) & {*ACTING_METHODS}:
        return True
    return any(acts(other) for other in called(name) & {*parsed()} - {name})


def depth(name: str) -> int:
    """How many macros of lakemirror's stand one in another, where none of them writes SQL alone."""
    below = called(name) & {*parsed()} - {name}
    return 1 + max((depth(other) for other in below), default=0)


def own_methods() -> set[str]:
    """The adapter's methods that lakemirror offers to macros."""
    text = (DOORS / "impl.py").read_text("utf-8")
    return {*re.findall(r"@available[^\n]*\n    def (\w+)", text)}


def lines(pattern: str) -> int:
    return sum(len(path.read_text("utf-8").splitlines()) for path in MACROS.rglob(pattern))


def figures() -> Iterator[tuple[str, object, str]]:
    """What is counted, how much there is of it, and what is aimed at."""
    ours = [name for name in parsed() if folder(name) not in DBTS]
    materializations = [n for n in parsed() if n.startswith("materialization_")]
    programs = {*materializations} | {n for n in ours if folder(n) in OPERATIONS}
    acting = sorted(n for n in ours if acts(n) and n not in programs)
    yield "macros that act, outside materializations and operations", len(acting), "0"
    doors = {method for name in parsed() for method in methods(name)} & own_methods()
    yield "adapter methods that macros call", len(doors), "<= 12"
    sizes = [
        len(parsed()[n][0].read_text("utf-8").splitlines())
        for n in materializations
        if folder(n) not in DBTS
    ]
    yield "materializations of changes, lines each", f"{min(sizes)}-{max(sizes)}", "<= 15"
    deepest = max(depth(n) for n in materializations if folder(n) not in DBTS)
    yield "macros deep, materialization to SQL", deepest, "<= 3"
    wide = sorted(n for n in ours if len(parsed()[n][1].args) > 5)
    yield "macros with more than 5 arguments", len(wide), "0"
    yield "files of macros", len([*MACROS.rglob("*.sql")]), "<= 220"
    yield "lines of Jinja", lines("*.sql"), "<= 2700"
    yield "lines of its YAML", lines("*__macros.yml"), "<= 2200"
    yield "lines of impl.py", len((DOORS / "impl.py").read_text("utf-8").splitlines()), "<= 350"
    yield from measured()
    for name in acting:
        yield f"  acts: {name}", "", ""
    for name in wide:
        yield f"  wide: {name}", "", ""


def measured() -> Iterator[tuple[str, object, str]]:
    """What the last `make durations` has found."""
    seconds = sum(json.loads((TESTS / "durations.json").read_text("utf-8")).values())
    yield "minutes of make whole, in two processes", round(seconds / 2 / 60, 1), ""
    aims = {"statements of a small merge in order": 18}
    for what, count in json.loads((TESTS / "counts.json").read_text("utf-8")).items():
        yield what, count, f"<= {aims.get(what, 25)}"


def main() -> None:
    for what, count, aim in figures():
        print(f"{what:58} {count!s:>8}  {aim}")


if __name__ == "__main__":
    main()
