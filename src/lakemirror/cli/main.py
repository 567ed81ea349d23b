"""The console script ``lakemirror``: each command parses its arguments and calls one function.

It imports what reads a lake, a project or a database where it calls it: help comes at once.
"""

import os
import sys
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, date, datetime
from functools import wraps
from importlib.metadata import version as version_of
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from lakemirror.cli import care, erase, init, monitor, quarantine
from lakemirror.cli.errors import MISCALLED, RIGHT, WRONG, CallError, CommandError, hint
from lakemirror.cli.lakes import has_lake, lake_properties, open_lake, readable
from lakemirror.cli.models import read_project
from lakemirror.cli.options import of_project
from lakemirror.cli.terminal import (
    Json,
    ManyValues,
    day,
    duration,
    flag,
    flowing,
    print_diff,
    print_json,
    print_parts,
    report_problem,
    write_lines,
)
from lakemirror.source.reading import Limits
from lakemirror.source.types import SETTINGS

Function = TypeVar("Function", bound=Callable[..., Any])
ABOUT = """
    Debezium's change events as exact, current tables on Apache Iceberg, with dbt.

    A project begins with init and goes on with dbt. The other commands write its models, and look
    at its lake without Spark.
"""
ENVIRONMENT = """
    The environment: the lake is that of the profile's target (DBT_PROFILES_DIR, DBT_TARGET, or
    --profiles-dir and --target). LAKEMIRROR_LAKE is the folder of an embedded one, and goes first;
    without a profile it is ./lake. DBT_TARGET_PATH is where dbt's manifest is. NO_COLOR keeps
    colour out, which goes to a terminal only.

    Exit codes: 0, all is right. 1, something is wrong. 2, the call is wrong, and nothing was done.
"""
app = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["--help", "-h"]},
)
app.add_typer(quarantine.app, name="quarantine")
Source = Annotated[
    str, typer.Option("--source", metavar="NAME", help="The source: how its raw tables begin.")
]


def main() -> int:
    """Run the command that the arguments name.

    Returns:
        The exit code: 0, 1 where something is wrong, 2 where the call is.
    """
    try:
        return int(app(standalone_mode=False, prog_name="lakemirror") or RIGHT)
    except (CommandError, typer.TyperException) as problem:
        return report_problem(problem)
    except typer.Abort:  # the end of the input, where a question was asked
        sys.stderr.write("\nNothing was done.\n")
        return WRONG
    except SystemExit as end:  # whoever read the output has gone
        return int(end.code or 0)


def known_connector(text: str) -> str:
    """A connector's name.

    Raises:
        BadParameter: it is none.
    """
    if text not in SETTINGS:
        raise typer.BadParameter(f"{text!r} is no connector{hint(text, SETTINGS)}")
    return text


def known_catalog(text: str) -> str:
    """Which catalog a project has.

    Raises:
        BadParameter: there is no such.
    """
    if text not in init.CATALOGS:
        raise typer.BadParameter(
            f"{text!r} is none of {', '.join(init.CATALOGS)}{hint(text, init.CATALOGS)}"
        )
    return text


def print_version(is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"lakemirror {version_of('lakemirror')}")
        raise typer.Exit


@app.callback(help=flowing(ABOUT), epilog=flowing(ENVIRONMENT), invoke_without_command=True)
def lakemirror(
    context: typer.Context,
    version: Annotated[
        bool,
        flag("--version", "Show the version.", is_eager=True, callback=print_version),
    ] = False,
) -> None:
    """Options of the script itself."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(MISCALLED)


def command(name: str, *examples: str) -> Callable[[Function], Function]:
    """Make a function a command of the script: its docstring is the help, with examples below."""
    shown = "\n".join(["Examples:", *(f"  {example}" for example in examples)])

    def added(function: Function) -> Function:
        @wraps(function)
        def run(*arguments: Any, **options: Any) -> int:
            with readable("The lake"):
                return function(*arguments, **options)

        about = flowing(function.__doc__ or "")
        offered = run if name == "init" else of_project(run)
        app.command(name, cls=ManyValues, help=about, epilog=shown)(offered)
        return function

    return added


@command(
    "init",
    "lakemirror init shopproject --recordings recordings/",
    "lakemirror init shopproject --brokers localhost:9092 --topics 'shop([.].*)?'",
)
def make_project(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The project's name, and its folder's.")
    ],
    recordings: Annotated[
        str | None,
        typer.Option(metavar="PATH", help="Land this file, or this folder, of recorded records."),
    ] = None,
    brokers: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Land from these brokers of Kafka.")
    ] = None,
    topics: Annotated[
        str | None,
        typer.Option(
            metavar="REGEX", help="Land the topics whose whole names match this regular expression."
        ),
    ] = None,
    lake: Annotated[
        str, typer.Option(metavar="PATH", help="The folder of the lake, seen from the project.")
    ] = "./lake",
    catalog: Annotated[
        str,
        typer.Option(
            parser=known_catalog,
            metavar="|".join(init.CATALOGS),
            help="Which Iceberg catalog the lake has: its own, or one that others share, which "
            "the environment names.",
        ),
    ] = init.EMBEDDED,
) -> int:
    """Make a project of your own: a few short files, in a new folder of its name.

    On a terminal it asks for what is left out. It writes over no file.
    """
    ask = input if sys.stdin.isatty() else None
    asked = init.Asked(name, lake, recordings or "", brokers or "", topics or "", catalog)
    write_lines(init.run(Path.cwd(), asked, ask))
    return RIGHT


@command(
    "generate",
    "lakemirror generate --source shop --dry-run",
    "lakemirror generate --source shop --include 'order*' customers",
    "lakemirror generate --source shop --database-env SHOP_DATABASE_URL",
    "lakemirror generate --source shop --setting decimal.handling.mode=string",
)
def write_models(
    source: Source,
    connector: Annotated[
        str | None,
        typer.Option(
            parser=known_connector,
            metavar="|".join(sorted(SETTINGS)),
            help="Which connector sends its events, where they do not say so themselves.",
        ),
    ] = None,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="P...", help="Write only tables of these patterns, such as 'order*'."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="P...", help="Write no tables of these patterns.")
    ] = None,
    setting: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="How the connector is set, where its events do not tell it (docs/types.md).",
        ),
    ] = None,
    database_env: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE",
            help="The variable of the environment that has the URL of the source's database, which "
            "says the columns where no event does: postgresql://USER:PASSWORD@HOST/DATABASE.",
        ),
    ] = None,
    masked: Annotated[
        bool,
        flag("--masked", "Write a masked view of each mirror, too (docs/guides/masked.md)."),
    ] = False,
    dry_run: Annotated[
        bool, flag("--dry-run", "Write nothing, and show what would change.")
    ] = False,
    force: Annotated[bool, flag("--force", "Write over files that were edited.")] = False,
) -> int:
    """Write the models of a source's tables: staging, mirrors, daily tables and its watermark.

    Its topics must have landed. A file that you have edited stays as it is.
    """
    from lakemirror.cli import generate

    asked = generate.Request(
        *(source, connector, include or (), exclude or (), setting or (), dry_run, force),
        *(database_env, masked),
    )
    done = generate.run(Path.cwd(), os.environ, asked, sys.stderr.write)
    print_diff(done.diff)
    write_lines(done.lines)
    return done.code


@command(
    "doctor",
    "lakemirror doctor",
    "lakemirror doctor --connector-config connectors/*.json",
)
def examine(
    connector_config: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE...",
            help="Check these connectors' JSON configurations too; that needs no lake.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Say what is wrong with connectors and with the events that have landed, and what mends it.

    It ends with 1 where anything is an error, and with 0 where there are only warnings.
    """
    from lakemirror.cli import connector_settings, doctor

    folder, files = Path.cwd(), connector_config or []
    is_there = has_lake(lake_properties(folder, os.environ))
    catalog = open_lake(folder, os.environ) if is_there or not files else None
    findings = [f for file in files for f in connector_settings.check_file(file, folder)]
    findings += doctor.check_lake(catalog, folder) if catalog else []
    text, has_error = doctor.report(findings)
    if as_json:
        print_json([asdict(finding) for finding in doctor.in_order(findings)])
    else:
        sys.stdout.write(text)
    return WRONG if has_error else RIGHT


@command(
    "wait",
    "lakemirror wait --source shop --ds 2026-01-31",
    "lakemirror wait --source shop --ds 2026-01-31 --tables orders customers --timeout 30m",
)
def wait_for_day(
    source: Source,
    ds: Annotated[
        date, typer.Option(parser=day, metavar="DAY", help="The day (UTC), as 2026-01-31.")
    ],
    tables: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLE...", help="Wait until these tables have published the day, too."
        ),
    ] = None,
    timeout: Annotated[
        Any,
        typer.Option(parser=duration, metavar="TIME", help="How long to wait; 0s looks once."),
    ] = "2h",
    every: Annotated[
        Any, typer.Option(parser=duration, metavar="TIME", help="How often to look.")
    ] = "30s",
) -> int:
    """Wait until a day of a source is complete, and until its daily tables have it.

    It ends with 0 when the day is there, with 1 when it has not come in time, and with 2 when it
    never will. A TIME is a number and s, m, h or d.
    """
    from lakemirror.cli import wait

    folder = Path.cwd()
    code, line = wait.run(
        *(open_lake(folder, os.environ), read_project(folder, os.environ), source, ds),
        *(tables or (), timeout, every, sys.stderr.write),
    )
    (sys.stderr if code else sys.stdout).write(f"{line}\n")
    return code


@command(
    "run",
    "lakemirror run --every 10s --maintain-every 15m",
    "lakemirror run --every 1m --exclude daily_* --select landing mirror.shop",
)
def run_rounds(
    select: Annotated[
        list[str] | None,
        typer.Option("--select", "-s", metavar="MODEL...", help="Run these only, as dbt does."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="MODEL...", help="Leave these out, as dbt does.")
    ] = None,
    every: Annotated[
        Any, typer.Option(parser=duration, metavar="TIME", help="How often a round begins.")
    ] = "10s",
    rounds: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="End after so many rounds.")
    ] = None,
    maintain_every: Annotated[
        Any,
        typer.Option(
            parser=duration,
            metavar="TIME",
            help="Care for the lake's tables between rounds, that often, as maintain does.",
        ),
    ] = None,
) -> int:
    """Run the project again and again: land, then run the models of what has moved.

    One process with one Spark, which goes on after a round that has failed. Where nothing moves it
    waits longer, up to four times as long. Each round adds small files, which make the next one
    slower until the tables are cared for. SIGINT (Ctrl-C) or SIGTERM ends it when the round is
    over, with 1 where that has failed. A TIME is a number and s, m, h or d.
    """
    from lakemirror.cli import loop

    def say(line: str) -> None:
        write_lines([f"{datetime.now(UTC):%T}  {line}"])
        sys.stdout.flush()

    wanted = loop.Wanted(select or (), exclude or (), every, rounds, maintain_every)
    return loop.run(Path.cwd(), os.environ, wanted, say)


command(
    "status",
    "lakemirror status",
    "lakemirror status --json | jq '.mirrors[].lag_seconds'",
    "lakemirror status --prometheus /var/lib/node_exporter/lakemirror.prom",
)(monitor.show_status)
command("report", "lakemirror report", "lakemirror report --output site/lake.html")(
    monitor.write_report
)


@command(
    "show",
    "lakemirror show mirror.shop__orders --key 50399",
    'lakemirror show shop.order_items --key \'{"order_id": 50674, "line_no": 1}\'',
)
def show_row(
    table: Annotated[
        str,
        typer.Argument(metavar="TABLE", help="The mirror: its model, its table, or source.table."),
    ],
    key: Annotated[
        str, typer.Option(metavar="KEY", help="The key: a value, or a JSON object of its columns.")
    ],
    last: Annotated[
        int, typer.Option(min=1, max=10_000, metavar="N", help="Show so many of its records.")
    ] = 50,
    as_json: Json = False,
) -> int:
    """Show a row of a mirror, all that has landed of it, and what the mirror has made of that.

    Its history comes from the raw table, in the order of the source. It ends with 1 where nobody
    knows the key.
    """
    from lakemirror.cli import show, show_text

    folder = Path.cwd()
    models = read_project(folder, os.environ).models
    found = show.show(open_lake(folder, os.environ), models, table, key, last)
    if as_json:
        print_json(found.as_json())
        return found.code
    write_lines([show_text.heading(found), ""])
    print_parts(show_text.parts(found))
    write_lines(show_text.notes(found))
    return found.code


command(
    "history",
    "lakemirror history mirror_shop__orders",
    "lakemirror history raw.shop__orders --limit 5 --json",
)(care.show_history)
command(
    "rollback",
    "lakemirror rollback mirror_shop__orders --to 2026-01-31T12:00:00",
    "lakemirror rollback mirror_shop__orders --to 4051809451131491465 --apply",
)(care.roll_back)
command("undo", "lakemirror undo mirror_shop__orders --apply")(care.undo)
command("release", "lakemirror release mirror_shop__orders")(care.release)
command(
    "maintain",
    "lakemirror maintain --dry-run",
    "lakemirror maintain --select mirror_shop__orders --budget 10m",
    "lakemirror maintain --every 15m",
)(care.maintain)
command(
    "erase",
    "lakemirror erase mirror_shop__customers --key 20017",
    "lakemirror erase mirror_shop__customers --key 20017 --by dpo --reason ticket-17 --apply",
    "lakemirror erase --verify 1b2c3d4e --key 20017",
)(erase.erase)


@command(
    "audit",
    "lakemirror audit",
    "lakemirror audit --select mirror_shop__orders mirror_shop__customers --full",
    "lakemirror audit --against-source --select mirror_shop__orders --rows-per-second 20000",
    "lakemirror audit --compare mirror_shop__orders legacy.orders --key id --tolerance price=0.01",
)
def audit_mirrors(
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="MODEL...", help="Audit these mirrors; without it, all of them."),
    ] = None,
    full: Annotated[bool, flag("--full", "Compare all keys, and not the next part.")] = False,
    against_source: Annotated[
        bool, flag("--against-source", "Compare with the source's database, and not with the log.")
    ] = False,
    database_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="The variable of the environment that has the database's URL, if it is not that "
            "which generate has kept.",
        ),
    ] = None,
    chunk: Annotated[
        int, typer.Option(min=1, metavar="N", help="Read the source by so many rows.")
    ] = Limits.chunk,
    rows_per_second: Annotated[
        int, typer.Option(min=0, metavar="N", help="Read no more rows of the source than these.")
    ] = Limits.rows_per_second,
    max_lag: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Read a replica while it is no more than so far behind.",
        ),
    ] = Limits.max_lag,
    no_landing: Annotated[
        bool,
        flag("--no-landing", "Leave the second look at what differs to the next call."),
    ] = False,
    compare: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="RELATION RELATION",
            help="Compare these two in place of mirrors and the log: models, or schema.table.",
        ),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN...", help="The columns by which --compare pairs rows."),
    ] = None,
    tolerance: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=N...",
            help="How far values may differ for --compare: seconds of times, days of dates.",
        ),
    ] = None,
    as_json: Json = False,
) -> int:
    """Compare mirrors with the log: each time the next part of their keys, or all.

    All that raw has up to a mirror's bookmark is folded by another way than the mirror was made. It
    needs Spark, which dbt starts. It ends with 1 where a mirror differs, with a line each: model,
    key, order, column, the value in the mirror and by the log.

    With --against-source the database of the source is read, in transactions that only read. What
    differs is looked at again after a landing and a merge; the source may go on changing.

    With --compare it does the same with any two relations, by a key.
    """
    from lakemirror.cli import audit, source_audit

    limits = Limits(chunk, rows_per_second, max_lag)
    if not against_source and (database_env or limits != Limits() or no_landing):
        raise CallError(
            "--database-env, --chunk, --rows-per-second, --max-lag and --no-landing belong to "
            "--against-source"
        )
    if against_source:
        if compare or key or tolerance or full:
            raise CallError("--against-source compares all keys of mirrors: --select names some")
        wanted = source_audit.Wanted(select or (), database_env, limits, lands=not no_landing)
        report = source_audit.run(
            Path.cwd(), os.environ, wanted, lambda line: sys.stderr.write(f"{line}\n")
        )
    elif compare is None:
        if key or tolerance:
            raise CallError("--key and --tolerance belong to --compare")
        report = audit.run(Path.cwd(), os.environ, select or (), full)
    else:
        if select or full:
            raise CallError(
                "--compare names what is compared: --select and --full belong to audits"
            )
        report = audit.compare(Path.cwd(), os.environ, compare, key or (), tolerance or ())
    if as_json:
        print_json(report.as_json())
        return report.code
    write_lines(audit.lines(report))
    print_parts([audit.part(report)])
    write_lines(audit.notes(report))
    return report.code


@command(
    "repair",
    "lakemirror repair --audit 1b2c3d4e",
    "lakemirror repair --select mirror_shop__orders --key 50399 --apply",
)
def repair_mirrors(
    audit_id: Annotated[
        str | None,
        typer.Option("--audit", metavar="ID", help="Repair what this audit has found to differ."),
    ] = None,
    select: Annotated[
        str | None, typer.Option(metavar="MODEL", help="The mirror whose keys are repaired.")
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY...", help="A value, or a JSON object of the key's columns."),
    ] = None,
    database_env: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Of an audit against the source: the variable of the environment that has the "
            "database's URL; without it, what the source's YAML names.",
        ),
    ] = None,
    apply: Annotated[bool, flag("--apply", "Write; without it, only say what differs.")] = False,
    as_json: Json = False,
) -> int:
    """Put the rows of keys right that differ from the log, and audit them again.

    Without --apply nothing is written. The keys are audited first: a row that equals the log stays
    as it is, and so does what raw cannot tell. Of an audit against the source, what no event has
    told comes into the log from the source's rows. It ends with 1 where differences are left.
    """
    from lakemirror.cli import audit

    asked = audit.Repair(audit_id, select, key or (), database_env)
    before, after = audit.repair(Path.cwd(), os.environ, asked, apply)
    if as_json:
        print_json({"before": before.as_json(), "after": after.as_json() if after else None})
        return (after or before).code
    write_lines(audit.lines(before))
    print_parts([audit.part(after or before)])
    write_lines(audit.repaired_lines(before, after, apply))
    return (after or before).code
