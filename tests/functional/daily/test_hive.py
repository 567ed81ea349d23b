"""Days as Hive-style Parquet: whole, as the daily table has them, whatever dies."""

import json
import threading
from pathlib import Path

import pyarrow.dataset as ds
import pytest
from pyspark.sql import SparkSession

from lakemirror.hive import ASIDE, MARK, Folder, HiveError, export_days
from support.deaths import DeathError
from support.depth import deep_only
from support.lake import Lake
from support.one_table import Shop
from support.templates import copied

TABLE = "daily.shop__t"
MODEL = """
from lakemirror.hive import export_days


def model(dbt, session):
    dbt.ref("daily_shop__t")
    return export_days(session, "daily.shop__t", dbt.config.get("location"))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the days go."""
    return tmp_path / "hive"


def three_days(lake: Lake) -> Shop:
    """Three days; on the second nothing happens, and the third has no row."""
    made = Shop(lake)
    made.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    made.deliver((10, 1, "c", 1), (11, 1, "c", 2), (30, 3, "d", 1), (31, 3, "d", 2))
    made.dbt("run", "--select", "watermark_shop", "daily_shop__t")
    return made


@pytest.fixture
def shop(lake: Lake) -> Shop:
    return copied(lake, three_days)


def read(folder: Path) -> dict[str, list[int]]:
    """Keys by day, as a reader of Hive's layout finds them."""
    found: dict[str, list[int]] = {day.name.removeprefix("ds="): [] for day in folder.glob("ds=*")}
    table = ds.dataset(folder, partitioning="hive").to_table()
    for row in table.to_pylist():
        found[str(row["ds"])].append(row["id"])
    return {day: sorted(keys) for day, keys in sorted(found.items())}


DAYS = {"2026-01-01": [1, 2], "2026-01-02": [1, 2], "2026-01-03": []}


def test_days_are_folders(lake: Lake, shop: Shop, spark: SparkSession, folder: Path) -> None:
    """F47: a model of the project; nothing is written twice, and a restated day is replaced."""
    config = json.dumps({"location": str(folder), "materialized": "incremental", "schema": "ops"})
    shop.write("models/hive/hive_shop__t.py", MODEL)
    shop.write("models/hive/_hive.yml", f"models: [{{name: hive_shop__t, config: {config}}}]")
    shop.dbt("run", "--select", "hive_shop__t")
    assert read(folder) == DAYS
    [file] = (folder / "ds=2026-01-01").glob("*.parquet")
    assert "zstd" in file.name
    assert (file.parent / "_SUCCESS").exists()
    mark = json.loads((file.parent / MARK).read_text())
    assert (mark["rows"], mark["watermark"]) == (2, "2026-01-04 00:00:00")
    shop.dbt("run", "--select", "hive_shop__t")
    report = lake.catalog.load_table("ops.hive_shop__t").scan().to_arrow().to_pylist()
    assert sorted((str(row["ds"]), row["rows"]) for row in report) == [
        (day, len(keys)) for day, keys in DAYS.items()
    ]
    shop.deliver((20, 2, "c", 7))
    shop.dbt("run", "--select", "daily_shop__t", "hive_shop__t")
    assert read(folder) == {**DAYS, "2026-01-02": [1, 2, 7], "2026-01-03": [7]}
    spark.sql(f"delete from {TABLE} where ds = date '2026-01-01'")  # as prune_days does
    shop.dbt("run", "--select", "hive_shop__t")
    assert read(folder)["2026-01-01"] == [1, 2]


@deep_only
def test_a_death_anywhere(
    shop: Shop, spark: SparkSession, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F47: no half day; the next run has it."""
    export_days(spark, TABLE, str(folder))
    shop.deliver((20, 2, "c", 7))
    shop.dbt("run", "--select", "daily_shop__t")
    after = {**DAYS, "2026-01-02": [1, 2, 7], "2026-01-03": [7]}
    move = Folder.move
    for last in range(1, 5):
        moves = iter(range(1, 10))

        def dies(self: Folder, *paths: object, last: int = last, moves: object = moves) -> None:
            if next(moves) == last:  # type: ignore[call-overload]
                raise DeathError
            move(self, *paths)

        monkeypatch.setattr(Folder, "move", dies)
        with pytest.raises(DeathError):
            export_days(spark, TABLE, str(folder))
        found = read(folder)
        assert all(found[day] in (DAYS[day], after[day]) for day in found), found
        monkeypatch.undo()
        export_days(spark, TABLE, str(folder))
        assert read(folder) == after
        for day in after:  # as it was before
            mark = folder / f"ds={day}" / MARK
            mark.with_name(f".{MARK}.crc").unlink()  # Hadoop's own checksum
            mark.write_text(json.dumps(json.loads(mark.read_text()) | {"snapshot_id": 1}))
    assert list((folder / ASIDE).iterdir())


def test_two_exports_at_once(shop: Shop, spark: SparkSession, folder: Path) -> None:
    """Each day is there once and whole; who comes second is told."""
    problems: list[Exception] = []

    def export() -> None:
        try:
            export_days(spark, TABLE, str(folder))
        except HiveError as problem:
            problems.append(problem)

    runs = [threading.Thread(target=export) for _ in range(2)]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert all("by another run" in str(problem) for problem in problems)
    export_days(spark, TABLE, str(folder))
    assert read(folder) == DAYS


def test_days_are_registered(shop: Shop, spark: SparkSession, folder: Path) -> None:
    """In Spark's own catalog, which is a Hive metastore where Spark has one."""
    name = "spark_catalog.default.orders_by_day"
    try:
        export_days(spark, TABLE, str(folder), name)
        assert spark.sql(f"select id from {name} where ds = date '2026-01-02'").count() == 2
        shop.declare(id={"data_type": "int"}, v={"data_type": "int"}, w={"data_type": "int"})
        shop.deliver((20, 2, "c", 7))
        shop.dbt("run", "--select", "daily_shop__t")
        export_days(spark, TABLE, str(folder), name)
        rows = spark.sql(f"select id, v, w from {name} where ds = date '2026-01-03'").collect()
        assert [tuple(row) for row in rows] == [(7, 20, None)]
    finally:
        spark.sql(f"drop table if exists {name}")


def test_what_is_refused(shop: Shop, spark: SparkSession, folder: Path) -> None:
    (folder / "ds=2026-01-02").mkdir(parents=True)
    with pytest.raises(HiveError, match="somebody else's"):
        export_days(spark, TABLE, str(folder))
    assert not list((folder / "ds=2026-01-02").iterdir())
    with pytest.raises(HiveError, match="an object store"):
        export_days(spark, TABLE, "s3a://bucket/orders")
