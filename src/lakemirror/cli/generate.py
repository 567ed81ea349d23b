"""The models of a source, written from what raw and raw.schema_history of a lake hold."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from lakemirror.cli import templates
from lakemirror.cli.declared import declared_connector, declared_source
from lakemirror.cli.errors import RIGHT, WRONG, CallError, GenerateError, hint, some
from lakemirror.cli.evidence import (
    ConnectorError,
    EvidenceError,
    Say,
    connector_of,
    look,
    refuse_rows,
    tombstones_of,
)
from lakemirror.cli.generated_files import Report, diff, heard_by_of, heartbeat_of, report, write
from lakemirror.cli.heartbeats import is_beaten, is_named_so
from lakemirror.cli.lakes import open_lake
from lakemirror.cli.source_names import check_name
from lakemirror.cli.source_tables import SourceTable, meta_of, raw_schema, sources_of, tables_of
from lakemirror.cli.templates import Plan
from lakemirror.cli.terminal import sentence
from lakemirror.source.columns import ColumnsError, Declared, source_columns
from lakemirror.source.database import DatabaseError, read_tables
from lakemirror.source.inference import Column, Evidence, Inference
from lakemirror.source.lake_types import LakeTypes, lake_types_of
from lakemirror.source.types import SETTINGS, TypeMappingError, as_spelled, settings_of
from lakemirror.source.wire import can_decode
from lakemirror.state.days import has_day

JINJA = ("{{", "{%", "{#")


class PatternError(GenerateError):
    """A source or a pattern is none of those that have landed."""


@dataclass(frozen=True)
class Request:
    """What ``lakemirror generate`` is asked for.

    Attributes:
        source: its name, as raw tables begin.
        connector: which connector sends it; None where its events say so.
        include: patterns of tables' names; empty for all.
        exclude: patterns of those that are left out.
        settings: the connector's, each ``NAME=VALUE``.
        is_dry_run: write nothing.
        is_forced: write over files that were edited.
        database_env: the variable of the environment that has the URL of the source's database.
        is_masked: write a masked view of each mirror, too.
    """

    source: str
    connector: str | None = None
    include: Sequence[str] = ()
    exclude: Sequence[str] = ()
    settings: Sequence[str] = ()
    is_dry_run: bool = False
    is_forced: bool = False
    database_env: str | None = None
    is_masked: bool = False


@dataclass(frozen=True)
class Done:
    """What a run says, line by line, and its exit code; of a dry run also what would change."""

    lines: Sequence[str]
    code: int
    diff: Sequence[str] = ()


def run(folder: Path, environment: Mapping[str, str], asked: Request, say: Say) -> Done:
    """Write a source's models into the project.

    Args:
        folder: the dbt project.
        environment: where its lake is named, if it is another.
        say: takes a line of progress on long work.

    Raises:
        CallError: it is no project, or no name of a source or of a setting, or there is no lake.
        GenerateError: nothing can be written.
    """
    source, given = asked.source, given_settings(asked.settings)
    if not (folder / "dbt_project.yml").exists():
        raise CallError("run it in the project, where dbt_project.yml is. Nothing was written")
    check_name(folder, environment, source)
    catalog = open_lake(folder, environment)
    declared = declared_source(folder, source)
    try:
        of_yaml = declared_connector(declared)
        raw, tables = raw_schema(catalog, declared), tables_of(catalog, source, declared)
        known = sources_of(catalog)
        chosen = chosen_tables(source, tables, asked.include, asked.exclude, known)
        heads = {table.name: table.head for table in tables.values()}
        refuse_rows(source, {table.name: table.head for table in chosen}, raw)
        stated = asked.connector or of_yaml.get("connector")
        connector = connector_of(source, heads, stated, raw)
        settings = {name: value for name, value in of_yaml.items() if name != "connector"} | given
        settings_of({**settings, "connector": connector})
        lake_types = lake_types_of(meta_of(declared), connector)
        if asked.database_env:
            ask_database(environment, asked.database_env, chosen, connector, say)
        shown = infer(chosen, connector, settings, say)
        found, problems = plans(chosen, connector, shown.settings, lake_types)
        database_env = asked.database_env or meta_of(declared).get("database_env")
        made = report(
            *(folder, source, connector, shown.settings, found, asked.is_forced, database_env),
            is_masked=asked.is_masked,
        )
        changes = list(diff(folder, made.files)) if asked.is_dry_run else []
    except (GenerateError, EvidenceError, TypeMappingError) as problem:
        kind = CallError if is_of_call(problem, asked, given) else GenerateError
        raise kind(f"{sentence(str(problem))} Nothing was written") from problem
    if not (asked.is_dry_run or made.refused):
        write(folder, made.files)
    is_wrong = problems or (made.refused and not asked.is_dry_run)
    tombstones = tombstones_of(source, heads)
    told = [f"connector={connector}", *map(str, shown.learned), *shown.open, *shown.strange]
    told += [tombstones] if tombstones else []
    told += about_columns(chosen, connector, shown.settings)
    told += about_database(source, declared, asked.database_env, made)
    lines = [*told, *said(asked, folder, found, problems, made)]
    return Done(lines, WRONG if is_wrong else RIGHT, changes)


def is_of_call(problem: Exception, asked: Request, given: Mapping[str, str]) -> bool:
    """Whether an option is wrong, and neither the project nor the lake.

    Args:
        given: the settings that the command was given.
    """
    is_connector = isinstance(problem, ConnectorError) and asked.connector is not None
    is_setting = any(name in str(problem) for name in given)
    return isinstance(problem, PatternError) or is_connector or is_setting


def given_settings(settings: Sequence[str]) -> dict[str, str]:
    """Settings by their names.

    Raises:
        CallError: one is not ``NAME=VALUE``, or none of a connector.
    """
    known = {name for of_connector in SETTINGS.values() for name in of_connector}
    for given in settings:
        name, is_said, _ = given.partition("=")
        if not (name and is_said):
            raise CallError(f"--setting {given} is not NAME=VALUE. Nothing was written")
        if name not in known:
            raise CallError(
                f"--setting {name} is no setting that says how values are sent"
                + (hint(name, known) or f"; there are {', '.join(sorted(known))}")
            )
    return as_spelled(dict(given.partition("=")[::2] for given in settings))


def said(
    asked: Request,
    folder: Path,
    found: Sequence[Plan],
    problems: Mapping[str, str],
    made: Report,
) -> Iterator[str]:
    """A line for each file and each table that is not mirrored."""
    is_written = not (asked.is_dry_run or made.refused)
    yield from (f"{'wrote' if is_written else 'would write'} {path}" for path in made.files)
    yield from (
        f"kept {path}, which is not as it would be written (--force does)" for path in made.kept
    )
    yield from (f"left out {path}, which was deleted (--force writes it)" for path in made.deleted)
    reasons: dict[str, list[str]] = {}
    for table, why in sorted(problems.items()):
        reasons.setdefault(why, []).append(table)
    yield from (f"no mirror of {some(tables)}: {why}" for why, tables in reasons.items())
    if problems and found:
        yield (
            f"{len(found)} of {len(found) + len(problems)} tables have their models. --exclude "
            "leaves out a table that YAML does not declare"
        )
    for plan in found:
        if not plan.key:
            yield (
                f"{plan.name} has no key: log.{plan.source}__{plan.name} keeps its changes. For a "
                "mirror set message.key.columns at the connector"
            )
        if plan.key and plan.has_day:
            yield (
                f"no daily table of {plan.name}: it has a column ds, and so is called the day of a "
                "daily table. ignored_columns of its YAML leaves the column out (docs/daily.md)"
            )
        for name in plan.long_numbers:
            yield f"{plan.name}.{name} is text in the lake: no decimal there has all its digits"
    if found:
        yield from about_heartbeats(folder, asked.source, found)
    if made.refused:
        yield (
            f"{', '.join(made.refused)}: edited, and without what the models need, which cannot be "
            "added. Nothing was written: add what --dry-run shows by hand, or write over it with "
            "--force"
        )
    if is_written and made.files:
        yield "next: dbt build"


def about_heartbeats(folder: Path, source: str, found: Sequence[Plan]) -> Iterator[str]:
    """What says how far the source is complete, and which tables do not, though they could."""
    heard_by, is_heartbeat = heard_by_of(folder, source, found)
    others = [plan.name for plan in found if is_named_so(plan.name) and not plan.is_beaten]
    if others:
        yield (
            f"{some(others)}: not taken for heartbeats, which write over one row, or one a shard, "
            "again and again"
        )
    if is_heartbeat:
        yield (
            f"days are complete by the heartbeats of {heard_by.name}, which has no daily table "
            "itself (docs/daily.md)"
        )
        return
    yield (
        f"no table of heartbeats: days are complete by the newest event of {heard_by.name}, which "
        "is weaker (docs/daily.md)"
    )
    better, is_better = heartbeat_of(found)
    if is_better:
        yield (
            f"{better.name} has heartbeats since: to go by them, delete "
            f"{templates.watermark_path(source)} and generate again. No day from before the first "
            "of them is published then"
        )


def chosen_tables(
    source: str,
    tables: Mapping[str, SourceTable],
    chosen: Collection[str],
    left_out: Collection[str],
    sources: Collection[str] = (),
) -> list[SourceTable]:
    """The tables that patterns choose, and those that the source's YAML declares.

    Args:
        chosen: patterns of tables' names, such as ``order*``; empty for all.
        left_out: patterns of those that are not.
        sources: the names of those that have landed.

    Raises:
        PatternError: raw has nothing of the source, or a pattern is none of a table.
    """
    if not tables:
        raise PatternError(
            sentence(f"raw has no table of the source {source}{hint(source, sources)}")
            + " Land its topics first (dbt run --select landing); a topic's source is its "
            "database's name, or what topic_sources says"
            + (f". What has landed is of {some(sorted(sources))}" if sources else "")
        )
    for option, patterns in (("--include", chosen), ("--exclude", left_out)):
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in tables):
                raise PatternError(
                    f"{option} {pattern} matches no table of the source {source}"
                    + (hint(pattern, tables) or f", which has {some(tables)}")
                )
    found = [t for n, t in tables.items() if t.declared or is_chosen(n, chosen, left_out)]
    if not found:
        raise PatternError(f"the patterns leave no table of the source {source}")
    return found


def ask_database(
    environment: Mapping[str, str],
    name: str,
    tables: Sequence[SourceTable],
    connector: str,
    say: Say,
) -> None:
    """Let tables know what the source's database says of them.

    Args:
        name: the variable of the environment that has the database's URL, which is shown nowhere.
        say: takes a line of progress.

    Raises:
        CallError: there is no such variable.
        GenerateError: the database did not answer.
    """
    if not environment.get(name):
        raise CallError(f"the environment has no {name}. Nothing was written")
    schemas = sorted({table.names[0] for table in tables if len(table.names) == 2})
    try:
        found = read_tables(environment[name], schemas, connector)
    except DatabaseError as problem:
        raise GenerateError(f"the database of {name} cannot be read: {problem}") from None
    for table in tables:
        table.describe(found.get(table.names), say)  # type: ignore[arg-type]
    if not any(table.described for table in tables):
        raise GenerateError(
            f"the database of {name} has none of the tables of {', '.join(schemas)} that have "
            "landed. Is it another database, or may its user not see them?"
        )


def about_columns(
    tables: Sequence[SourceTable], connector: str, settings: Mapping[str, str]
) -> Iterator[str]:
    """Where the columns were learned from, and what is said of them otherwise."""
    kind, all_settings = settings_of({**settings, "connector": connector})
    places: dict[str, list[str]] = {}
    for table in tables:
        if table.schema:
            place = table.history
        elif table.described:
            place = "the database"
        else:
            place = "the source's YAML"
        if table.schema or table.described or table.declared.get("columns"):
            places.setdefault(place, []).append(table.name)
    for place, names in places.items():
        yield f"columns of {some(names)}: from {place}"
    for table in tables:
        yield from table.differences(kind, all_settings)
        yield from table.default_lines(kind, all_settings)
        yield from about_key(table)
        if table.gone:
            yield (
                f"{table} has {', '.join(table.gone)} in its events, and not in the database: say "
                "renamed_from or ignored_columns in YAML (docs/schema-changes.md)"
            )
        if table.left_out:
            yield (
                f"{table} has {', '.join(table.left_out)}, generated by the database, in its "
                "snapshots and in no change: left out (ignored_columns in YAML). Compute it in a "
                "model of your own"
            )
        if connector == "postgresql" and table.ended:
            yield (
                f"{table} has {', '.join(table.ended)} in older events alone: dropped, or "
                "generated by the database, which PostgreSQL sends in snapshots alone. The mirror "
                "has null there from then on; ignored_columns in YAML leaves it out, and "
                "--database-env says which it is"
            )
        if table.described and table.unsent:
            unsent = ", ".join(table.unsent)
            yield f"{table} has {unsent} in the database, and in no event: left out"


def about_database(
    source: str, declared: Mapping[str, Any], name: str | None, made: Report
) -> Iterator[str]:
    """The variable that an audit against the source reads, where an edited file lacks it."""
    path = templates.sources_path(source)
    if name and meta_of(declared).get("database_env") != name and path not in made.files:
        yield (
            f"{path} is edited: add config.meta.database_env: {name} to the source, for "
            "lakemirror audit --against-source"
        )


def about_key(table: SourceTable) -> Iterator[str]:
    """Where the key is not that of the records, and what comes of it."""
    key, names = table.key(), ", ".join(table.key())
    if key and table.unread_key is not None:
        yield (
            f"{table} has the database's key ({names}): the keys of its records are no JSON, such "
            f"as {table.unread_key!r}"
        )
    lacking = {name.lower() for name in key} - {name.lower() for name in table.head.key}
    if table.head.key and lacking:
        yield (
            f"{table} has the key ({names}) in {table.history}, and its records have "
            f"({', '.join(table.head.key)}): an update of {', '.join(sorted(lacking))} comes "
            "without a delete, and leaves its old row in the mirror, whose runs warn then. Let "
            f"message.key.columns at the connector have {names} too"
        )


def infer(
    tables: Sequence[SourceTable], connector: str, given: Mapping[str, str], say: Say
) -> Inference:
    """How the connector is set: what was given, and what the events show.

    Raises:
        GenerateError: they disagree, or somebody has to say more.
    """
    landed = [table for table in tables if table.is_landed]
    columns = readable_columns(landed, connector)
    raws = {str(table): table.raw for table in landed}
    found = look(raws, Evidence(connector, columns, given), say)
    if found.conflicts or found.questions:
        raise GenerateError(". ".join([*found.conflicts, *found.questions]))
    return found


def readable_columns(tables: Sequence[SourceTable], connector: str) -> list[Column]:
    """The columns of tables that can be mirrored with some settings: others ask for none."""
    of_tables = [table.columns(connector) for table in tables]
    return [column for found in of_tables if can_be_read(found, connector) for column in found]


def can_be_read(columns: Sequence[Column], connector: str) -> bool:
    """Whether there are settings with which each column of a table can be decoded."""
    return all(c.data_type is None or can_decode(c.data_type, connector) for c in columns)


def plans(
    tables: Sequence[SourceTable],
    connector: str,
    settings: Mapping[str, str],
    lake_types: LakeTypes,
) -> tuple[list[Plan], dict[str, str]]:
    """The tables that can be mirrored, and why the others cannot."""
    kind, all_settings = settings_of({**settings, "connector": connector})
    found, problems = [], {}
    for table in tables:
        columns = table.declared_columns(kind, all_settings)
        own = {column["name"]: Declared(column.get("data_type")) for column in columns}
        try:
            check_partitions(table)
            of_schema = table.schema.get("columns") or []
            known = [column for column in of_schema if column["name"] not in table.ignored]
            decoded = source_columns(own, known, kind, all_settings, lake_types)
            names, key = [column["name"] for column in decoded], table.key()
            check_names(table.name, names, key)
            check_key(table, key)
            if not key and not table.head.records:
                raise GenerateError("no record has landed that tells its key")
        except (ColumnsError, GenerateError) as problem:
            problems[table.name] = str(problem)
            continue
        comment, column_comments = table.comments()
        found.append(
            Plan(
                source=table.source,
                name=table.name,
                connector=connector,
                topic=table.topic,
                key=key,
                records=table.records(),
                rows=table.rows(),
                long_numbers=long_numbers(decoded),
                comment=comment,
                column_comments=column_comments,
                declared={**table.declared, "columns": columns} if columns else table.declared,
                ignored=table.ignored,
                has_day=has_day(names),
                columns=names,
                is_beaten=is_named_so(table.name) and is_beaten(table.raw),
            )
        )
    return found, problems


def check_key(table: SourceTable, key: Sequence[str]) -> None:
    """A table whose records have keys that nobody can read is none without a key.

    Raises:
        GenerateError: and the database was not asked for it.
    """
    if not key and table.unread_key is not None and not table.described:
        raise GenerateError(
            f"the keys of its records are no JSON, such as {table.unread_key!r}. Let the database "
            "say its key (--database-env), or set key.converter="
            "org.apache.kafka.connect.json.JsonConverter at the connector"
        )


def check_partitions(table: SourceTable) -> None:
    """Changes of a partitioned table come under its own name, or it is a snapshot for ever.

    Raises:
        GenerateError: they come under its partitions' names.
    """
    leaves = table.described.partitions if table.described else []
    if leaves:
        raise GenerateError(
            f"it is partitioned, and its changes come under the names of its partitions "
            f"({some(leaves)}), which have mirrors of their own. To have one of all, set "
            "publish.via.partition.root=true at the connector, and let it take a snapshot"
        )


def long_numbers(columns: Sequence[Mapping[str, Any]]) -> list[str]:
    """The decimals that are texts in the lake, since they have too many digits or any scale."""
    return [
        column["name"]
        for column in columns
        if column["type"]["lake"] == "string"
        and (
            re.match("decimal|numeric", column["data_type"] or "")
            or column["type"]["family"] in ("text_of_bytes", "text_of_variable_scale")
        )
    ]


def is_chosen(name: str, chosen: Collection[str], left_out: Collection[str]) -> bool:
    def matches(patterns: Collection[str]) -> bool:
        return any(fnmatchcase(name, pattern) for pattern in patterns)

    return (matches(chosen) or not chosen) and not matches(left_out)


def check_names(table: str, names: Sequence[str], key: Sequence[str]) -> None:
    """Names that come from data can be quoted in SQL and YAML; these cannot.

    Raises:
        GenerateError: a name of a table, a column or a key that cannot be written.
    """
    if not re.fullmatch(r"[a-z0-9_]+", table):
        raise GenerateError(f"the name {table!r} is not a model's")
    for name in names:
        if any(sign in name for sign in JINJA):
            raise GenerateError(f"the column {name!r} has a name that dbt would render")
    for name in key:
        if re.search(r"[\\\x00-\x1f]|'.*\"|\".*'", name):
            raise GenerateError(f"the key column {name!r} has a name that no configuration can")
    missing = [name for name in key if name not in names]
    if missing:
        raise GenerateError(f"its key has {', '.join(missing)}, which are not among its columns")
