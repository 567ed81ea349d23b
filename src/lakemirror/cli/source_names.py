"""What is said of a name that no source has, and how the topics of its database get another."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from lakemirror.cli.errors import CallError, hint
from lakemirror.cli.lakes import has_lake, lake_properties, mapping, open_lake, read_yaml
from lakemirror.landing.topics import TOPIC_PROPERTY, harmless, source_and_table
from lakemirror.layers import layers_of_catalog
from lakemirror.state.commits import tables_in

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
RULE = (
    ": it has lower-case letters and digits, a letter first, and single underscores between. The "
    "var topic_sources in dbt_project.yml names the source of topics"
)


def check_name(folder: Path, environment: Mapping[str, str], source: str) -> None:
    """A source's name is one that models and raw tables can have.

    Args:
        folder: the dbt project.
        environment: where its lake is named, if it is another.

    Raises:
        CallError: it is none, with what mends it.
    """
    if NAME.fullmatch(source):
        return
    own = harmless(source)
    is_there = has_lake(lake_properties(folder, environment))
    catalog = open_lake(folder, environment) if is_there else None
    tables = tables_in(catalog, layers_of_catalog(catalog).raw) if catalog else []
    landed = [name for name in tables if name.startswith(f"{own}__")]
    is_name = NAME.fullmatch(own)
    others = [name for name in tables if "__" in name and (is_name or name not in landed)]
    known = {name.partition("__")[0] for name in others}
    entries: dict[str, str] = {}
    if not is_name:
        topics = topics_of(catalog, landed)
        entries = renaming(topics, source, known, topic_sources(folder))
    said = remedy(entries) or hint(own, filter(NAME.fullmatch, sorted(known))) or RULE
    end = "" if said.endswith("?") else "."
    raise CallError(f"{source!r} is not the name of a source{said}{end} Nothing was written")


def topics_of(catalog: Any, tables: Collection[str]) -> list[str]:
    """The topics of raw tables, as far as they are known."""
    raw = layers_of_catalog(catalog).raw if tables else ""
    found = [catalog.load_table((raw, name)).properties.get(TOPIC_PROPERTY) for name in tables]
    return [topic for topic in found if topic]


def remedy(entries: Mapping[str, str]) -> str:
    """How topics come to another source; empty without an entry for them."""
    named = ", ".join(f"{beginning}: {name}" for beginning, name in entries.items())
    return named and (
        f"{RULE}: {{{named}}} does for those that have landed, which come again with dbt run "
        "--select landing --full-refresh"
    )


def topic_sources(folder: Path) -> Mapping[str, str]:
    """The var topic_sources of a dbt project."""
    file = folder / "dbt_project.yml"
    if not file.exists():
        raise CallError("run it in the project, where dbt_project.yml is")
    project = read_yaml(file)
    given = mapping(project.get("vars"))
    own = mapping(given.get(str(project.get("name"))))
    return mapping(own.get("topic_sources") or given.get("topic_sources"))


def renaming(
    topics: Collection[str], source: str, taken: Collection[str], topic_sources: Mapping[str, str]
) -> dict[str, str]:
    """Entries of topic_sources that move topics to a source whose name is one.

    Args:
        taken: names of other sources.

    >>> renaming(["p.2shop.orders", "p.2shop.lines"], "2shop", ["shop"], {})
    {'p.2shop': 's2shop'}
    """
    name = corrected(source)
    while name in taken:
        name += "_2"
    entries: dict[str, str] = {}
    for topic in sorted(topics):
        for beginning in (topic.rpartition(".")[0], topic):
            if source_and_table(topic, {**topic_sources, **entries})[0] == name:
                break
            entries = {**entries, beginning: name} if beginning else entries
    return entries


def corrected(source: str) -> str:
    """The nearest name of a source.

    >>> corrected("2shop"), corrected("shop_"), corrected("My--Shop")
    ('s2shop', 'shop', 'my_shop')
    """
    name = re.sub(r"_+", "_", harmless(source)).strip("_")
    return name if NAME.fullmatch(name) else f"s{name}"
