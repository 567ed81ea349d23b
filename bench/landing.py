"""Land from a broker of its own, beside Spark reading the same topic into nothing.

python -m bench.landing             a few records, on the console
python -m bench.landing full        2 million records and 200 topics, for bench/results/landing.md
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from stack.services import Kafka, free_port

from bench.report import publish, spread
from bench.session import open_session
from lakemirror.landing import kafka

SIZE = 760  # bytes of a record's key and value, about
ROUNDS = 3
# as Debezium's connector for MariaDB sends an insert, without its schema
VALUE = """concat(
    '{"before":null,"after":{"id":', id, ',"reference":"', uuid(), '","customer_id":', id % 50000,
    ',"status":"', element_at(array('open', 'paid', 'sent', 'returned'), int(id % 4) + 1),
    '","amount":"', id % 99991, '.', 10 + id % 89, '","currency":"EUR","note":"',
    repeat('to be left with a neighbour ', int(id % 5)), md5(string(id)), '","created_at":"',
    date_format(timestamp_seconds(1767225600 + id), "yyyy-MM-dd'T'HH:mm:ss"),
    'Z","updated_at":"2026-01-01T00:16:11.892964Z"},"source":{"version":"3.5.0.Final",',
    '"connector":"mariadb","name":"big","ts_ms":', 1767225600000 + id, ',"snapshot":null,',
    '"db":"shop","sequence":null,"ts_us":', 1767225600000000 + id * 1000, ',"ts_ns":',
    1767225600000000000 + id * 1000000, ',"table":"t","server_id":1,"gtid":"0-1-', id,
    '","file":"binlog.000001","pos":', 875211 + id, ',"row":0,"thread":null,"query":null},',
    '"transaction":null,"op":"c","ts_ms":1767225600238,"ts_us":1767225600238840,',
    '"ts_ns":1767225600238840462}'
)"""


class Landing:
    """A lake, and a broker."""

    def __init__(self, broker: Kafka, folder: Path) -> None:
        folder.mkdir()
        self.spark = open_session(folder, "1536m")
        self.settings = {"bootstrap.servers": broker.address}

    def send(self, records: int, topic: str) -> None:
        """Records to the topics that an expression of a record's number gives."""
        key = "concat('{\"id\":', id, '}')"
        sent = self.spark.range(records).selectExpr(
            f"{topic} as topic", f"{key} as key", f"{VALUE} as value"
        )
        options = {"kafka.bootstrap.servers": self.settings["bootstrap.servers"]}
        sent.write.format("kafka").options(**options).save()

    def read(self, pattern: str) -> float:
        """Seconds to read records into nothing."""
        reader = self.spark.read.format("kafka")
        reader = reader.option("kafka.bootstrap.servers", self.settings["bootstrap.servers"])
        found = reader.option("subscribePattern", pattern).load()
        return seconds(lambda: found.write.format("noop").mode("overwrite").save())

    def land(self, pattern: str) -> float:
        """Seconds to land them in new raw tables."""
        self.spark.sql("create namespace if not exists raw")
        wanted = kafka.Wanted(pattern, "earliest", 2_000_000, accept_loss=False)
        land = (self.spark, self.settings, wanted, None, {}, print_line)
        return seconds(lambda: kafka.land_kafka(*land).collect())

    def drop(self) -> tuple[int, int, int]:
        """Drop the raw tables; how many rows, commits and files they had."""
        totals = [0, 0, 0]
        for row in self.spark.sql("show tables in raw").collect():
            table = f"raw.`{row['tableName']}`"
            for n, part in enumerate(("", ".snapshots", ".files")):
                totals[n] += self.spark.table(f"{table}{part}").count()
            self.spark.sql(f"drop table {table} purge")
        return totals[0], totals[1], totals[2]


def seconds(do: Callable[[], Any]) -> float:
    begin = time.monotonic()
    do()
    return time.monotonic() - begin


def print_line(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def measure(landing: Landing, records: int, topics: int) -> list[str]:
    """The report's lines.

    Raises:
        RuntimeError: raw has not every record once.
    """
    landing.send(records, "'big.shop.t'")
    landing.send(50 * topics, f"concat('small.shop.t', id % {topics})")
    times: dict[str, list[float]] = {"read into nothing": [], "landed": []}
    for turn in range(ROUNDS + 1):
        for name, do in (("read into nothing", landing.read), ("landed", landing.land)):
            took = do("big.*")
            print_line(f"{name}: {took:.1f} s")
            if turn:  # the first one warms up
                times[name].append(took)
        if landing.drop()[0] != records:
            raise RuntimeError("raw has not every record once")
    together = landing.land("small.*")
    all_of_them = landing.drop()
    few = range(0, topics, topics // 20 or 1)
    alone = sum(landing.land(f"small[.]shop[.]t{n}") for n in few)
    some = landing.drop()
    if (all_of_them[0], some[0]) != (50 * topics, 50 * len(few)):
        raise RuntimeError("raw has not every record once")
    return [
        f"## {records:,} records of {SIZE} bytes, one topic of 3 partitions",
        "",
        "| | Seconds: median (range) | Records a second |",
        "|---|---|---|",
        *(
            f"| {name} | {spread(found)} | {records / median(found):,.0f} |"
            for name, found in times.items()
        ),
        "",
        f"## {topics} topics of 50 records",
        "",
        "| | Topics | Seconds | Seconds a topic | Commits | Files |",
        "|---|---|---|---|---|---|",
        f"| one landing | {topics} | {together:.1f} | {together / topics:.2f} "
        f"| {all_of_them[1]} | {all_of_them[2]} |",
        f"| a landing a topic | {len(few)} | {alone:.1f} | {alone / len(few):.2f} "
        f"| {some[1]} | {some[2]} |",
    ]


def run(full: bool) -> list[str]:
    """The same by a broker of its own."""
    with tempfile.TemporaryDirectory() as folder:
        broker = Kafka(Path(folder), free_port(2))
        broker.start()
        try:
            landing = Landing(broker, Path(folder) / "lake")
            return measure(landing, *((2_000_000, 200) if full else (50_000, 20)))
        finally:
            broker.kill()


def main() -> None:
    publish(__doc__, "landing", "What landing costs", "make bench-landing", run)


if __name__ == "__main__":
    main()
