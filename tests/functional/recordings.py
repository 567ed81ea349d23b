"""Recorded Kafka records, made by hand or from the demo, and what a lake has landed of them."""

import gzip
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from conftest import DEMO
from pyiceberg.catalog import Catalog

Place = tuple[str, int, int]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def demo_lines(source: str, topic: str = "") -> list[str]:
    """The lines of one source's recording; of one topic alone where it is named."""
    lines = read(DEMO / f"{source}.jsonl.gz")
    return [line for line in lines if json.loads(line)["topic"] == topic or not topic]


def read(file: Path) -> list[str]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        # splitlines() would also cut at U+2028, which JSON texts may have
        return [line.rstrip("\n") for line in lines]


def record(offset: int, value: str | None = "{}", **fields: Any) -> str:
    """A line of a recording: by default of shop.shop.orders, partition 0."""
    place = {"topic": "shop.shop.orders", "partition": 0, "offset": offset}
    return json.dumps({**place, "timestamp": 1769645288083, "key": "{}", "value": value, **fields})


def write(folder: Path, name: str, lines: Iterable[str]) -> Path:
    file = folder / f"{name}.jsonl"
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def raw_rows(catalog: Catalog, table: str) -> list[dict[str, Any]]:
    return catalog.load_table(f"raw.{table}").scan().to_arrow().to_pylist()


def assert_landed(catalog: Catalog, lines: Iterable[str]) -> None:
    """All raw tables together hold each record of ``lines`` once, unchanged, and nothing else."""
    recorded = {place(line): content(line) for line in map(json.loads, lines)}
    tables = [table for _, table in catalog.list_tables("raw") if table != "schema_history"]
    rows = [row for table in tables for row in raw_rows(catalog, table)]
    landed = {
        (row["_kfk_topic"], row["_kfk_partition"], row["_kfk_offset"]): (
            row["key"],
            row["value"],
            row["_kfk_timestamp"],
        )
        for row in rows
    }
    wrong = [at for at in recorded.keys() | landed.keys() if recorded.get(at) != landed.get(at)]
    assert not wrong, f"{len(wrong)} records are missing or changed: {sorted(wrong)[:10]}"
    assert len(rows) == len(recorded), f"{len(rows) - len(recorded)} records are there again"


def place(line: dict[str, Any]) -> Place:
    return line["topic"], line["partition"], line["offset"]


def content(line: dict[str, Any]) -> tuple[str | None, str | None, datetime | None]:
    millis = line.get("timestamp")
    time = None if millis is None else EPOCH + timedelta(milliseconds=millis)
    return line["key"], line["value"], time
