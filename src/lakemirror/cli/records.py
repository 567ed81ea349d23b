"""The newest records of raw tables, read without Spark."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyiceberg.conversions import from_bytes


@dataclass(frozen=True)
class Record:
    """A Kafka record with a value, as far as it is JSON."""

    key: Mapping[str, Any]
    event: Mapping[str, Any]
    unavailable: Collection[str] = ()

    @property
    def op(self) -> str:
        return str(self.event.get("op", ""))

    @property
    def connector(self) -> str:
        return str(self.part("source").get("connector", ""))

    def part(self, name: str) -> Mapping[str, Any]:
        found = self.event.get(name)
        return found if isinstance(found, dict) else {}

    def is_change(self, operations: str = "crud") -> bool:
        return bool(self.part("source")) and self.op in [*operations]


def is_row(record: Record) -> bool:
    """Whether it is a row without its envelope: it has its key's columns, or the SMT's marks."""
    event, key = record.event, record.key
    is_other = record.op or record.part("source") or "data_collections" in event
    is_marked = any(name in event for name in ("__op", "__deleted", "__source_ts_ms"))
    return not is_other and (is_marked or (bool(key) and key.keys() <= event.keys()))


def newest_batches(table: Any, columns: Sequence[str], size: int) -> Iterator[pa.RecordBatch]:
    """A raw table's records in batches of at most ``size``; those of the newest file come first."""

    def newest(file: Any, name: str) -> int:
        column = table.schema().find_field(name)
        bound = (file.upper_bounds or {}).get(column.field_id)
        return int(from_bytes(column.field_type, bound)) if bound else -1

    def age(file: Any) -> tuple[int, int]:
        return newest(file, "_landed_at"), newest(file, "_src_ts")

    for file in sorted((task.file for task in table.scan().plan_files()), key=age, reverse=True):
        with table.io.new_input(file.file_path).open() as stream:
            yield from pq.ParquetFile(stream).iter_batches(batch_size=size, columns=[*columns])


def newest_records(table: Any, count: int) -> list[dict[str, Any]]:
    """Keys and values of the first records of the files that were landed last."""
    records: list[dict[str, Any]] = []
    for batch in newest_batches(table, ("key", "value"), count):
        records += batch.to_pylist()[: count - len(records)]
        if len(records) >= count:
            break
    return records
