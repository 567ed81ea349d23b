"""The console script ``lakemirror``."""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

from lakemirror.cli import connector_settings, doctor, generate
from lakemirror.cli.templates import Plan
from lakemirror.cli.wait import WaitError, duration, proof_of, reasons, wait
from lakemirror.lake import pyiceberg_catalog
from lakemirror.source.types import SETTINGS, TypeMappingError
from lakemirror.state.summary import mirrors, published_days, table

NEXT = """
Where to look next: `make docs` shows the lineage; ops.landing says what was landed, ops.quarantine
what could not be used; `dbt show --inline "select * from daily.shop__orders"` shows a table.
"""
COLUMNS = ("mirror", "rows", "newest source time", "read", "applied", "stale", "duplicate")


def main() -> int:
    """Run the command that the arguments name; 0 when it succeeds."""
    parser = argparse.ArgumentParser(prog="lakemirror")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser(
        "summary", help="what the embedded lake's mirrors hold and which days are published"
    )
    add_generate(commands.add_parser("generate", help="write the models of a source's tables"))
    add_doctor(commands.add_parser("doctor", help="what is wrong with connectors and their events"))
    add_wait(commands.add_parser("wait", help="wait until a day of a source is complete"))
    arguments = parser.parse_args()
    lake = Path(os.environ.get("LAKEMIRROR_LAKE", "./lake"))
    has_lake = (lake / "catalog.db").exists()
    if not has_lake and not vars(arguments).get("connector_config"):
        sys.stderr.write(f"There is no lake in {lake}: run `dbt build` first (LAKEMIRROR_LAKE).\n")
        return 2
    catalog = pyiceberg_catalog(lake) if has_lake else None
    if arguments.command == "doctor":
        return examine(catalog, Path.cwd(), arguments.connector_config)
    if arguments.command == "wait":
        return await_day(catalog, arguments)
    if arguments.command == "generate":
        return generate_models(catalog, Path.cwd(), arguments)
    sys.stdout.write(table(COLUMNS, mirrors(catalog)) + "\n")
    sys.stdout.write(table(("daily table", "published days"), published_days(catalog)) + NEXT)
    return 0


def add_doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--connector-config",
        nargs="+",
        type=Path,
        default=[],
        metavar="FILE",
        help="a connector's JSON configuration, which is checked too; it needs no lake",
    )


def examine(catalog: Any, folder: Path, files: Sequence[Path]) -> int:
    """Say what is wrong with connectors and with what has landed; 1 where anything is an error."""
    try:
        findings = [f for file in files for f in connector_settings.check_file(file, folder)]
        findings += doctor.check_lake(catalog, folder) if catalog else []
    except (doctor.DoctorError, generate.GenerateError) as problem:
        sys.stderr.write(f"{problem}.\n")
        return 1
    text, has_error = doctor.report(findings)
    sys.stdout.write(text)
    return 1 if has_error else 0


def add_wait(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", required=True, help="as ops.watermarks calls it")
    parser.add_argument("--ds", required=True, type=date.fromisoformat, help="the day that ended")
    parser.add_argument(
        "--tables",
        nargs="+",
        default=[],
        metavar="TABLE",
        help="wait until these tables of the source have published the day, too",
    )
    for option, default, what in (
        ("--timeout", "2h", "how long to wait; 0s looks once"),
        ("--every", "30s", "how often to look"),
    ):
        parser.add_argument(
            option, type=duration, default=default, help=f"{what} (default {default})"
        )


def await_day(catalog: Any, arguments: argparse.Namespace) -> int:
    """Wait for a day; 1 where it has not come in time, 2 where it never would."""
    source, day = arguments.source, arguments.ds
    find = partial(reasons, catalog, source, day, arguments.tables)
    try:
        has_come = wait(find, arguments.timeout, arguments.every, sys.stderr.write)
    except WaitError as problem:
        sys.stderr.write(f"{problem}.\n")
        return 2
    if not has_come:
        sys.stderr.write(f"{source}: {day} is not there after {arguments.timeout}.\n")
        return 1
    what = f"complete{' and published' * bool(arguments.tables)}{proof_of(catalog, source)}"
    sys.stdout.write(f"{source}: {day} is {what}.\n")
    return 0


def add_generate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--source", required=True, help="as in the names of its raw tables")
    parser.add_argument("--connector", required=True, choices=sorted(SETTINGS))
    for option, what in (("--include", "only"), ("--exclude", "no")):
        text = f"{what} tables of these patterns, such as 'order*'"
        parser.add_argument(option, nargs="+", action="extend", default=[], metavar="P", help=text)
    parser.add_argument(
        "--setting",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting of the connector, such as decimal.handling.mode=string (docs/types.md)",
    )
    parser.add_argument("--dry-run", action="store_true", help="show what would change")
    parser.add_argument("--force", action="store_true", help="write over files that were edited")


def generate_models(catalog: Any, folder: Path, arguments: argparse.Namespace) -> int:
    """Write a source's models into the project, or say why not."""
    source, connector = arguments.source, arguments.connector
    try:
        if not (folder / "dbt_project.yml").exists():
            raise generate.GenerateError("run it in the project, where dbt_project.yml is")
        if not generate.NAME.fullmatch(source):
            raise generate.GenerateError(f"{source!r} is not the name of a source")
        declared = generate.declared_source(folder, source)
        settings = {k: v for k, v in generate.connector_of(declared).items() if k != "connector"}
        settings |= dict(given.partition("=")[::2] for given in arguments.setting)
        patterns = arguments.include, arguments.exclude
        found, problems = generate.plans(catalog, source, connector, declared, *patterns, settings)
        made = generate.report(folder, source, connector, settings, found, arguments.force)
    except (generate.GenerateError, TypeMappingError) as problem:
        sys.stderr.write(f"{problem}. Nothing was written.\n")
        return 1
    if arguments.dry_run:
        sys.stdout.writelines(generate.diff(folder, made.files))
    elif not made.refused:
        generate.write(folder, made.files)
    sys.stdout.writelines(f"{line}\n" for line in said(arguments, folder, found, problems, made))
    return 1 if not found or (made.refused and not arguments.dry_run) else 0


def said(
    arguments: argparse.Namespace,
    folder: Path,
    found: Sequence[Plan],
    problems: Mapping[str, str],
    made: generate.Report,
) -> Iterator[str]:
    """A line for each file and each table that is not mirrored."""
    is_written = not (arguments.dry_run or made.refused)
    yield from (f"{'wrote' if is_written else 'would write'} {path}" for path in made.files)
    yield from (f"kept {path}, which was edited (--force writes over it)" for path in made.kept)
    yield from (f"no mirror of {table}: {why}" for table, why in sorted(problems.items()))
    for plan in found:
        for name in plan.long_numbers:
            yield f"{plan.name}.{name} is text in the lake: no decimal there has all its digits"
    if found and not generate.has_watermark(folder, arguments.source):
        yield (
            f"no daily models: models/ops/watermarks.sql has no row for {arguments.source}. Add "
            "one of its heartbeats, and run this again"
        )
    if made.refused:
        yield (
            f"{', '.join(made.refused)}: edited, and without what the models need, or with tables "
            "that have no mirror now. Nothing was written: add what --dry-run shows by hand, or "
            "write over it with --force"
        )
    if is_written and made.files:
        yield f"next: dbt build --select landing path:models/mirror/{arguments.source}"
