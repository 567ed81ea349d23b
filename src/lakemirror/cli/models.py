"""The models of a project, as its files and dbt's manifest name them: no lake is asked."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lakemirror.cli.errors import CommandError
from lakemirror.cli.lakes import Target, rendered, target_of
from lakemirror.layers import KEY, PLAIN, Layers

KINDS = ("mirror", "log", "daily")  # materializations, and the schemas that they are in by default
WATERMARK = "watermark_"


@dataclass(frozen=True)
class KnownModel:
    """A model that reads a source's changes.

    Attributes:
        name: as ``mirror_shop__orders``.
        kind: of KINDS.
        table: its table in the lake, as ``mirror.shop__orders``.
        raw: the table that its records are in, as ``raw.shop__orders``.
        key: the columns of its unique key; empty where they are not known.
        keep_days: how many days a daily table keeps; None for all.
    """

    name: str
    kind: str
    table: str
    raw: str
    key: tuple[str, ...] = ()
    keep_days: int | None = None

    @property
    def source(self) -> str:
        return source_of(self.table)


@dataclass(frozen=True)
class Project:
    """What a project has: nothing, where there is none.

    Attributes:
        models: by name.
        watermarks: the sources that have a watermark's model.
    """

    models: Mapping[str, KnownModel]
    watermarks: frozenset[str] = frozenset()

    @property
    def sources(self) -> set[str]:
        return {model.source for model in self.models.values()} | self.watermarks


def read_project(folder: Path, environment: Mapping[str, str]) -> Project:
    """The project in a folder, as its files and dbt's manifest have it."""
    names = [file.stem for file in model_files(folder)]
    heard = (name.removeprefix(WATERMARK) for name in names if name.startswith(WATERMARK))
    return Project(project_models(folder, environment), frozenset(heard))


def source_of(table: str) -> str:
    """The source of a table ``<layer>.<source>__<table>``.

    >>> source_of("mirror.shop__orders")
    'shop'
    """
    return table.rpartition(".")[2].partition("__")[0]


def by_name(name: str, layers: Layers = PLAIN) -> KnownModel | None:
    """What a model's name says of it, as the layers name them.

    >>> by_name("mirror_shop__orders").table
    'mirror.shop__orders'
    """
    kind, _, alias = name.partition("_")
    if kind not in KINDS:
        return None
    return KnownModel(name, kind, f"{layers.schema(kind)}.{alias}", f"{layers.raw}.{alias}")


def project_models(folder: Path, environment: Mapping[str, str]) -> dict[str, KnownModel]:
    """The models of a dbt project by their names; none where there is no project.

    The manifest of its newest run of dbt says where their tables are, and where they would be for
    another target than it was of; a model that has no entry there is where its name says.
    """
    target = target_of(folder, environment)
    files = {path.relative_to(folder).as_posix(): path.stem for path in model_files(folder)}
    found = {name: model for name in files.values() if (model := by_name(name, target.layers))}
    written = folder / environment.get("DBT_TARGET_PATH", "target")
    manifest = read_manifest(written / "manifest.json")
    for node in manifest.get("nodes", {}).values():
        kind = node.get("config", {}).get("materialized")
        if kind in KINDS and node.get("original_file_path") in files:
            found[node["name"]] = described(node, manifest, target)
    return found


def model_files(folder: Path) -> Iterator[Path]:
    yield from sorted((folder / "models").rglob("*.sql"))


def read_manifest(file: Path) -> dict[str, Any]:
    """What dbt knew when it ran; nothing where there is no such file, or it is being written."""
    try:
        return json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def described(node: Mapping[str, Any], manifest: Mapping[str, Any], target: Target) -> KnownModel:
    """A model as dbt's manifest has it, with its tables for a target."""
    config = node["config"]
    key = config.get("unique_key") or []
    alias = node["alias"]
    return KnownModel(
        name=node["name"],
        kind=config["materialized"],
        table=f"{schema_of(node, target)}.{alias}",
        raw=raw_of(node, manifest, target) or f"{target.layers.raw}.{alias}",
        key=(key,) if isinstance(key, str) else tuple(key),
        keep_days=config.get("keep_days"),
    )


def schema_of(node: Mapping[str, Any], target: Target) -> str:
    """The schema of a model for a target; the manifest may be of another one. One that a project
    names by a rule of its own is as it is."""
    there, custom = node["schema"], node["config"].get("schema")
    if custom and any(there == other.layers.schema(custom) for other in target.others):
        return target.layers.schema(custom)
    if not custom and target.schema and any(there == other.schema for other in target.others):
        return target.schema
    return str(there)


def schema_of_source(source: Mapping[str, Any], target: Target) -> str:
    """The schema of a source for a target: as its YAML says it, where that names the target."""
    said = source.get("unrendered_schema") or ""
    own = {"name": target.name, "schema": target.schema, KEY: target.layers.prefix}
    try:
        return rendered(said, {}, target=own) if "target" in said else str(source["schema"])
    except CommandError:
        return str(source["schema"])


def raw_of(node: Mapping[str, Any], manifest: Mapping[str, Any], target: Target) -> str | None:
    """The table of the first source that a model reads, itself or by what it refers to."""
    above = node.get("depends_on", {}).get("nodes", [])
    for name in above:
        source = manifest.get("sources", {}).get(name)
        if source:
            return f"{schema_of_source(source, target)}.{source['identifier']}"
    for name in above:
        found = raw_of(manifest["nodes"].get(name, {}), manifest, target)
        if found:
            return found
    return None
