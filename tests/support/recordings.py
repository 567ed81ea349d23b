"""Recorded Kafka records, made by hand or from the demo, and what a lake has landed of them."""

import gzip
import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog import Catalog
from pyiceberg.table import Table

from lakemirror.landing.topics import SIDE_TABLES, TOPIC_PROPERTY
from support.lake import DEMO, Lake

SCHEMA_CHANGES = SIDE_TABLES["schema change"]
Place = tuple[str, int, int]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def demo_lines(source: str, *topics: str) -> list[str]:
    """The lines of one source's recording; of some topics alone where they are named."""
    lines = read(DEMO / f"{source}.jsonl.gz")
    return [line for line in lines if not topics or json.loads(line)["topic"] in topics]


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


def feed(lake: Lake, lines: Iterable[str]) -> bool:
    """Append records to their raw tables, as another writer than landing does, and in no time.

    What landing alone can do is left to its next run: a topic's first records, and what tells a
    schema. Returns whether there is any.
    """
    tables = topic_tables(lake)
    left: list[str] = []
    rows: dict[str, list[dict[str, Any]]] = {}
    for line in lines:
        row = raw_row(line)
        table = tables.get(row["_kfk_topic"])
        if (
            table is None
            or SCHEMA_CHANGES in table.name()[-1]
            or (row["value"] or "").startswith('{"schema":')
        ):
            left.append(line)
        else:
            rows.setdefault(row["_kfk_topic"], []).append(row)
    for topic, batch in rows.items():
        schema = tables[topic].schema().as_arrow()
        tables[topic].append(pa.Table.from_pylist(batch, schema=schema))
    if left:
        write(lake.recordings, f"{len(list(lake.recordings.iterdir())):04}", left)
    return bool(left)


def topic_tables(lake: Lake) -> dict[str, Table]:
    """The raw tables by the topic that has claimed them."""
    if not (lake.folder / "warehouse/raw").exists():
        return {}
    tables = [lake.catalog.load_table(name) for name in lake.catalog.list_tables("raw")]
    return {t.properties[TOPIC_PROPERTY]: t for t in tables if TOPIC_PROPERTY in t.properties}


def raw_row(line: str) -> dict[str, Any]:
    """A record as a row of a raw table, by the documentation of its columns."""
    record = json.loads(line)
    event = json.loads(record["value"] or "{}")
    source = event.get("source") or {}
    micros = source.get("ts_us") or 1000 * (source.get("ts_ms") or event.get("ts_ms") or 0)
    key, value, timestamp = content(record)
    return {
        "key": key,
        "value": value,
        **dict(zip(("_kfk_topic", "_kfk_partition", "_kfk_offset"), place(record), strict=True)),
        "_kfk_timestamp": timestamp,
        "_src_ts": EPOCH + timedelta(microseconds=micros) if micros else None,
        "_landed_at": datetime.now(UTC),
    }


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
