"""The systems that are measured: each makes its table from batch 0 and merges one batch a round."""

import json
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner

from bench.data import COLUMNS, Case, event_schema, newest_event_sql, newest_sql, time_of
from lakemirror.jars import COMET

PROJECT = Path(__file__).parent / "project"
NAMES = ", ".join(COLUMNS)
# what is offered the same accelerator
ACCELERATED = ("lakemirror", "dbt-spark merge", "hand-written MERGE", "decode and merge")
ADDED = ("added-data-files", "added-delete-files", "added-files-size")


def added_to(spark: Any, tables: Iterable[str], since: float) -> dict[str, int]:
    """What all commits of Iceberg tables have added since a time, in seconds since 1970."""
    totals = dict.fromkeys(ADDED, 0)
    for table in tables:
        rows = spark.sql(f"select committed_at, summary from {table}.snapshots").collect()
        for commit in (row.summary for row in rows if row.committed_at.timestamp() >= since):
            for name in ADDED:
                totals[name] += int(commit.get(name, 0))
    return totals


class System:
    """A system and its table.

    Attributes:
        table: the table's relation.
        live: the rows of it that have not been deleted.
        written: the tables that a merge writes, where these are others.
        is_merge: whether the table has the right rows at the end.
        jars: what its JVM has beside Iceberg's.
        extension: its extension of Spark's sessions.
        conf: its settings.
        is_accelerated: whether Spark runs with Comet, whose memory is beside the case's heap.
    """

    table = "bench.rows"
    live = table
    written: tuple[str, ...] = ()
    is_merge = True
    jars: tuple[str, ...] = ()
    extension = ""
    conf: Mapping[str, str] = {}
    is_accelerated = False

    def __init__(self, spark: Any, case: Case, lake: Path) -> None:
        self.spark, self.case, self.lake = spark, case, lake

    def merge(self, batch: int) -> float:
        """Merge a batch of the log (batch 0 makes the table), and return the seconds it took."""
        raise NotImplementedError

    def added(self, since: float) -> dict[str, int]:
        """What a merge has added that began at a time, in seconds since 1970."""
        return added_to(self.spark, self.written or [self.table], since)


class DbtModel(System):
    """A model of bench/project: dbt's own time of the model, without its parsing of the project."""

    model = ""

    def merge(self, batch: int) -> float:
        return self.dbt("run", self.model, batch=batch).execution_time

    def idle(self, batch: int) -> float:
        """Seconds of a run that has nothing to do."""
        return self.merge(batch)

    def dbt(self, command: str, model: str, **variables: Any) -> Any:
        """What dbt says of one model that it has run or compiled."""
        result = self.invoke(command, "--select", model, **variables)
        [said] = [r for r in result if r.node.name == model]
        return said

    def invoke(self, *command: str, **variables: Any) -> Any:
        """The results of a command of dbt, which has to end well."""
        given = json.dumps({"key": self.case.key_columns, **variables})
        arguments = [*command, "--project-dir", str(PROJECT), "--vars", given]
        arguments += ["--profiles-dir", str(PROJECT), "--target-path", str(self.lake / "target")]
        arguments += ["--log-path", str(self.lake), "--quiet"]
        result = dbtRunner().invoke(arguments)
        if not result.success:
            raise RuntimeError([r.message for r in result.result or []] or result.exception)
        return result.result


def mirror(name: str) -> type[System]:
    """A model of the materialization `mirror`: order, deletes, counts, bookmark."""
    table = f"mirror.{name.removeprefix('mirror_')}"
    written = (table, f"{table}__tombstones")
    return type(
        name, (DbtModel,), {"model": name, "table": table, "live": table, "written": written}
    )


class StockMerge(DbtModel):
    """dbt-spark's incremental model with the strategy merge: no order, no deletes."""

    model = "stock_merge"
    table = "bench.stock_merge"
    live = f"(select * from {table} where op <> 'd')"

    def idle(self, batch: int) -> float:
        return super().idle(batch + 1)  # whose rows are not there


class DailyModel(DbtModel):
    """A day is published after each merge, the next one each time."""

    table = "daily.rows"
    live = f"(select * from {table} where ds = (select max(ds) from {table}))"

    def merge(self, batch: int) -> float:
        if batch == 0:
            self.dbt("run", "watermark_bench")
        self.dbt("run", "mirror_rows", batch=batch)
        day = f"2026-01-{batch + 1:02}"
        return self.dbt("run", "daily_rows", batch=batch, ds=day).execution_time


class CutModel(DbtModel):
    """A snapshot is made of each batch before it is merged."""

    table = "mirror.rows"

    @property
    def live(self) -> str:  # type: ignore[override]
        [snapshot] = self.spark.sql("select snapshot_id from ops.consistent_cut").first()
        return f"(select * from {self.table} version as of {snapshot})"

    def merge(self, batch: int) -> float:
        if batch == 0:
            self.dbt("run", "mirror_rows", batch=batch)
        until = f"{time_of(batch)} + interval 1 second"
        self.dbt("run", "watermark_bench", until=until)
        since = time.time()
        seconds = self.dbt("run", "consistent_cut", until=until).execution_time
        self.cut = added_to(self.spark, [self.table], since)
        self.dbt("run", "mirror_rows", batch=batch)
        return seconds

    def added(self, since: float) -> dict[str, int]:
        return self.cut


class Audit(DbtModel):
    """The next part of the keys of a mirror is compared with the log after each merge."""

    live = "mirror.rows"
    written = ("ops.audits",)
    is_full = False

    def merge(self, batch: int) -> float:
        self.dbt("run", "mirror_rows", batch=batch)
        given = json.dumps({"model": "mirror_rows", "full": self.is_full})
        self.invoke("run-operation", "audit", "--args", given, batch=batch)
        newest = "select seconds, keys, findings from ops.audits order by audited_at desc limit 1"
        seconds, keys, findings = self.spark.sql(newest).first()
        assert keys > 0
        assert findings == 0
        return float(seconds)


class FullAudit(Audit):
    """All keys are compared."""

    is_full = True


class Decoded(DbtModel):
    """Events as JSON, decoded and merged by a mirror."""

    model = "mirror_events"
    table = "mirror.events"
    written = (table, "mirror.events__tombstones")
    live = f"(select * except (is_open), is_open = 1 as is_open from {table})"


class IntoNothing(DbtModel):
    """A query over the same events of a batch, whose rows nobody keeps."""

    table = "raw.events"
    is_merge = False

    def query(self, batch: int) -> str:
        raise NotImplementedError

    def merge(self, batch: int) -> float:
        query = self.query(batch)
        begin = time.monotonic()
        self.spark.sql(query).write.format("noop").mode("overwrite").save()
        return time.monotonic() - begin

    def added(self, since: float) -> dict[str, int]:
        return dict.fromkeys(ADDED, 0)


class Parse(IntoNothing):
    """One from_json of each event, which nothing that reads JSON in Spark can do without."""

    def query(self, batch: int) -> str:
        events = f"{self.table} where _src_ts = {time_of(batch)}"
        return f"select from_json(value, '{event_schema()}') as event from {events}"


class Staging(IntoNothing):
    """What a mirror reads: the staging model."""

    def query(self, batch: int) -> str:
        staged = self.dbt("compile", "stg_events", batch=batch).node.compiled_code
        return f"select * from ({staged}) where _src_ts = {time_of(batch)}"


class Folding(Staging):
    """The same, folded by the key alone."""

    def query(self, batch: int) -> str:
        return f"""
            select id, max_by(struct(*), struct(_tx_epoch, _tx_rank, _tx_order)) as row
            from ({super().query(batch)})
            group by id
        """


class Statement(System):
    """SQL that a team writes by hand."""

    using = "iceberg"
    properties = "'write.merge.mode' = 'merge-on-read', 'write.parquet.compression-codec' = 'zstd'"

    def merge(self, batch: int) -> float:
        begin = time.monotonic()
        if batch == 0:
            self.create()
        else:
            self.spark.sql(self.merge_sql(batch))
        return time.monotonic() - begin

    def create(self) -> None:
        self.spark.sql("create namespace if not exists bench")
        self.spark.sql(f"""
            create table {self.table} using {self.using} tblproperties ({self.properties})
            as select {NAMES} from ({newest_sql(self.case, f"_src_ts = {time_of(0)}")})
        """)

    def merge_sql(self, batch: int) -> str:
        return f"""
            merge into {self.table} as target
            using ({newest_sql(self.case, f"_src_ts = {time_of(batch)}")}) as changes
            on {" and ".join(f"target.{c} = changes.{c}" for c in self.case.key_columns)}
            when matched and changes.op = 'd' then delete
            when matched then update set
                {", ".join(f"target.{c} = changes.{c}" for c in COLUMNS)}
            when not matched and changes.op <> 'd' then insert ({NAMES})
                values ({", ".join(f"changes.{c}" for c in COLUMNS)})
        """


class HandMergeOnRead(Statement):
    """A hand-written MERGE, merge-on-read."""


class HandCopyOnWrite(Statement):
    """A hand-written MERGE, copy-on-write."""

    properties = Statement.properties.replace("merge-on-read", "copy-on-write")


def copied(spark: Any, table: str, there: str) -> float:
    """Seconds of a copy that goes over the last one; the first one is made twice."""
    spark.sql("create namespace if not exists bench")
    spark.sql(f"create table if not exists {there} using iceberg as select * from {table}")
    begin = time.monotonic()
    spark.sql(f"insert overwrite {there} select * from {table}")
    return time.monotonic() - begin


class MirrorCopy(DbtModel):
    """A copy of the mirror that a day is made of, by hand."""

    live = "bench.days"
    written = (live,)

    def merge(self, batch: int) -> float:
        self.dbt("run", "mirror_rows", batch=batch)
        return copied(self.spark, "mirror.rows", self.live)


class HandCopy(HandMergeOnRead):
    """A copy of the table that a MERGE by hand has, whose columns are fewer than a mirror's."""

    live = "bench.days"
    written = (live,)

    def merge(self, batch: int) -> float:
        super().merge(batch)
        return copied(self.spark, self.table, self.live)


class FullReload(Statement):
    """The newest event of each key of the whole log replaces the table."""

    def merge_sql(self, batch: int) -> str:
        return f"""
            insert overwrite {self.table}
            select {NAMES}
            from ({newest_sql(self.case, f"_src_ts <= {time_of(batch)}")})
            where op <> 'd'
        """


class FullReloadOfJson(Statement):
    """The same of the log as Debezium sends it, decoded by hand; the mirror's is decoded here."""

    def merge(self, batch: int) -> float:
        begin = time.monotonic()
        self.spark.sql("create namespace if not exists bench")
        self.spark.sql(f"""
            create or replace table {self.table} using iceberg tblproperties ({self.properties})
            as {newest_event_sql()}
        """)
        return time.monotonic() - begin


class Floor(Statement):
    """No system: the key column is read once, and the changed rows are written, which no merge of
    rows in files can do without.
    """

    written = ("bench.floor",)
    is_merge = False

    def merge_sql(self, batch: int) -> str:
        return f"""
            insert into bench.floor
            select {NAMES} from ({newest_sql(self.case, f"_src_ts = {time_of(batch)}")})
            where (select count_if(xxhash64(id) is null) from {self.table}) = 0
        """

    def create(self) -> None:
        super().create()
        empty = f"select * from {self.table} limit 0"
        self.spark.sql(f"create table bench.floor using iceberg as {empty}")


class DeltaMerge(Statement):
    """A MERGE into a Delta table that marks rows as deleted (deletion vectors)."""

    table = "spark_catalog.bench.rows"
    live = table
    jars = ("io.delta:delta-spark_4.1_2.13:4.1.0", "io.delta:delta-storage:4.1.0")
    extension = "io.delta.sql.DeltaSparkSessionExtension"
    conf: Mapping[str, str] = {
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog"
    }
    using = "delta"
    properties = "'delta.enableDeletionVectors' = 'true'"

    def create(self) -> None:
        self.spark.sql("create namespace if not exists spark_catalog.bench")
        super().create()

    def added(self, since: float) -> dict[str, int]:
        metrics = self.spark.sql(f"describe history {self.table} limit 1").first().operationMetrics
        sizes = (metrics.get(n, 0) for n in ("numTargetBytesAdded", "numOutputBytes"))
        return {
            "added-data-files": int(metrics.get("numTargetFilesAdded", 0)),
            "added-delete-files": int(metrics.get("numTargetDeletionVectorsAdded", 0)),
            "added-files-size": max(map(int, sizes)),
        }


class DeltaRewrite(DeltaMerge):
    """The same without deletion vectors: the files are written anew."""

    properties = "'delta.enableDeletionVectors' = 'false'"


def with_comet(system: type[System]) -> type[System]:
    """The same with Comet."""
    own = {"jars": (*system.jars, COMET), "is_accelerated": True}
    return type(f"{system.__name__}WithComet", (system,), own)


SYSTEMS: dict[str, type[System]] = {
    "lakemirror": mirror("mirror_rows"),
    "lakemirror, staged": mirror("mirror_rows_staged"),
    "lakemirror, v3": mirror("mirror_rows_v3"),
    "lakemirror, copy-on-write": mirror("mirror_rows_cow"),
    "lakemirror, no buckets": mirror("mirror_rows_flat"),
    "dbt-spark merge": StockMerge,
    "hand-written MERGE": HandMergeOnRead,
    "hand-written MERGE, copy-on-write": HandCopyOnWrite,
    "full reload": FullReload,
    "full reload of JSON": FullReloadOfJson,
    "Delta Lake": DeltaMerge,
    "Delta Lake, no deletion vectors": DeltaRewrite,
    "floor": Floor,
    "daily model": DailyModel,
    "cut": CutModel,
    "audit of a part": Audit,
    "audit of all keys": FullAudit,
    "copy of the mirror by hand": MirrorCopy,
    "copy of a hand's table": HandCopy,
    "decode and merge": Decoded,
    "decode and fold": Folding,
    "decode": Staging,
    "one from_json": Parse,
}
SYSTEMS |= {f"{name}, Comet": with_comet(SYSTEMS[name]) for name in ACCELERATED}
