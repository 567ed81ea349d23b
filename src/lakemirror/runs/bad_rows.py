"""What is said of records that cannot be used: where, of which column, and what it looks like."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lakemirror.source.likely import likely_settings, value_in
from lakemirror.source.wire import shown

FEWEST = 10  # fewer bad records never stop a batch
UNDECODED = "cannot be decoded: "


@dataclass(frozen=True)
class BadExample:
    """A reason, and a record that has it.

    Attributes:
        records: how many have it.
        place: topic, partition and offset of one.
        column: the first column that cannot be decoded; None where that is not the reason.
        value: its value in the record, short.
        data_type: its type at the source; None where it is not known.
        settings: the connector's settings that the value looks like.
    """

    reason: str
    records: int
    place: str
    column: str | None = None
    value: str | None = None
    data_type: str | None = None
    settings: Sequence[str] = ()

    @property
    def line(self) -> str:
        """One line for an operator."""
        said = f"{self.records} records: {self.reason}, such as {self.place}"
        if self.column is None:
            return said
        kind = f" ({self.data_type})" if self.data_type else ""
        said += f", whose {self.column}{kind} is {self.value}"
        if not self.settings:
            return said
        likely = " or ".join(self.settings)
        return f"{said}. It looks like {likely}: say so in config.meta.debezium of the source"


def are_too_many(quarantined: int, read: int, limit: float) -> bool:
    """Whether a batch has more bad records than ``limit`` percent.

    >>> [are_too_many(bad, 1000, 1) for bad in (9, 10, 11)]
    [False, False, True]
    >>> are_too_many(9, 9, 1)
    False
    """
    return quarantined >= FEWEST and quarantined * 100 > limit * read


def bad_example(
    row: Any,
    columns: Mapping[str, Mapping[str, Any]],
    connector: tuple[str, Mapping[str, str]] | None,
) -> BadExample:
    """An example of a row of bad_examples_sql.

    Args:
        columns: of the source table, by their names: see lakemirror.source.columns.
        connector: the source's, and all its settings; None where that is not known.
    """
    place = f"{row['_kfk_topic']} {row['_kfk_partition']}:{row['_kfk_offset']}"
    reason, records = row["reason"], int(row["records"])
    if not reason.startswith(UNDECODED):
        return BadExample(reason, records, place)
    names = reason.removeprefix(UNDECODED).split(", ")
    name = next((name for name in names if name in columns), None)
    if name is None:
        return BadExample(reason, records, place)
    kind, value = columns[name].get("data_type"), value_in(row["value"], name)
    likely = likely_settings(kind, *connector, value) if kind and connector else []
    return BadExample(reason, records, place, name, shown(value), kind, likely)
