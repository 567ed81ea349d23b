"""A canary in every kind of place is erased, and no byte of it is left: F28, F53."""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fastavro
import pyarrow.dataset as pads
import pyarrow.parquet as pq
import pytest

from lakemirror.cli.proof import Sought, search
from lakemirror.state.erasures import KEYS, erased_names, erasure, note_proof
from support import one_table
from support.audits import assert_healthy, audit
from support.deaths import Hook, death_after, let_all_run
from support.depth import whole_only
from support.lake import Lake, messages
from support.mirror_project import DAILY, MirrorProject
from support.recordings import write

CANARY, KEY = "ada.canary@example.org", 4217
COLUMNS = "id int, name varchar(60)"
MIRROR, MODEL = "mirror.shop__t", "mirror_shop__t"
TOMBSTONES = f"{MIRROR}__tombstones"
DAY = 86_400_000
STAGED = "mirror__shop__t__20260101t000000_00000000"
PLACES = {
    "hive",
    *(f"warehouse/{each}/shop__t" for each in ("raw", "mirror", "log", "daily")),
    *(f"warehouse/ops/{each}" for each in ("quarantine", "audit_findings")),
    f"warehouse/stage/{STAGED}",
}
LOG = """
{{ config(materialized='log', schema='log') }}
select * from {{ ref('stg_shop__t') }}
"""
DAYS = ("daily_shop__t", "hive_shop__t", "daily_shop__branches")
HIVE = """
from lakemirror.hive import export_days


def model(dbt, session):
    dbt.ref("daily_shop__t")
    return export_days(session, "daily.shop__t", dbt.config.get("location"))
"""


class Shop(MirrorProject):
    """A table of people, with all that can be made of it."""

    def __init__(self, lake: Lake) -> None:
        super().__init__(lake, "shop", "mariadb", {"t": (COLUMNS, ["id"])})
        self.hive = lake.folder / "hive"
        self.offset = 0
        self.write("models/log/log_shop__t.sql", LOG)
        self.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-03")
        config = "unique_key=['id'], publish='branch'"
        daily = DAILY.format(source="shop", name="shop__t", config=config)
        self.write("models/daily/daily_shop__branches.sql", daily)
        given = {"location": str(self.hive), "materialized": "incremental", "schema": "ops"}
        self.write("models/hive/hive_shop__t.py", HIVE)
        models = [{"name": "hive_shop__t", "config": given}]
        self.write("models/hive/_hive.yml", json.dumps({"models": models}))

    def record(self, op: str, key: int, name: str, day: int = 1, position: int = 0) -> str:
        """A record; the next offset is its place in the binlog too, unless one is given."""
        self.offset += 1
        row = {"id": key, "name": name}
        source = {"ts_ms": 1767225600000 + (day - 1) * DAY + self.offset, "row": 0}
        source |= {"file": "binlog.000001", "pos": position or 100 + self.offset}
        source |= {"server_id": 1, "db": "shop", "table": "t"}
        event = {"op": op, "source": source, "before": None, "after": None}
        event |= {"before" if op == "d" else "after": row}
        record = {"topic": "shop.shop.t", "partition": 0, "offset": self.offset}
        record |= {"timestamp": 1767225600000, "key": json.dumps({"id": key})}
        return json.dumps(record | {"value": json.dumps(event)})

    def run(self, *lines: str) -> None:
        self.feed(lines, MODEL, "log_shop__t")

    def erase(self, monkeypatch: pytest.MonkeyPatch, fails: bool = False, **more: Any) -> None:
        handed = {} if "column" in more else {"keys": [{"id": str(KEY)}]}
        monkeypatch.setenv(KEYS, json.dumps(handed))
        if "column" in more:
            more["what"] = {"column": more.pop("column")}
        given = {"model": MODEL, "by": "dpo", "reason": "ticket-17", **more}
        self.dbt("run-operation", "erase", "--args", json.dumps(given), fails=fails)

    def days(self) -> dict[str, list[int]]:
        """The keys of each day, of the copies and of the folders."""
        found: dict[str, list[int]] = {}
        rows = self.lake.catalog.load_table("daily.shop__t").scan().to_arrow().to_pylist()
        folders = pads.dataset(self.hive, partitioning="hive").to_table().to_pylist()
        for kind, each in (("daily", rows), ("hive", folders)):
            for row in each:
                found.setdefault(f"{kind} {row['ds']}", []).append(row["id"])
        return {day: sorted(keys) for day, keys in sorted(found.items())}


def texts_of(file: Path) -> Iterator[str]:
    """All that a file says: its bytes, and what they are decoded to."""
    content = file.read_bytes()
    yield content.decode("latin-1")
    if file.suffix == ".parquet":
        table = pq.ParquetFile(file)
        yield str(table.read().to_pylist())
        for group in (table.metadata.row_group(n) for n in range(table.num_row_groups)):
            yield str([group.column(n).statistics for n in range(group.num_columns)])
    elif file.suffix == ".avro":
        with file.open("rb") as stream:
            yield str(list(fastavro.reader(stream)))
    elif file.suffix == ".gz":
        yield gzip.decompress(content).decode("latin-1")


def holders(lake: Lake, shop: Shop, canary: str = CANARY) -> set[str]:
    """The folders that have files with the canary: a search of its own, of the whole lake."""
    found = set()
    for folder in (lake.folder / "warehouse", shop.hive):
        for file in folder.rglob("*"):
            if file.is_file() and any(canary in text for text in texts_of(file)):
                found.add("/".join(file.relative_to(lake.folder).parts[:3]).partition("/ds=")[0])
    return found


def values(lake: Lake, table: str) -> dict[int, str]:
    rows = lake.catalog.load_table(table).scan().to_arrow().to_pylist()
    return {row["id"]: row.get("name", "") for row in rows}


def said_by_runs(lake: Lake) -> list[str | None]:
    runs = lake.catalog.load_table("ops.runs")
    return runs.scan().to_arrow()["message"].to_pylist()


@whole_only
def test_a_canary_is_erased_everywhere(
    lake: Lake,
    monkeypatch: pytest.MonkeyPatch,
    around: Callable[[Hook], None],
    sql: Callable[[str], None],
) -> None:
    """A death in the middle goes on; the next run is right; a late event brings nothing back."""
    shop = Shop(lake)
    record = shop.record
    shop.run(record("c", 1, "one"), record("c", KEY, CANARY), record("d", KEY, CANARY))
    conflict = [record("c", KEY, CANARY, 2, 900), record("u", KEY, CANARY + " too", 2, 900)]
    unknown = record("xu", KEY, CANARY, 2, 901)
    shop.run(record("c", 2, "two", 2), *conflict, unknown)
    shop.dbt("run", "--select", "watermark_shop", *DAYS)
    sql(f"update {MIRROR} set name = concat(name, '!') where id = {KEY}")
    audit(shop)
    sql(f"create table stage.{STAGED} as select * from {MIRROR}")
    before = holders(lake, shop)
    assert any(f'"id":{KEY}' in (said or "") for said in said_by_runs(lake))
    assert before == PLACES
    others = {key: name for key, name in values(lake, MIRROR).items() if key != KEY}
    days = shop.days()
    snapshots = lake.snapshots(MIRROR)

    assert len(values(lake, TOMBSTONES)) == 1
    assert lake.catalog.load_table("ops.order_conflicts").scan().count() == 1
    shop.erase(monkeypatch)
    assert lake.snapshots(MIRROR) == snapshots

    written: list[str] = []
    around(death_after(35, written))
    shop.erase(monkeypatch, fails=True, apply=True)
    assert len(written) == 35
    assert holders(lake, shop)
    around(let_all_run)
    shop.erase(monkeypatch, apply=True)

    assert holders(lake, shop) == set()
    assert not any(f'"id":{KEY}' in (said or "") for said in said_by_runs(lake))
    assert values(lake, MIRROR) == others
    assert values(lake, TOMBSTONES) == {}
    assert shop.days() == {day: [key for key in keys if key != KEY] for day, keys in days.items()}
    rows = lake.catalog.load_table("ops.erasures").scan().to_arrow().to_pylist()
    assert {row["state"] for row in rows} == {"begun", "erased"}
    [done] = {row["erasure_id"] for row in rows}
    assert (rows[0]["asked_by"], rows[0]["reason"]) == ("dpo", "ticket-17")
    found = erasure(lake.catalog, done)
    assert found is not None
    sought = Sought(["id"], [{"id": str(KEY)}], [CANARY])
    report = search(lake.catalog, found.places, sought)
    assert report.found == []
    assert report.files > 20
    note_proof(lake.catalog, done, report.files, 0)
    proven = erasure(lake.catalog, done)
    assert proven is not None
    assert proven.state == "proven"

    late = record("u", KEY, "late", 2, position=500)
    shop.feed([late, record("c", 5, "five", 2)])
    said = messages(shop.dbt("run", "--select", MODEL))
    assert "1 records of erased keys have come again, and are kept out" in said
    assert values(lake, MIRROR) == others | {5: "five"}
    shop.dbt("run", "--select", *DAYS)
    assert KEY not in {key for keys in shop.days().values() for key in keys}
    assert_healthy(shop, audit_id="2")
    # what lands again is found by the proof
    assert search(lake.catalog, found.places, sought).found != []

    erase_column(lake, shop, monkeypatch, around)
    sql("update ops.erased_columns set is_kept_out = false")  # as with `erased: take in`
    shop.run(record("u", 1, "taken in", 2))
    assert values(lake, MIRROR)[1] == "taken in"


def erase_column(
    lake: Lake, shop: Shop, monkeypatch: pytest.MonkeyPatch, around: Callable[[Hook], None]
) -> None:
    """The values of a column go from all rows; no new record, no replay and no day brings them
    again."""
    canary = "grace.canary@example.org"
    lines = [shop.record("c", 7, canary, 2), shop.record("xu", 8, canary, 2, 902)]
    shop.run(*lines)
    shop.dbt("run", "--select", *DAYS)
    before, days, snapshots = values(lake, MIRROR), shop.days(), lake.snapshots(MIRROR)
    assert holders(lake, shop, canary) > {
        "hive",
        "warehouse/raw/shop__t",
        "warehouse/ops/quarantine",
    }
    shop.erase(monkeypatch, column="Name")
    shop.erase(monkeypatch, column="id", apply=True, fails=True)
    assert lake.snapshots(MIRROR) == snapshots

    written: list[str] = []
    around(death_after(30, written))
    shop.erase(monkeypatch, column="name", apply=True, fails=True)
    assert len(written) == 30
    around(let_all_run)
    shop.erase(monkeypatch, column="name", apply=True)

    assert holders(lake, shop, canary) == set()
    assert values(lake, MIRROR) == dict.fromkeys(before)
    assert shop.days() == days
    rows = lake.catalog.load_table("ops.erasures").scan().to_arrow().to_pylist()
    [done] = {row["erasure_id"] for row in rows if row["kind"] == "column"}
    found = erasure(lake.catalog, done)
    assert found is not None
    assert found.state == "erased"
    sought = Sought([], [], [canary], erased_names(lake.catalog, done))
    assert sought.columns == ["name"]
    assert search(lake.catalog, found.places, sought).found == []

    again = [*lines, shop.record("u", 1, f"{canary} again", 2)]
    write(lake.recordings, "again", again)
    said = messages(shop.dbt("run", "--select", "landing", MODEL, "log_shop__t", *DAYS))
    assert "raw.shop__t is erased, and left out" in said.replace("`", "")
    assert holders(lake, shop, canary) == set()
    assert values(lake, MIRROR) == dict.fromkeys(before)
    assert_healthy(shop, audit_id="3")


def test_a_key_that_is_taken_in_again(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `erased: take in` what comes after the erasure is a row like any other."""
    shop = one_table.Shop(lake)
    shop.write_mirror("t", "erased='take in'")
    shop.deliver((101, 1, "c", 1), (102, 1, "c", 2))
    monkeypatch.setenv(KEYS, json.dumps({"keys": [{"id": "1"}]}))
    given = json.dumps({"model": "mirror_shop__t", "apply": True})
    shop.dbt("run-operation", "erase", "--args", given)
    assert shop.values() == {2: 102}
    shop.deliver((103, 1, "u", 1), (100, 1, "u", 2))
    assert shop.values() == {1: 103, 2: 102}
    assert_healthy(shop)
