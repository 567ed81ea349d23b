"""The models of a source, written from what raw and raw.schema_history of a lake hold."""

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]

from lakemirror.cli import templates
from lakemirror.cli.templates import Plan
from lakemirror.landing.topics import SIDE_TABLES, TOPIC_PROPERTY
from lakemirror.source.columns import ColumnsError, Declared, source_columns
from lakemirror.source.schemas import HISTORY, payload
from lakemirror.source.types import settings_of
from lakemirror.source.versions import Version, in_order

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MARK = "# lakemirror generate "
LARGE = 1_000_000  # records of a raw table from which its mirror has buckets
JINJA = ("{{", "{%", "{#")


class GenerateError(Exception):
    """Nothing was written; says why."""


@dataclass
class Report:
    """What to write, by path; what stays as it was edited; what cannot stay.

    Nothing may be written where anything is refused.
    """

    files: dict[str, str] = field(default_factory=dict)
    kept: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


def plans(
    catalog: Any,
    source: str,
    connector: str,
    declared: Mapping[str, Any],
    chosen: Collection[str],
    left_out: Collection[str],
    settings: Mapping[str, str],
) -> tuple[list[Plan], dict[str, str]]:
    """The tables of a source that can be mirrored, and why the others cannot.

    Args:
        catalog: of the lake (pyiceberg).
        declared: the source as its YAML declares it now; empty where it has none.
        chosen: patterns of tables' names, such as ``order*``; a declared table is always chosen.
        left_out: patterns of those that are not.
        settings: Debezium's, over those that are declared.

    Raises:
        GenerateError: raw has nothing of the source.
        TypeMappingError: a connector or a setting that there is not.
    """
    kind, all_settings = settings_of({**settings, "connector": connector})
    known = newest_schemas(catalog, source)
    tables = {table["name"]: table for table in declared.get("tables") or []}
    there = {t.removeprefix(f"{source}__") for t in raw_tables(catalog, source)}
    if not there:
        raise GenerateError(
            f"raw has no table of the source {source}. Land its topics first (dbt run --select "
            "landing); a topic's source is its database's name, or what topic_sources says"
        )
    found, problems = [], {}
    for name in sorted(there):
        if not is_chosen(name, chosen, left_out) and name not in tables:
            continue
        raw_table = catalog.load_table(("raw", f"{source}__{name}"))
        schema = known.get(f"{source}__{name}", {})
        columns = {
            c["name"]: Declared(c.get("data_type"))
            for c in tables.get(name, {}).get("columns") or []
        }
        try:
            decoded = source_columns(columns, schema.get("columns") or [], kind, all_settings)
            names = [column["name"] for column in decoded]
            key = list(schema.get("key") or []) or record_key(raw_table)
            check_names(name, names, key)
        except (ColumnsError, GenerateError) as problem:
            problems[name] = str(problem)
            continue
        comments = {c["name"]: c["comment"] for c in schema.get("columns") or [] if c["comment"]}
        found.append(
            Plan(
                source=source,
                name=name,
                connector=connector,
                topic=raw_table.properties.get(TOPIC_PROPERTY, ""),
                key=key,
                is_large=records(raw_table) >= LARGE,
                long_numbers=long_numbers(decoded),
                comment=schema.get("comment"),
                column_comments=comments,
                declared=tables.get(name, {}),
            )
        )
    return found, problems


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


def raw_tables(catalog: Any, source: str) -> list[str]:
    """The raw tables of a source's own tables, without those of the connector's side topics."""
    sides = {f"{source}__{side}" for side in SIDE_TABLES.values()}
    names = [name for _, name in catalog.list_tables("raw")] if has_raw(catalog) else []
    return [name for name in names if name.startswith(f"{source}__") and name not in sides]


def has_raw(catalog: Any) -> bool:
    return ("raw",) in catalog.list_namespaces()


def newest_schemas(catalog: Any, source: str) -> dict[str, Version]:
    """By raw table, its newest version."""
    if not has_raw(catalog) or ("raw", HISTORY) not in catalog.list_tables("raw"):
        return {}
    versions: dict[str, list[Version]] = {}
    for row in catalog.load_table(("raw", HISTORY)).scan().to_arrow().to_pylist():
        if row["source"] == source and row["columns"]:
            versions.setdefault(row["raw_table"], []).append(row)
    return {table: in_order(rows)[-1] for table, rows in versions.items()}


def record_key(raw_table: Any) -> list[str]:
    """The names in the key of one of the table's records.

    Raises:
        GenerateError: no record has a key.
    """
    scan = raw_table.scan(row_filter="key is not null", selected_fields=("key",), limit=1)
    for row in scan.to_arrow().to_pylist():
        fields = payload(row["key"])
        if fields:
            return list(fields)
    raise GenerateError(
        "it has no key. Set message.key.columns at the connector, or keep its changes: a model "
        "materialized='log' (docs/guides/add-a-table.md)"
    )


def records(raw_table: Any) -> int:
    """How many records a raw table has, by its newest commit's summary."""
    snapshot = raw_table.current_snapshot()
    return int(snapshot.summary["total-records"] or 0) if snapshot and snapshot.summary else 0


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
) -> Report:
    """Which files are to be written so that the project has the planned tables.

    What is there and was edited stays as it is; where a file of YAML lacks something then,
    all is refused, since the project would not be whole.
    """
    made = Report()
    wanted = templates.files(source, connector, settings, found, has_watermark(folder, source))
    for path, text in wanted.items():
        is_yaml = path.endswith(".yml")
        text = marked(text) if is_yaml else text
        file = folder / path
        there = file.read_text(encoding="utf-8") if file.exists() else None
        if there == text:
            continue
        is_own = is_yaml and there is not None and is_unedited(there)
        if there is None or force or (is_own and names(there) <= names(text)):
            made.files[path] = text
        elif is_yaml and not (names(text) <= names(there) and debezium(text) == debezium(there)):
            made.refused.append(path)
            made.files[path] = text
        else:
            made.kept.append(path)
    return made


def marked(text: str) -> str:
    """YAML with a first line by which an edit is seen."""
    return f"{MARK}{digest(text)}: edit it, and it stays as it is\n{text}"


def is_unedited(text: str) -> bool:
    first, _, rest = text.partition("\n")
    return first.startswith(f"{MARK}{digest(rest)}:")


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def names(text: str) -> set[str]:
    """What a YAML file describes: models, and tables of sources."""
    content = parsed(text)
    tables = [t for source in content.get("sources") or [] for t in source.get("tables") or []]
    return {entry["name"] for entry in [*(content.get("models") or []), *tables]}


def debezium(text: str) -> list[Any]:
    """What a YAML file says about the connectors of its sources."""
    return [connector_of(source) for source in parsed(text).get("sources") or []]


def connector_of(source: Mapping[str, Any]) -> dict[str, str]:
    return meta_of(source).get("debezium") or {}


def meta_of(node: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a node of YAML has in config.meta."""
    return (node.get("config") or {}).get("meta") or {}


def declared_source(folder: Path, source: str) -> dict[str, Any]:
    """A source as its YAML declares it; empty where there is no such file."""
    file = folder / templates.sources_path(source)
    if not file.exists():
        return {}
    sources = parsed(file.read_text(encoding="utf-8")).get("sources") or []
    return next((found for found in sources if found["name"] == source), {})


def parsed(text: str) -> dict[str, Any]:
    """What a YAML file says.

    Raises:
        GenerateError: it is none.
    """
    try:
        return yaml.safe_load(text) or {}
    except yaml.YAMLError as problem:
        raise GenerateError(f"a YAML file of the source cannot be read: {problem}") from problem


def has_watermark(folder: Path, source: str) -> bool:
    """Whether ops.watermarks knows the source: without, no day of it could be published."""
    file = folder / "models/ops/watermarks.sql"
    return file.exists() and f"'{source}' as source_name" in file.read_text(encoding="utf-8")


def write(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def diff(folder: Path, files: Mapping[str, str]) -> Iterable[str]:
    """What writing would change, as a unified diff."""
    for path, text in files.items():
        file = folder / path
        there = file.read_text(encoding="utf-8") if file.exists() else ""
        old, new = (side.splitlines(keepends=True) for side in (there, text))
        before = f"a/{path}" if file.exists() else "/dev/null"
        yield from difflib.unified_diff(old, new, before, f"b/{path}")
