"""The lake that a command reads: the one that dbt builds in the folder where it is called."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from traceback import walk_tb
from typing import Any

import yaml  # type: ignore[import-untyped]
from jinja2 import Environment, StrictUndefined, TemplateError

from lakemirror.cli import yaml_lists
from lakemirror.cli.errors import CallError, CommandError
from lakemirror.lake import CatalogError, catalog_file, catalog_of, embedded, load
from lakemirror.layers import KEY, PLAIN, PROPERTY, Layers, PrefixError, layers_with

LONG = 200  # characters of a library's message
# modules of PyIceberg that read files, and what they hold
READERS = ("pyiceberg.avro", "pyiceberg.io", "pyiceberg.serializers", "pyiceberg.table.metadata")


def open_lake(folder: Path, environment: Mapping[str, str]) -> Any:
    """The catalog of a project's lake (pyiceberg).

    Raises:
        CallError: there is no lake.
        CommandError: its catalog cannot be opened.
    """
    properties = lake_properties(folder, environment)
    file = catalog_file(properties)
    if file and not file.is_file():
        raise CallError(
            f"There is no lake in {file.parent}. Run it in the project's folder, once `dbt run "
            "--select landing` has made the lake, or name its folder in LAKEMIRROR_LAKE"
        )
    try:
        catalog: Any = load(properties)
    except CatalogError as error:
        raise CommandError(str(error)) from None
    catalog.load_table = partial(load_table, catalog.load_table)
    return catalog


def load_table(load: Callable[[Any], Any], name: str | tuple[str, ...]) -> Any:
    """A table.

    Raises:
        NoSuchTableError: it is not there.
        CommandError: its metadata cannot be read.
    """
    from pyiceberg.exceptions import NoSuchTableError

    dotted = name if isinstance(name, str) else ".".join(name)
    with readable(f"The table {dotted}", NoSuchTableError):
        return load(name)


def has_lake(properties: Mapping[str, str]) -> bool:
    """Whether a lake is there; of one that is not embedded, its catalog knows."""
    file = catalog_file(properties)
    return file is None or file.is_file()


def lake_properties(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """Iceberg's properties of a project's catalog: that of its profile's target, or of the embedded
    lake in LAKEMIRROR_LAKE, which goes over a target's own.

    As for dbt, profiles.yml is in DBT_PROFILES_DIR, or in the project, and DBT_TARGET goes first.
    With them goes the target's schema_prefix: see lakemirror.layers.

    Raises:
        CommandError: profiles.yml cannot be read, or the target has no lake, or a prefix that is
            none.
    """
    prefix = target_of(folder, environment).layers.prefix
    return catalog_properties(folder, environment) | ({PROPERTY: prefix} if prefix else {})


def catalog_properties(folder: Path, environment: Mapping[str, str]) -> dict[str, str]:
    """See lake_properties: those that all environments of the catalog have in common."""
    given = environment.get("LAKEMIRROR_LAKE")
    profiles = profiles_file(folder, environment)
    if not profiles.exists():
        return embedded(Path(given or "./lake"))
    name, target, outputs = outputs_of(folder, environment)
    output = mapping(outputs.get(target))
    catalog, lake = mapping(output.get("catalog")), output.get("lake")
    if catalog:
        try:
            named = {key: rendered(value, environment) for key, value in catalog.items()}
            return catalog_of(named, environment)
        except CatalogError as error:
            raise CommandError(f"the target {target} in {profiles}: {error}") from None
    if given:
        return embedded(Path(given))
    if not isinstance(lake, str):
        raise CommandError(
            f"the target {target} of the profile {name} in {profiles} has no lake and no catalog. "
            "LAKEMIRROR_LAKE names the folder of an embedded one"
        )
    return embedded(Path(rendered(lake, environment)))


@dataclass(frozen=True)
class Target:
    """What the profile's target says of the names of schemas.

    Attributes:
        name: the target's; empty where there is no profile.
        layers: the schemas that its prefix gives.
        schema: that of models without a ``+schema``; empty where it is not known.
        others: the profile's other targets, which dbt's manifest may be of.
    """

    name: str = ""
    layers: Layers = PLAIN
    schema: str = ""
    others: tuple["Target", ...] = ()


def target_of(folder: Path, environment: Mapping[str, str]) -> Target:
    """The target of a project's profile; that of no profile has plain names.

    Raises:
        CommandError: profiles.yml cannot be read, or the prefix is none.
    """
    if not profiles_file(folder, environment).exists():
        return Target()
    _, name, outputs = outputs_of(folder, environment)
    others = []
    for other in outputs.keys() - {name}:
        with suppress(CommandError):  # it needs what this environment has not
            others.append(named_target(other, mapping(outputs[other]), environment))
    own = named_target(name, mapping(outputs.get(name)), environment)
    return replace(own, others=tuple(others))


def named_target(name: str, output: Mapping[str, Any], environment: Mapping[str, str]) -> Target:
    """A target, without the others."""
    prefix, schema = rendered(output.get(KEY) or "", environment), ""
    with suppress(CommandError):  # only dbt needs it
        schema = rendered(output.get("schema") or "", environment)
    try:
        return Target(name, layers_with(prefix), schema)
    except PrefixError as error:
        raise CommandError(f"the target {name}: {error}") from None


def profiles_file(folder: Path, environment: Mapping[str, str]) -> Path:
    """Where the profile is, if it is there."""
    return folder / environment.get("DBT_PROFILES_DIR", "") / "profiles.yml"


def outputs_of(folder: Path, environment: Mapping[str, str]) -> tuple[str, str, dict[str, Any]]:
    """The names of a project's profile and of its target, and all targets by their names."""
    profiles = profiles_file(folder, environment)
    name = profile_of(folder, profiles)
    profile = mapping(read_yaml(profiles).get(name))
    target = environment.get("DBT_TARGET")
    target = target or rendered(profile.get("target", "default"), environment)
    return name, target, mapping(profile.get("outputs"))


def profile_of(folder: Path, profiles: Path) -> str:
    """The profile that a project names; where there is no project, the first."""
    project = folder / "dbt_project.yml"
    names = [name for name in read_yaml(profiles) if name != "config"]
    named = read_yaml(project).get("profile") if project.exists() else None
    return str(named or next(iter(names), ""))


def mapping(found: object) -> dict[str, Any]:
    """What YAML has somewhere, if it is a mapping."""
    return found if isinstance(found, dict) else {}


def rendered(text: object, environment: Mapping[str, str], **more: Any) -> str:
    """A setting of a profile, in which dbt's env_var may stand.

    Args:
        more: what else may stand in it.

    Raises:
        CommandError: it cannot be rendered.

    >>> rendered("{{ env_var('LAKE', './lake') }}", {})
    './lake'
    """

    def env_var(name: str, default: str | None = None) -> str:
        found = environment.get(name, default)
        if found is None:
            raise CommandError(f"the profile needs {name} in the environment, which is not there")
        return found

    try:
        template = Environment(undefined=StrictUndefined).from_string(str(text))
        return template.render(env_var=env_var, **more)
    except TemplateError as problem:
        raise CommandError(f"{text} in the profile cannot be read: {one_line(problem)}") from None


def read_yaml(file: Path) -> dict[str, Any]:
    """What a YAML file says.

    Raises:
        CommandError: it cannot be read, or is no mapping.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise CommandError(f"{file} cannot be read: {one_line(problem)}") from None
    return parse_yaml(text, file)


def parse_yaml(text: str, where: object) -> dict[str, Any]:
    """What YAML says.

    Args:
        where: what has it, for messages.

    Raises:
        CommandError: it is none, or no mapping.
    """
    try:
        found = yaml_lists.load(text) or {}
    except yaml.YAMLError as problem:
        raise CommandError(f"{where} cannot be read: {one_line(problem)}") from None
    if not isinstance(found, dict):
        raise CommandError(f"{where} cannot be read: it is no mapping")
    return found


@contextmanager
def readable(what: str, *passed: type[Exception]) -> Iterator[None]:
    """Say in a sentence that a lake, or what lies in it, cannot be read.

    Args:
        passed: what goes on as it is.

    Raises:
        CommandError: in place of what PyIceberg and the libraries below it raise.
    """
    from pyarrow import ArrowException
    from pyiceberg.exceptions import NoSuchTableError, RESTError, ValidationError
    from requests import RequestException
    from sqlalchemy.exc import DBAPIError, SQLAlchemyError

    known = (
        *(SQLAlchemyError, ArrowException, ValidationError, NoSuchTableError),
        *(FileNotFoundError, PermissionError, IsADirectoryError),
        *(RESTError, RequestException),
    )
    try:
        yield
    except Exception as problem:
        is_unreadable = isinstance(problem, known) or is_reading(problem)
        if isinstance(problem, (CommandError, *passed)) or not is_unreadable:
            raise
        why = problem.orig if isinstance(problem, DBAPIError) else problem
        raise CommandError(f"{what} cannot be read: {one_line(why)[:LONG]}") from problem


def is_reading(problem: Exception) -> bool:
    """Whether PyIceberg stumbled over a file: a damaged one, or a store, raises anything."""
    frames = (frame for frame, _ in walk_tb(problem.__traceback__))
    return any(frame.f_globals.get("__name__", "").startswith(READERS) for frame in frames)


def one_line(problem: object) -> str:
    """What an error says, on one line and without a full stop."""
    return " ".join(str(problem).split()).rstrip(".")
