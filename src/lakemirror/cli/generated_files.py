"""The files of a source's models: what is written, and what stays as somebody has edited it."""

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from lakemirror.cli import templates
from lakemirror.cli.declared import declared_connector
from lakemirror.cli.errors import CommandError, GenerateError
from lakemirror.cli.lakes import one_line, parse_yaml
from lakemirror.cli.source_tables import meta_of
from lakemirror.cli.templates import Plan
from lakemirror.cli.yaml_lists import CannotAddError, added, at, entries
from lakemirror.cli.yaml_lists import Path as YamlPath

MARK = "# lakemirror generate "
LISTS: dict[str, YamlPath] = {"models": ("models",), "sources": ("sources", 0, "tables")}


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
    return [declared_connector(source) for source in parsed(text).get("sources") or []]


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
