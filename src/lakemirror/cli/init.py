"""A project of one's own: a few short files, on the installed package."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from pathlib import Path
from string import Template

from lakemirror.cli.errors import CallError, CommandError
from lakemirror.cli.yaml_lists import quoted

NAME = re.compile(r"[a-z][a-z0-9_]*")
TAKEN = ("dbt", "dbt_spark", "lakemirror")  # names of packages that every project has
BROKER = re.compile(r"[^\s,]+:[0-9]{1,5}")
ENDINGS = "file *.jsonl or *.jsonl.gz"
EMBEDDED, CATALOGS = "embedded", ("embedded", "jdbc", "rest")
# of a profile, beside the target of an embedded lake; what is empty is left out
CLUSTER = """
    # The catalog that others share. Spark runs here, or on the cluster that its master names.
    cluster:
      type: lakemirror
      method: session
      schema: marts
      # environments of one catalog have each their own: dev_raw, dev_mirror, ...
      schema_prefix: "{{ env_var('LAKEMIRROR_SCHEMA_PREFIX', '') }}"
      threads: 4
      catalog:
        type: "{{ env_var('LAKEMIRROR_CATALOG_TYPE', '$catalog') }}"
        uri: "{{ env_var('LAKEMIRROR_CATALOG_URI') }}"
        warehouse: "{{ env_var('LAKEMIRROR_WAREHOUSE') }}"
        jdbc.user: "{{ env_var('LAKEMIRROR_CATALOG_USER', '') }}"
        jdbc.password: "{{ env_var('LAKEMIRROR_CATALOG_PASSWORD', '') }}"
        credential: "{{ env_var('LAKEMIRROR_CATALOG_CREDENTIAL', '') }}"
      server_side_parameters:
        spark.master: "{{ env_var('LAKEMIRROR_SPARK_MASTER', 'local[*]') }}"
"""
# how files are called in the package whose names begin with a dot in a project
DOTTED = {"gitignore": ".gitignore", "sqlfluff": ".sqlfluff"}


class InitError(CommandError):
    """Nothing was written; says why."""


@dataclass(frozen=True)
class Asked:
    """What a project is asked for.

    Attributes:
        name: the project's, and its folder's.
        lake: the folder of its lake, as the project sees it.
        recordings: a file or folder of recorded records, or its URL; empty where Kafka is landed
            from.
        brokers: Kafka's, each ``HOST:PORT``.
        topics: a regular expression that the whole names of topics match.
        catalog: one of CATALOGS: which one its target ``cluster`` has, which is then the default.
    """

    name: str
    lake: str = "./lake"
    recordings: str = ""
    brokers: str = ""
    topics: str = ""
    catalog: str = EMBEDDED


def run(folder: Path, asked: Asked, ask: Callable[[str], str] | None = None) -> list[str]:
    """Make a project in a new folder.

    Args:
        folder: where its folder is made.
        ask: puts a question to a person; None where nobody answers.

    Returns:
        What to say, line by line.

    Raises:
        CallError: it is no name, or what is landed is not said, or cannot be.
        InitError: a file of it is there, or cannot be written.
    """
    check_name(asked.name)
    asked = answered(asked, ask) if ask else asked
    check_origin(asked)
    path = path_of(asked.recordings)
    recordings = path.resolve() if path else None
    landed = str(recordings or asked.recordings)
    made = project_files(
        *(asked.name, asked.lake, landed, asked.brokers, asked.topics, asked.catalog)
    )
    make_project(folder / asked.name, made)
    lines = [f"wrote {asked.name}/{path}" for path in made]
    if recordings and not any(map(is_recording, recordings.rglob("*"))) and recordings.is_dir():
        lines.append(f"no {ENDINGS} is in {recordings} yet")
    lines += left_out(asked.topics)
    return [*lines, f"next: cd {asked.name} && dbt run --select landing"]


def left_out(topics: str) -> list[str]:
    """A line for each connector whose tables' topics a regular expression matches, and not the
    topic of their schema changes.

    >>> left_out("shop[.].*")[0][:43], left_out("shop([.].*)?")
    ('--topics does not match the topic shop, whi', [])
    """
    prefixes = re.findall(r"(?:^|[|(])([A-Za-z0-9_-]+)(?:\\[.]|\[[.]\]|[.])", topics)
    found = [
        prefix
        for prefix in dict.fromkeys(prefixes)
        if re.fullmatch(topics, f"{prefix}.{prefix}.table") and not re.fullmatch(topics, prefix)
    ]
    return [
        f"--topics does not match the topic {prefix}, which has the schema changes of MariaDB and "
        f"MySQL: {prefix}([.].*)? matches it, and the topics of the tables"
        for prefix in found
    ]


def answered(asked: Asked, ask: Callable[[str], str]) -> Asked:
    """What is asked for, with a person's answers to what was left out."""
    recordings, brokers, topics = asked.recordings, asked.brokers, asked.topics
    if not (recordings or brokers):
        recordings = ask("A file or folder of recorded records (none, for Kafka): ").strip()
    if not (recordings or brokers):
        brokers = ask("Kafka's brokers, HOST:PORT: ").strip()
    if brokers and not topics:
        topics = ask("A regular expression of the topics: ").strip()
    return replace(asked, recordings=recordings, brokers=brokers, topics=topics)


def check_origin(asked: Asked) -> None:
    """Records come from recordings, or from topics of brokers.

    Raises:
        CallError: what is said of either is missing, or cannot be.
    """
    if bool(asked.recordings) == bool(asked.brokers) or bool(asked.brokers) != bool(asked.topics):
        raise CallError(
            "init: give --recordings PATH, or --brokers HOST:PORT --topics REGEX, and not both"
        )
    path = path_of(asked.recordings)
    if path:
        check_recordings(path)
    for broker in asked.brokers.split(",") if asked.brokers else ():
        if not BROKER.fullmatch(broker.strip()):
            raise CallError(f"init: the broker {broker!r} is not HOST:PORT. Nothing was written")
    try:
        re.compile(asked.topics)
    except re.error as problem:
        raise CallError(
            f"init: {asked.topics!r} is no regular expression ({problem}). Nothing was written"
        ) from None


def path_of(recordings: str) -> Path | None:
    """Where recordings are on this machine; None where there are none, or where they have a URL,
    which Spark reads by one of Hadoop's file systems: only a run looks for them.

    >>> path_of("s3a://bucket/shop"), path_of(""), str(path_of("re:cordings/shop.jsonl"))
    (None, None, 're:cordings/shop.jsonl')
    """
    is_elsewhere = not recordings or re.match(r"[a-z][a-z0-9+.-]*://", recordings)
    return None if is_elsewhere else Path(recordings).expanduser()


def check_recordings(path: Path) -> None:
    """Recordings are a folder, or a file that landing takes.

    Raises:
        CallError: they are not there, or another file.
    """
    if not path.exists():
        raise CallError(f"init: there is no {path}. Nothing was written")
    if path.is_file() and not is_recording(path):
        raise CallError(f"init: {path} is no {ENDINGS}. Nothing was written")


def is_recording(path: Path) -> bool:
    return path.name.endswith((".jsonl", ".jsonl.gz"))


def project_files(
    name: str,
    lake: str,
    recordings: str = "",
    brokers: str = "",
    topics: str = "",
    catalog: str = EMBEDDED,
) -> dict[str, str]:
    """The text of each file of a new project by its path.

    Args:
        lake: the folder of its lake, as the project sees it.
        recordings: a file or folder of recorded records.
        brokers: Kafka's, each ``host:port``; files are landed where there is none.
        topics: a regular expression that the whole names of topics match.
        catalog: see Asked.
    """
    is_shared = catalog != EMBEDDED
    targets = {
        "target": "cluster" if is_shared else "local",
        "cluster": Template(CLUSTER).substitute(catalog=catalog) if is_shared else "",
    }
    given = {"lake": lake, "recordings": recordings, "brokers": brokers, "topics": topics}
    values = {"name": name, **targets, **{key: quoted(text) for key, text in given.items()}}
    with as_file(files("lakemirror.cli") / "project") as folder:
        found = {
            path.relative_to(folder).as_posix(): Template(path.read_text(encoding="utf-8"))
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix != ".pyc"
        }
    return {DOTTED.get(path, path): text.substitute(values) for path, text in found.items()}


def make_project(folder: Path, made: Mapping[str, str]) -> None:
    """Write a project's files into a folder that has none of them.

    Raises:
        InitError: one of them is there, or they cannot be written.
    """
    there = [path for path in made if (folder / path).exists()]
    if there:
        more = f" and {len(there) - 1} more files" if len(there) > 1 else ""
        raise InitError(f"{folder} has {there[0]}{more} already. Nothing was written")
    try:
        for path, text in made.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("x", encoding="utf-8") as written:  # never over a file
                written.write(text)
    except OSError as problem:
        raise InitError(f"{folder} cannot be written: {problem.strerror}") from problem


def check_name(name: str) -> None:
    """A project's name is a name in dbt.

    Raises:
        CallError: it is none.
    """
    if not NAME.fullmatch(name):
        raise CallError(
            f"{name!r} is no name of a dbt project: a lower-case letter, and then such letters, "
            "digits and underscores. Nothing was written"
        )
    if name in TAKEN:
        raise CallError(f"{name} is the name of a package that every project has; choose another")
