"""What an Iceberg table's schema says of its columns, beside their types."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# types whose initial defaults PyIceberg reads, and does not find by a filter (0.12)
UNFILTERED = ("date", "timestamp")
# types without equality that Iceberg has no identifier fields of
NO_KEY = ("float", "double", "array", "map", "struct", "variant")


@dataclass(frozen=True)
class Default:
    """A literal of a column's type.

    Attributes:
        data_type: Spark's name of the type.
        value: a Python number, boolean, text or bytes; of decimals and times their text.
    """

    data_type: str
    value: Any


@dataclass(frozen=True)
class SchemaChange:
    """What Iceberg commits at once to a table's schema, and SQL cannot.

    Attributes:
        added: columns, in order; rows that are there read their default, and no file is written.
        write_defaults: by the column, what a writer gives it that leaves it out; None drops it.
        key: the columns that identify a row, which are required then; None leaves it as it is.
        required: columns that no row has null in.
        optional: columns that rows will have null in.
    """

    added: Sequence[tuple[str, str, Default | None]] = ()
    write_defaults: Mapping[str, Default | None] = field(default_factory=dict)
    key: Sequence[str] | None = None
    required: Sequence[str] = ()
    optional: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(
            self.added
            or self.write_defaults
            or self.key is not None
            or self.required
            or self.optional
        )


@dataclass(frozen=True)
class TableSchema:
    """The columns of a table by their names: Iceberg's JSON of each.

    Attributes:
        columns: with ``required``, and ``initial-default`` and ``write-default`` where it has them.
        key: the names of its identifier fields.
    """

    columns: Mapping[str, Mapping[str, Any]]
    key: Sequence[str]

    @classmethod
    def read(cls, text: str) -> "TableSchema":
        """The schema of Iceberg's JSON.

        >>> TableSchema.read(
        ...     '{"fields": [{"id": 1, "name": "id", "required": true, "type": "int"}], '
        ...     '"identifier-field-ids": [1]}'
        ... ).key
        ['id']
        """
        found = json.loads(text)
        keys = {*found.get("identifier-field-ids", [])}
        names = [column["name"] for column in found["fields"] if column["id"] in keys]
        return cls({column["name"]: column for column in found["fields"]}, names)

    @property
    def initial_defaults(self) -> set[str]:
        """The columns that rows from before them read a default of."""
        return {name for name, column in self.columns.items() if "initial-default" in column}

    @property
    def write_defaults(self) -> set[str]:
        """The columns that a writer need not give."""
        return {name for name, column in self.columns.items() if "write-default" in column}

    @property
    def required(self) -> set[str]:
        """The columns that cannot be null."""
        return {name for name, column in self.columns.items() if column["required"]}


def identifying(key: Sequence[str], kinds: Mapping[str, str]) -> list[str]:
    """A mirror's key as Iceberg's identifier fields; none where a column's type cannot be one.

    >>> identifying(["id"], {"id": "int"}), identifying(["id", "x"], {"id": "int", "x": "double"})
    (['id'], [])
    """
    can_be = all(name in kinds and not kinds[name].startswith(NO_KEY) for name in key)
    return [*key] if can_be else []


def digest(defaults: Sequence[Any]) -> str:
    """What tells whether a source's defaults are those of before."""
    text = json.dumps(defaults, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
