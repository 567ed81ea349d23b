"""What a project says of a source: the YAML that generate writes, and somebody may edit."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from lakemirror.cli import templates
from lakemirror.cli.errors import CommandError
from lakemirror.cli.lakes import mapping, read_yaml
from lakemirror.cli.source_tables import meta_of
from lakemirror.source.types import as_spelled, settings_of


def declared_connector(source: Mapping[str, Any]) -> dict[str, str]:
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
