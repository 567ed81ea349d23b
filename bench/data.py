"""The log of changes that every system merges: Debezium's events, decoded, as SQL.

A row is about 130 bytes in 12 columns. Batch 0 creates the keys; a later one has a few events
a key: 80 % updates, 15 % inserts, 5 % deletes, the newer event of a key with the higher rank.
"""

from dataclasses import dataclass
from typing import Any

from lakemirror.landing.raw import create_sql

RAW = "raw.rows"
EVENTS = "raw.events"
COLUMNS = (
    *("id", "customer_id", "status", "sku", "note", "amount", "price", "quantity"),
    *("is_open", "ordered_at", "updated_at", "details"),
)
TIMESTAMP = "yyyy-MM-dd'T'HH:mm:ss.SSSSSS'Z'"
TEXTS = {
    "amount": "string(amount)",
    "is_open": "int(is_open)",
    "ordered_at": f'date_format(ordered_at, "{TIMESTAMP}")',
    "updated_at": f'date_format(updated_at, "{TIMESTAMP}")',
}
JSON_TYPES = {
    **dict.fromkeys(("id", "customer_id"), "bigint"),
    **dict.fromkeys(("quantity", "is_open"), "int"),
    **dict.fromkeys(("ordered_at", "updated_at"), "timestamp"),
    "price": "double",
}
FROM_TEXTS = {
    "amount": "cast(after.amount as decimal(12,2))",
    "is_open": "after.is_open = 1",
}
START = 1767225600  # 2026-01-01, and an hour a batch


@dataclass(frozen=True)
class Case:
    """What is merged into what.

    Attributes:
        rows: the table's, before the first merge.
        keys: distinct keys that a batch changes, at the most.
        rounds: the batches that are measured, after one that is not.
        key: the type of the key: bigint, string, or composite (two columns).
        choice: which keys are updated: any (uniform), nine of ten of the newest twentieth of them
            (recent), or some far more often than others (skewed).
        events: of a key in a batch.
        memory: of a system's JVM.
        last_keys: of one more batch after the rounds, which is a case by itself.
        is_json: whether the log is there as Debezium's JSON too.
        deleting: the batch that deletes all of its keys.
    """

    rows: int
    keys: int
    rounds: int = 3
    key: str = "bigint"
    choice: str = "uniform"
    events: float = 1.5
    memory: str = "2g"
    last_keys: int = 0
    is_json: bool = False
    deleting: int | None = None

    @property
    def name(self) -> str:
        return (
            f"{self.keys:,} keys ({self.key}, {self.choice}, {self.events:g} events a key) "
            f"into {self.rows:,} rows, {self.memory}"
        )

    @property
    def newest(self) -> int:
        """The last batch of the rounds: the first two make the table, and warm up."""
        return self.rounds + 1

    @property
    def batches(self) -> int:
        return self.newest + 1 + bool(self.last_keys)

    def keys_of(self, batch: int) -> int:
        return self.keys if batch <= self.newest else self.last_keys

    @property
    def key_columns(self) -> list[str]:
        return ["customer_id", "id"] if self.key == "composite" else ["id"]


def time_of(batch: int) -> str:
    return f"timestamp_seconds({START + 3600 * batch})"


def create_raw_sql(case: Case) -> str:
    return f"""
        create table {RAW} (
            id {"string" if case.key == "string" else "bigint"}, customer_id bigint,
            status string, sku string, note string, amount decimal(12,2), price double,
            quantity int, is_open boolean,
            ordered_at timestamp, updated_at timestamp, details string, op string, rank bigint,
            _src_ts timestamp, _kfk_topic string, _kfk_partition int, _kfk_offset bigint
        )
        using iceberg
        partitioned by (hours(_src_ts))
        tblproperties ('write.parquet.compression-codec' = 'zstd')
    """


def batch_sql(case: Case, batch: int) -> str:
    """Append a batch to the log."""
    return f"insert into {RAW} {_base(case) if batch == 0 else _changes(case, batch)}"


def events_sql(batch: int) -> str:
    """Append a batch to the log as Debezium sends it from MariaDB, about 850 bytes each."""
    fields = [f"'{c}', {TEXTS.get(c, c)}" for c in COLUMNS]
    return f"""
        insert into {EVENTS}
        select
            to_json(named_struct('id', id)),
            to_json(
                named_struct(
                    'before', if(op = 'c', null, row),
                    'after', if(op = 'd', null, row),
                    'source', named_struct(
                        'version', '3.3.1.Final', 'connector', 'mariadb', 'name', 'bench',
                        'ts_ms', unix_millis(_src_ts), 'snapshot', 'false', 'db', 'bench',
                        'sequence', null, 'ts_us', unix_micros(_src_ts),
                        'ts_ns', unix_micros(_src_ts) * 1000, 'table', 'rows', 'server_id', 1,
                        'gtid', null, 'file', 'binlog.000001', 'pos', rank, 'row', 0,
                        'thread', 12, 'query', null
                    ),
                    'transaction', null,
                    'op', op,
                    'ts_ms', unix_millis(_src_ts),
                    'ts_us', unix_micros(_src_ts),
                    'ts_ns', unix_micros(_src_ts) * 1000
                ),
                map('ignoreNullFields', 'false')
            ),
            'bench.bench.rows',
            _kfk_partition,
            _kfk_offset,
            _src_ts,
            _src_ts,
            _src_ts
        from (
            select *, named_struct({", ".join(fields)}) as row
            from {RAW}
            where _src_ts = {time_of(batch)}
        )
    """


def create_log(spark: Any, case: Case) -> list[str]:
    """Make the tables of a log, and return their names."""
    spark.sql("create namespace raw")
    spark.sql(create_raw_sql(case))
    if not case.is_json:
        return [RAW]
    spark.sql(create_sql(*EVENTS.split(".")))
    return [RAW, EVENTS]


def add_batch(spark: Any, case: Case, batch: int) -> None:
    """Append a batch to the tables of a log."""
    spark.sql(batch_sql(case, batch))
    if case.is_json:
        spark.sql(events_sql(batch))


def wanted_state(spark: Any, case: Case) -> dict[str, Any]:
    """What a table must hold that has all of the log."""
    return state(spark, f"({newest_sql(case)}) where op <> 'd'")


def newest_sql(case: Case, where: str = "true") -> str:
    """The newest event of each key, of the events that a condition picks."""
    columns, key = ", ".join(COLUMNS), ", ".join(case.key_columns)
    return f"""
        select {columns}, op, rank, _src_ts
        from (
            select *, row_number() over (partition by {key} order by rank desc) as place
            from {RAW}
            where {where}
        )
        where place = 1
    """


def row_schema() -> str:
    """A row of an event, as Spark's from_json takes it."""
    fields = (f"{name}: {JSON_TYPES.get(name, 'string')}" for name in COLUMNS)
    return f"struct<{', '.join(fields)}>"


def event_schema() -> str:
    """All of an event, likewise."""
    whole = ("ts_ms", "ts_us", "ts_ns", "server_id", "pos", "row", "thread")
    texts = ("version", "connector", "name", "snapshot", "db", "sequence", "table", "gtid", "file")
    fields = [f"`{name}`: bigint" for name in whole] + [f"`{name}`: string" for name in texts]
    return (
        f"struct<op: string, ts_ms: bigint, ts_us: bigint, ts_ns: bigint, transaction: string, "
        f"before: {row_schema()}, after: {row_schema()}, source: struct<{', '.join(fields)}>>"
    )


def newest_event_sql() -> str:
    """The newest event of each key of the JSON log, decoded by hand."""
    images = f"before struct<id: bigint>, after {row_schema()}"
    schema = f"op string, source struct<pos: bigint>, {images}"
    columns = ", ".join(FROM_TEXTS.get(name, f"after.{name}") + f" as {name}" for name in COLUMNS)
    return f"""
        select {columns}
        from (
            select
                *, row_number() over (
                    partition by coalesce(after.id, before.id) order by source.pos desc
                ) as place
            from (select inline(array(from_json(value, '{schema}'))) from {EVENTS})
        )
        where place = 1 and op <> 'd'
    """


def state(spark: Any, relation: str) -> dict[str, Any]:
    """How many rows there are, and their hash, in any order."""
    hashed = f"cast(xxhash64({', '.join(COLUMNS)}) as decimal(38,0))"
    rows, digest = spark.sql(f"select count(*), sum({hashed}) from {relation}").first()
    return {"rows": rows, "hash": str(digest)}


def _base(case: Case) -> str:
    return _event(case, f"select id, id as rank, 'c' as op from range({case.rows})", 0)


def _changes(case: Case, batch: int) -> str:
    keys = case.keys_of(batch)
    uniform = f"pmod(xxhash64(k, {batch}), {case.rows})"
    newest = f"{case.rows} - 1 - pmod(xxhash64(k, {batch}), {case.rows // 20})"
    part = f"pmod(xxhash64(k, {batch}), 1000000) / 1000000D"
    updated = {
        "uniform": uniform,
        "recent": f"if(k % 10 = 0, {uniform}, {newest})",
        "skewed": f"bigint({case.rows} * pow({part}, 4))",
    }[case.choice]
    ops = "case when k % 20 < 3 then 'c' when k % 20 = 3 then 'd' else 'u' end"
    inserted = f"{case.rows} + {(batch - 1) * case.keys} + k"
    return _event(
        case,
        f"""
        select
            if(k % 20 < 3, {inserted}, {updated}) as id,
            {batch * 10**9} + id as rank,
            {"'d'" if batch == case.deleting else ops} as op
        from (
            select id, id % {keys} as k from range({int(keys * case.events)})
        )
        """,
        batch,
    )


def _event(case: Case, events: str, batch: int) -> str:
    return f"""
        select
            {"md5(string(id))" if case.key == "string" else "id"} as id,
            pmod(xxhash64(id, 'customer'), 1000000) as customer_id,
            element_at(array('new', 'paid', 'packed', 'sent', 'done'), int(rank % 5) + 1) as status,
            concat('SKU-', lpad(pmod(xxhash64(id, rank), 50000), 6, '0')) as sku,
            concat('note ', hex(xxhash64(id, rank, 'note'))) as note,
            cast(pmod(xxhash64(rank, id), 1000000) / 100 as decimal(12,2)) as amount,
            pmod(xxhash64(id, rank, 'price'), 100000) / 7 as price,
            int(pmod(rank, 12)) + 1 as quantity,
            rank % 3 = 0 as is_open,
            timestamp_seconds(1700000000 + id) as ordered_at,
            timestamp_millis(1767225600000 + rank) as updated_at,
            concat('{{"channel":"', element_at(array('web', 'app', 'shop'), int(id % 3) + 1), '"}}')
                as details,
            op,
            rank,
            {time_of(batch)} as _src_ts,
            'bench.rows' as _kfk_topic,
            int(pmod(id, 3)) as _kfk_partition,
            rank as _kfk_offset
        from ({events})
    """
