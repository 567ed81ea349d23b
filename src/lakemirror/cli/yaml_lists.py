"""Entries that are added to a list of a YAML file, whose other lines stay as they are."""

import json
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml  # type: ignore[import-untyped]

Path = Sequence[str | int]
UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")  # or breaks of lines
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # ten times as fast, where there is one


class CannotAddError(Exception):
    """The file has no list of entries with names to whose end a line can be added."""


def entries(text: str, path: Path) -> dict[str, str]:
    """The lines of each entry of a list, by its name.

    Args:
        path: where the list is: keys of mappings, and places in lists.

    Raises:
        CannotAddError: an entry has no name.
    """
    found: dict[str, str] = {}
    node = list_at(text, path)
    lines = text.splitlines(keepends=True)
    for item in node.value if node else ():
        first, last = item.start_mark.line, last_line(item, lines)
        block = "".join(lines[first : last + 1])
        pairs = item.value if isinstance(item, yaml.MappingNode) else ()
        name = next((value.value for key, value in pairs if key.value == "name"), None)
        if name is None:
            raise CannotAddError
        found[name] = textwrap.dedent(block)
    return found


def added(text: str, path: Path, blocks: Iterable[str]) -> str:
    """A YAML file with entries more at the end of a list.

    Args:
        blocks: what ``entries`` gives.

    Raises:
        CannotAddError: there is no such list, or it is written in one line.
    """
    node = list_at(text, path)
    if node is None or node.flow_style or not node.value:
        raise CannotAddError
    lines = text.splitlines(keepends=True)
    end = last_line(node.value[-1], lines) + 1
    lines[:end] = [line if line.endswith("\n") else f"{line}\n" for line in lines[:end]]
    indent = " " * node.start_mark.column
    is_spaced = any(not line.strip() for line in lines[node.start_mark.line : end])
    made = [textwrap.indent(block.rstrip("\n") + "\n", indent) for block in blocks]
    between = "\n" if is_spaced else ""
    new = "".join([*lines[:end], *(between + block for block in made), *lines[end:]])
    whole = [*(at(load(text), path) or []), *(load(b)[0] for b in made)]
    if at(load(new), path) != whole:
        raise CannotAddError
    return new


def quoted(text: str) -> str:
    """A text between quotes, in one line of YAML.

    >>> quoted("é 🍕\\n")
    '"é 🍕\\\\n"'
    """
    plain = json.dumps(text, ensure_ascii=False)
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", plain)


def load(text: str) -> Any:
    """What YAML says."""
    return yaml.load(text, Loader=LOADER)


def at(content: Any, path: Path) -> Any:
    """What a file has at a path; None where it has nothing there."""
    for key in path:
        has = isinstance(content, Mapping) and key in content
        has = has or (isinstance(content, list) and isinstance(key, int) and key < len(content))
        if not has:
            return None
        content = content[key]
    return content


def list_at(text: str, path: Path) -> Any:
    """The node of a list; None where there is none."""
    node = yaml.compose(text, Loader=LOADER)
    for key in path:
        if isinstance(node, yaml.MappingNode):
            node = next((value for name, value in node.value if name.value == key), None)
        elif isinstance(node, yaml.SequenceNode) and isinstance(key, int):
            node = node.value[key] if key < len(node.value) else None
        else:
            return None
    return node if isinstance(node, yaml.SequenceNode) else None


def last_line(node: Any, lines: Sequence[str]) -> int:
    """The line that a node ends in, without the empty ones and the comments behind it."""
    # a block ends where the next one begins
    mark = node.end_mark
    is_within = mark.line < len(lines) and lines[mark.line][: mark.column].strip()
    end = mark.line if is_within else mark.line - 1
    while end > node.start_mark.line and re.match(r"\s*(#|$)", lines[end]):
        end -= 1
    return end
