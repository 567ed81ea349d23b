"""What an Iceberg table's schema says of its columns, beside their types."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

# types whose initial defaults PyIceberg reads, and does not find by a filter (0.12)
UNFILTERED = ("date", "timestamp")
# types without equality that Iceberg has no identifier fields of, beside nested ones
NO_KEY = ("float", "double", "variant")


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

    def named(self, names: Iterable[str]) -> list[str]:
        """Columns in the table's spelling, in order."""
        spelled = {name.lower(): name for name in self.columns}
        return [spelled[name.lower()] for name in names if name.lower() in spelled]

    def identifying(self, key: Sequence[str]) -> list[str]:
        """A key as Iceberg's identifier fields; none where a column's type cannot be one.

        >>> schema = TableSchema({"ID": {"type": "int"}, "x": {"type": "double"}}, [])
        >>> schema.identifying(["id"]), schema.identifying(["id", "x"])
        (['ID'], [])
        """
        found = self.named(key)
        kinds = [self.columns[name]["type"] for name in found]
        can_be = all(isinstance(kind, str) and kind not in NO_KEY for kind in kinds)
        return found if can_be and len(found) == len(key) else []


def digest(defaults: Sequence[Any]) -> str:
    """What tells whether a source's defaults are those of before."""
    text = json.dumps(defaults, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
