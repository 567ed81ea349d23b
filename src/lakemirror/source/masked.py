"""Which columns of a mirror a masked view shows: those that somebody has said are nobody's."""

from collections.abc import Iterable, Mapping
from typing import Any

from lakemirror.state.technical import is_technical

TAG = "pii"


def masked_columns(
    columns: Iterable[Mapping[str, str]], tags: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """A mirror's columns, each with the type of the null that stands for its values.

    Args:
        columns: name and data_type of each.
        tags: ``meta.pii`` by the name of a column. False alone shows it: what has no tag, such as a
            column that is new at the source, is masked.

    Returns:
        name of each, and as ``masked`` its type; None where its values are shown.

    >>> columns = [{"name": n, "data_type": "int"} for n in ("id", "Age", "_op", "zip", "x")]
    >>> tags = {"ID": False, "age": True, "zip": "false"}
    >>> [column["name"] for column in masked_columns(columns, tags) if not column["masked"]]
    ['id', '_op']
    """
    shown = {name.lower() for name, tag in tags.items() if tag is False}
    return [
        {
            "name": column["name"],
            "masked": None
            if column["name"].lower() in shown or is_technical(column["name"])
            else column["data_type"],
        }
        for column in columns
    ]
