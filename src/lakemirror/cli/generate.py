"""The models of a source, written from what raw and raw.schema_history of a lake hold."""

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from lakemirror.cli import templates
from lakemirror.cli.errors import RIGHT, WRONG, CallError, CommandError, hint, some
from lakemirror.cli.evidence import (
    ConnectorError,
    EvidenceError,
    Say,
    look,
    refuse_rows,
    tombstones_of,
)
from lakemirror.cli.evidence import connector_of as connector_of_events
from lakemirror.cli.heartbeats import is_beaten, is_named_so
from lakemirror.cli.lakes import mapping, one_line, open_lake, parse_yaml, read_yaml
from lakemirror.cli.source_names import check_name
from lakemirror.cli.source_tables import SourceTable, meta_of, sources_of, tables_of
from lakemirror.cli.templates import Plan
from lakemirror.cli.terminal import sentence
from lakemirror.cli.yaml_lists import CannotAddError, added, at, entries
from lakemirror.cli.yaml_lists import Path as YamlPath
from lakemirror.source.columns import ColumnsError, Declared, source_columns
from lakemirror.source.database import DatabaseError, read_tables
from lakemirror.source.inference import Column, Evidence, Inference
from lakemirror.source.lake_types import LakeTypes, lake_types_of
from lakemirror.source.types import SETTINGS, TypeMappingError, as_spelled, settings_of
from lakemirror.source.wire import can_decode
from lakemirror.state.days import has_day

MARK = "# lakemirror generate "
JINJA = ("{{", "{%", "{#")
LISTS: dict[str, YamlPath] = {"models": ("models",), "sources": ("sources", 0, "tables")}


class GenerateError(CommandError):
    """Nothing was written; says why."""


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


@dataclass
class Report:
    """What to write, by path; what stays as it was edited; what cannot stay; what somebody has
    deleted, and is left out.

    Nothing may be written where anything is refused.
    """

    files: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)


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
        of_yaml = connector_of(declared)
        tables = tables_of(catalog, source, declared)
        known = sources_of(catalog)
        chosen = chosen_tables(source, tables, asked.include, asked.exclude, known)
        heads = {table.name: table.head for table in tables.values()}
        refuse_rows(source, {table.name: table.head for table in chosen})
        stated = asked.connector or of_yaml.get("connector")
        connector = connector_of_events(source, heads, stated)
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
            place = "raw.schema_history"
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
            f"{table} has the key ({names}) in raw.schema_history, and its records have "
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


def report(
    folder: Path,
    source: str,
    connector: str,
    settings: Mapping[str, str],
    found: Sequence[Plan],
    force: bool,
    database_env: str | None = None,
    is_masked: bool = False,
) -> Report:
    """Which files are to be written so that the project has the planned tables.

    What is there stays as it is, and gets what it lacks; where that cannot be, all is refused,
    since the project would not be whole.
    """
    made = Report()
    if not found:
        return made
    heard_by, is_heartbeat = heard_by_of(folder, source, found)
    planned = source, connector, settings, found, heard_by, is_heartbeat
    if not force:
        made.deleted += deleted(folder, found, templates.files(*planned))
    wanted = templates.files(*planned, made.deleted, database_env, is_masked)
    for path, text in wanted.items():
        file = folder / path
        there = read(file) if file.exists() else None
        if there is None or force:
            text = marked(text) if path.endswith(".yml") else text
            made.files |= {path: text} if text != there else {}
        elif there in as_generated(path, found):
            made.files |= {path: text} if text != there else {}
        elif not path.endswith(".yml"):
            made.kept += [] if without_buckets(there) == without_buckets(text) else [path]
        elif there == marked(text):
            continue
        elif (new := completed(there, text)) is None:
            made.refused.append(path)
            made.files[path] = marked(text)
        elif new != there:
            made.files[path] = new
    return made


def as_generated(path: str, found: Sequence[Plan]) -> list[str]:
    """The texts of a staging model that nobody has edited: its table is heard now, or no more."""
    tables = [table for table in found if templates.model_path("staging", table) == path]
    return [templates.staging(table, is_heard) for table in tables for is_heard in (False, True)]


def deleted(folder: Path, tables: Sequence[Plan], wanted: Collection[str]) -> Iterator[str]:
    """The paths of models that a former run has written, and that are gone: whoever has deleted a
    model does not want it.

    A table that had no key, or has none any more, has never had the models of the other kind.
    """

    def is_there(layer: str, table: Plan) -> bool:
        return (folder / templates.model_path(layer, table)).exists()

    for table in tables:
        was_other = is_there("log" if table.key else "mirror", table)
        if is_there("staging", table) and not was_other:
            for layer in ("mirror", "log", "daily"):
                path = templates.model_path(layer, table)
                if path in wanted and not is_there(layer, table):
                    yield path


def without_buckets(text: str) -> str:
    """A model without its buckets, which stay as they are: an operation rebuckets its table."""
    return re.sub(r"\n *buckets=\d+,", "", text)


def completed(there: str, wanted: str) -> str | None:
    """A file of YAML with what it lacks; None where that cannot be added.

    What nobody has edited says what is wanted of its source, and keeps the tables that are not.
    """
    path = LISTS["sources" if parsed(wanted).get("sources") else "models"]
    try:
        known, new = entries(there, path), entries(wanted, path)
        is_own = is_unedited(there)
        if is_own and path == LISTS["sources"]:
            lost = [block for name, block in known.items() if name not in new]
            return marked(added(wanted, path, lost) if lost else wanted)
        if debezium(there) != debezium(wanted) or lacks_columns(there, wanted):
            return None
        missing = [block for name, block in new.items() if name not in known]
        if not missing:
            return there
        text = added(there, path, missing)
    except CannotAddError:
        return None
    return marked(text.partition("\n")[2]) if is_own else text


def lacks_columns(there: str, wanted: str) -> bool:
    """Whether a table of a source is to declare a column, or a default, that it does not."""
    known = columns_by_table(there)
    return any(
        table in known and not columns <= known[table]
        for table, columns in columns_by_table(wanted).items()
    )


def columns_by_table(text: str) -> dict[str, set[tuple[str, bool]]]:
    """By table, its columns, and of each whether it has a default."""

    def columns_of(table: Mapping[str, Any]) -> set[tuple[str, bool]]:
        columns = table.get("columns") or []
        return {(c["name"], meta_of(c).get("default") is not None) for c in columns}

    return {t["name"]: columns_of(t) for t in at(parsed(text), LISTS["sources"]) or []}


def marked(text: str) -> str:
    """YAML with a first line by which an edit is seen."""
    return f"{MARK}{digest(text)}: edit it, and it stays as it is\n{text}"


def is_unedited(text: str) -> bool:
    first, _, rest = text.partition("\n")
    return first.startswith(f"{MARK}{digest(rest)}:")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def debezium(text: str) -> list[Any]:
    """What a YAML file says about the connectors of its sources."""
    return [connector_of(source) for source in parsed(text).get("sources") or []]


def connector_of(source: Mapping[str, Any]) -> dict[str, str]:
    """A source's connector and its settings, as far as its YAML says them.

    Raises:
        TypeMappingError: it does not say them by their names.
    """
    found = meta_of(source).get("debezium") or {}
    return as_spelled(found) if isinstance(found, Mapping) else settings_of(found)[1]


def declared_source(folder: Path, source: str) -> dict[str, Any]:
    """A source as its YAML declares it; empty where there is no such file.

    Raises:
        CommandError: the file cannot be read, or has a table or a column without a name.
    """
    file = folder / templates.sources_path(source)
    if not file.exists():
        return {}
    sources = read_yaml(file).get("sources") or []
    there = (mapping(found) for found in sources)
    found = next((found for found in there if found.get("name") == source), {})
    for table in named(found.get("tables"), f"{file}: a table of the source {source}"):
        for _ in named(table.get("columns"), f"{file}: a column of {table['name']}"):
            pass
    return found


def named(nodes: Any, what: str) -> Iterator[Mapping[str, Any]]:
    """The entries of a list of YAML, each of which has a name.

    Raises:
        CommandError: one has none.
    """
    for node in nodes or ():
        if not isinstance(mapping(node).get("name"), str):
            raise CommandError(f"{what} has no name: {node!r} is to be a mapping with `name`")
        yield node


@lru_cache(maxsize=8)
def parsed(text: str) -> dict[str, Any]:
    """What a YAML file says; nobody changes it.

    Raises:
        GenerateError: it is none.
    """
    try:
        return parse_yaml(text, "a YAML file of the source")
    except CommandError as problem:
        raise GenerateError(str(problem)) from problem


def heard_by_of(folder: Path, source: str, found: Sequence[Plan]) -> tuple[Plan, bool]:
    """What a source's watermark reads, if there is one, and else what it is to read."""
    file = folder / templates.watermark_path(source)
    text = read(file) if file.exists() else ""
    names = re.findall(rf"ref\('stg_{source}__(\w+)'\)", text)
    known = [table for table in found if table.name in names]
    if known:
        return known[0], is_proven(file)
    return heartbeat_of(found)


def is_proven(watermark: Path) -> bool:
    """Whether a watermark is there, and not by the newest event alone."""
    return watermark.exists() and templates.NEWEST_EVENT not in read(watermark)


def heartbeat_of(found: Sequence[Plan]) -> tuple[Plan, bool]:
    """The table whose events say how far a source is complete: one of heartbeats, and without such
    a one that with the most records; and whether it is one of heartbeats.

    >>> from lakemirror.cli.templates import Plan
    >>> tables = [Plan("s", n, "mariadb", "", ["id"], r) for n, r in (("a", 1), ("b", 2))]
    >>> heartbeat_of(tables)[0].name, heartbeat_of(tables)[1]
    ('b', False)
    """
    beating = [table for table in found if table.is_beaten]
    named = sorted(beating, key=lambda table: len(table.name))  # before those of an application
    chosen = named or sorted(found, key=lambda table: -table.records)
    return chosen[0], bool(beating)


def read(file: Path) -> str:
    """The text of a file.

    Raises:
        GenerateError: it cannot be read.
    """
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise GenerateError(f"{file} cannot be read: {one_line(problem)}") from None


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write each file.

    Raises:
        GenerateError: one cannot be written; those before it are.
    """
    for count, (path, text) in enumerate(files.items()):
        file = folder / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        except OSError as problem:
            raise GenerateError(
                f"{path} cannot be written: {one_line(problem)}. {count} of {len(files)} files "
                "are; run it again when that is mended"
            ) from None


def diff(folder: Path, files: Mapping[str, str]) -> Iterable[str]:
    """What writing would change, as the lines of a unified diff."""
    for path, text in files.items():
        file = folder / path
        there = read(file) if file.exists() else ""
        before = f"a/{path}" if file.exists() else "/dev/null"
        sides = there.splitlines(), text.splitlines()
        yield from difflib.unified_diff(*sides, before, f"b/{path}", lineterm="")
