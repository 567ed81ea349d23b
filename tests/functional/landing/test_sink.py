"""Raw tables as Iceberg's sink for Kafka Connect writes them, in its own types (1.11.0).

test_live has the sink itself.
"""

import json
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import SparkSession

from support.lake import Lake, messages
from support.mirror_project import MirrorProject

pytestmark = pytest.mark.compiled

ROW = "id bigint, amount decimal(38,10), `a b` string, big decimal(38,0), data binary"
SOURCE = (
    "version string, name string, ts_ms bigint, snapshot string, db string, ts_us bigint, "
    "keyspace string, `table` string, shard string, vgtid string"
)
TRANSACTION = (
    "id string, total_order bigint, data_collection_order bigint, transaction_epoch bigint, "
    "transaction_rank decimal(38,0)"
)
EVENT = (
    "before struct<{row}>, after struct<{row}>, source struct<{source}>, "
    "transaction struct<{transaction}>, op string, ts_ms bigint, ts_us bigint"
)
FLAT = (
    "_kafka_metadata_topic string, _kafka_metadata_partition int, "
    "_kafka_metadata_offset bigint, _kafka_metadata_timestamp bigint"
)
NESTED = (
    "_kafka_metadata struct<topic: string, `partition`: int, offset: bigint, timestamp: bigint>"
)
COLUMNS = (
    "id bigint, amount decimal(30,10), a b varchar(20), big bigint unsigned, data varbinary(9)"
)
RANK = 40
SERVER = "9e8a1e7c-0000-11ef-9d2a-0242ac110002"
MIRROR = "mirror.commerce__sunk"


class Sunk(MirrorProject):
    """A mirror of a table that the sink writes."""

    def __init__(self, lake: Lake, spark: SparkSession, place: str = FLAT, **settings: str) -> None:
        columns = COLUMNS.replace("a b varchar(20), ", "")
        tables = {"sunk": (columns, ["id"])}
        given = {"bigint.unsigned.handling.mode": "precise", "decimal.format": "numeric"} | settings
        super().__init__(lake, "commerce", "vitess", tables, given)
        self.spark, self.is_nested, self.offset = spark, place == NESTED, 0
        self.written_by_sink()
        sources = json.loads((self.folder / "models/sources.yml").read_text())
        columns = sources["sources"][0]["tables"][0]["columns"]
        columns.insert(2, {"name": "a b", "data_type": "varchar(20)"})
        self.write("models/sources.yml", json.dumps(sources))
        spark.sql("create namespace if not exists raw")
        event = EVENT.format(row=ROW, source=SOURCE, transaction=TRANSACTION)
        self.create(f"{event}, {place}" if place else event)
        self.dbt("parse")

    def create(self, columns: str) -> None:
        self.spark.sql(f"create table raw.commerce__sunk ({columns}) using iceberg")

    def sink(self, *changes: tuple[str, int, dict[str, Any] | None]) -> None:
        """One commit of changes: operation, rank and row."""
        rows = []
        for op, rank, row in changes:
            self.offset += 1
            place = {
                "topic": "vt.commerce.sunk",
                "partition": 0,
                "offset": self.offset,
                "timestamp": 1767225600000,
            }
            side = "before" if op == "d" else "after"
            source = {"ts_ms": 1767225600000 + self.offset, "keyspace": "commerce", "shard": "0"}
            gtid = f"MySQL56/{SERVER}:1-{rank}"
            source["vgtid"] = json.dumps([{"keyspace": "commerce", "shard": "0", "gtid": gtid}])
            order = {"total_order": 1, "transaction_epoch": 0, "transaction_rank": Decimal(rank)}
            flat = {f"_kafka_metadata_{name}": value for name, value in place.items()}
            rows.append(
                {side: row, "source": source, "transaction": order, "op": op}
                | ({"_kafka_metadata": place} if self.is_nested else flat)
            )
        schema = self.spark.table("raw.commerce__sunk").schema
        filled = [to_row(row, schema) for row in rows]
        self.spark.createDataFrame(filled, schema).writeTo("raw.commerce__sunk").append()

    def merge(self, fails: bool = False) -> str:
        return messages(self.dbt("run", "--select", "mirror_commerce__sunk", fails=fails))

    def found(self) -> list[dict[str, Any]]:
        rows = self.lake.catalog.load_table(MIRROR).scan().to_arrow().to_pylist()
        own = [{n: v for n, v in row.items() if not n.startswith("_")} for row in rows]
        return sorted(own, key=lambda row: row["id"])


def to_row(value: Any, kind: Any) -> Any:
    """A dict as a Row of a struct type, what is not there as null."""
    if not isinstance(value, dict):
        return value
    return tuple(to_row(value.get(field.name), field.dataType) for field in kind)


def row(key: int, amount: str, **more: Any) -> dict[str, Any]:
    return {"id": key, "amount": Decimal(amount), **more}


def full(key: int, amount: str, **more: Any) -> dict[str, Any]:
    empty = {"a b": None, "big": None, "data": None}
    return row(key, amount) | empty | more


@pytest.mark.parametrize("place", [FLAT, NESTED], ids=["flat", "nested"])
def test_columns_become_the_rows_of_the_source(lake: Lake, spark: SparkSession, place: str) -> None:
    """Decimals of more digits than a double has; deletes; a second window."""
    project = Sunk(lake, spark, place)
    exact = "12345678901234567890.1234567891"
    project.sink(
        ("c", RANK + 1, row(1, exact, big=Decimal(2**64 - 1), data=b"\x00\xff")),
        ("u", RANK, row(1, "1")),  # older than the one before it
        ("c", RANK, {**row(2, "2"), "a b": 'x"\\'}),
        ("c", RANK, row(3, "3")),
    )
    project.merge()
    first = full(1, exact, big=Decimal(2**64 - 1), data=b"\x00\xff")
    assert project.found() == [first, full(2, "2") | {"a b": 'x"\\'}, full(3, "3")]
    project.sink(("d", RANK + 2, row(3, "3")), ("u", RANK + 2, row(2, "-0.5")))
    assert "2 applied" in project.merge()
    assert project.found() == [first, full(2, "-0.5")]


def test_a_schema_ahead_of_its_records(lake: Lake, spark: SparkSession) -> None:
    """The sink alters a table at once, and commits the records minutes later."""
    project = Sunk(lake, spark)
    project.sink(("c", RANK, row(1, "1")))
    spark.sql("alter table raw.commerce__sunk add columns (after.later int, before.later int)")
    project.merge()
    assert project.found() == [full(1, "1")]
    project.sink(("u", RANK + 1, row(1, "2")))  # null in what nobody has declared
    project.merge()
    assert project.found() == [full(1, "2")]
    project.sink(("u", RANK + 2, row(1, "3", later=7)))
    project.merge()
    assert project.found() == [full(1, "3")]
    summary = lake.catalog.load_table(MIRROR).current_snapshot().summary
    assert json.loads(summary["lakemirror.undeclared"]) == ["later"]


def test_a_change_without_order_is_kept(lake: Lake, spark: SparkSession) -> None:
    project = Sunk(lake, spark)
    project.sink(("c", RANK, row(1, "1")), ("c", RANK, row(2, "2")))
    spark.sql("update raw.commerce__sunk set transaction = null where _kafka_metadata_offset = 2")
    project.merge()
    assert project.found() == [full(1, "1")]
    [kept] = lake.catalog.load_table("ops.quarantine").scan().to_arrow().to_pylist()
    assert json.loads(kept["value"])["after"] == {"id": 2, "amount": "2.0000000000"}
    assert (kept["_kfk_topic"], kept["_kfk_offset"]) == ("vt.commerce.sunk", 2)


def test_texts_are_read_as_landed_ones(lake: Lake, spark: SparkSession) -> None:
    """HoistField makes a record's text the column value; a tombstone has none."""
    project = Sunk(lake, spark, **{"decimal.format": "base64"})
    spark.sql("drop table raw.commerce__sunk")
    project.create(f"value string, {FLAT}")
    source = {"ts_ms": 1767225600001, "keyspace": "commerce", "shard": "0", "vgtid": "[]"}
    order = {"total_order": 1, "transaction_epoch": 0, "transaction_rank": "RA=="}
    event = {"after": {"id": 1, "amount": "1.5"}, "source": source, "transaction": order, "op": "c"}
    places = [("vt.commerce.sunk", 0, n, 1767225600000) for n in (1, 2)]
    rows = [(json.dumps(event), *places[0]), (None, *places[1])]
    schema = spark.table("raw.commerce__sunk").schema
    spark.createDataFrame(rows, schema).writeTo("raw.commerce__sunk").append()
    project.merge()
    assert project.found() == [full(1, "1.5")]


@pytest.mark.parametrize(
    ("place", "settings", "said"),
    [
        ("", {}, "KafkaMetadataTransform"),
        (FLAT, {"decimal.format": "base64"}, "set decimal.format to numeric"),
    ],
    ids=["no place", "decimals as bytes"],
)
def test_what_would_be_read_wrongly_is_refused(
    lake: Lake, spark: SparkSession, place: str, settings: dict[str, str], said: str
) -> None:
    project = Sunk(lake, spark, place, **settings)
    failure = project.merge(fails=True)
    assert said in failure
    assert "raw.commerce__sunk" in failure.replace("`", "")
