"""What rows got that were there when their source added a column, by what its database says."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes

from lakemirror.cli.records import Record
from lakemirror.source import types
from lakemirror.source.database import DatabaseColumn
from lakemirror.source.defaults import DefaultError, stated_default
from lakemirror.source.schemas import payload

OLDEST = 20_000  # records of a table that are looked at
BATCH = 500
JINJA = ("{{", "{%", "{#")


def came_with(raw: Any, columns: Iterable[DatabaseColumn]) -> dict[str, str | None]:
    """By the columns that were added, what the rows of before got; None where nobody knows.

    PostgreSQL knows it. Elsewhere it is the default of now, of the columns that the table's oldest
    events lack.

    Args:
        raw: the raw table (pyiceberg).
    """
    there = [*columns]
    exact = {c.name: c.came_with for c in there if c.came_with is not None}
    others = {c.name: c for c in there if c.default is not None or c.is_computed}
    later = lacking(raw, others.keys() - exact.keys())
    return {**{name: others[name].default for name in others if name in later}, **exact}


def lacking(raw: Any, names: Collection[str]) -> set[str]:
    """Which columns an old event of a raw table has not."""
    found: set[str] = set()
    read = 0
    for batch in oldest_batches(raw) if names else ():
        for text in batch["value"].to_pylist():
            row = Record({}, payload(text or "")).part("after")
            found |= {name for name in names if name not in row} if row else set()
        read += len(batch)
        if len(found) == len(names) or read >= OLDEST:
            break
    return found


def oldest_batches(raw: Any) -> Iterator[pa.RecordBatch]:
    """A raw table's values in batches, those of the file with the oldest change first."""

    def oldest(file: Any) -> tuple[Any, ...]:
        columns = [raw.schema().find_field(name) for name in ("_src_ts", "_kfk_offset")]
        bounds = [(c, (file.lower_bounds or {}).get(c.field_id)) for c in columns]
        return tuple(from_bytes(c.field_type, bound) if bound else -1 for c, bound in bounds)

    for file in sorted((task.file for task in raw.scan().plan_files()), key=oldest):
        with raw.io.new_input(file.file_path).open() as stream:
            yield from pq.ParquetFile(stream).iter_batches(batch_size=BATCH, columns=["value"])


def with_default(
    column: Mapping[str, Any],
    known: Mapping[str, str | None],
    connector: str,
    settings: types.Settings,
) -> dict[str, Any]:
    """A column of the source's YAML with ``config.meta.default``, where that is to be said.

    What YAML says stays, also that there is none (``default: null``).

    Args:
        known: what ``came_with`` gives.
        settings: all of the connector's.
    """
    text, config = known.get(column["name"]), column.get("config") or {}
    meta = config.get("meta") or {}
    if "default" in meta or not is_stated(text, column.get("data_type"), connector, settings):
        return {**column}
    return {**column, "config": {**config, "meta": {**meta, "default": text}}}


def is_stated(
    text: str | None, data_type: str | None, connector: str, settings: types.Settings
) -> bool:
    """Whether a default can stand in YAML, and is read as a value of the column."""
    if text is None or data_type is None or any(sign in text for sign in JINJA):
        return False
    try:
        stated_default(text, types.encoding(data_type, connector, settings), data_type)
    except (DefaultError, types.TypeMappingError):
        return False
    return True
