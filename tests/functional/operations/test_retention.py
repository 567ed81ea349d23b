"""Hours of raw go that are older than their retention, and nobody loses what he still reads.

F26, F28, F34, F36, F49, F53; cases 78, 82.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from lakemirror.archive import Archive
from lakemirror.cli.history import table_commits
from lakemirror.cli.proof import Found, Sought, search
from lakemirror.state.erasures import KEYS, Place
from support.audits import audit, found_by
from support.deaths import DeathError, Hook, dying_at, let_all_run
from support.depth import DEEP, whole_only
from support.lake import Lake, messages
from support.one_table import MIRROR, Shop, change

HOUR = timedelta(hours=1)
RAW = "raw.shop__t"
UNTIMED = json.dumps(
    {"topic": "shop.shop.t", "partition": 0, "offset": 900, "timestamp": 1767225600000}
    | {"key": json.dumps({"id": 3}), "value": None}
)


def retention(day: int) -> str:
    """That of all until noon of a day of January, by today's clock."""
    return f"{(datetime.now(UTC) - datetime(2026, 1, day, 12, tzinfo=UTC)) // HOUR}h"


def keep(shop: Shop, **maintenance: Any) -> None:
    """What the source's YAML says of its table."""
    sources = json.loads((shop.folder / "models/sources.yml").read_text())
    sources["sources"][0]["tables"][0]["config"] = {"meta": {"maintenance": maintenance}}
    shop.write("models/sources.yml", json.dumps(sources))


def four_days(lake: Lake, *landed: str) -> Shop:
    """A mirror and its days: two keys a day of January, of which the first is deleted on the next;
    three days are published. One merge: to an older one nobody goes back.

    Args:
        landed: records that have come before.
    """
    shop = Shop(lake)
    if landed:
        shop.feed(landed)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    changes = []
    for day in (1, 2, 3, 4):
        changes += [(100 * day + key, day, "c", 10 * day + key) for key in (1, 2)]
        changes += [(100 * day + 3, day, "d", 10 * (day - 1) + 1)] if day > 1 else []
    shop.deliver(*changes)
    shop.dbt("run", "--select", "watermark_shop", "daily_shop__t")
    return shop


def maintain(shop: Shop, fails: bool = False, **arguments: Any) -> None:
    given = json.dumps({"select": RAW, **arguments})
    shop.dbt("run-operation", "maintain", "--args", given, fails=fails)


def sequence(snapshot: Any) -> int:
    return int(snapshot.sequence_number)


def offsets(lake: Lake) -> list[int]:
    return sorted(lake.catalog.load_table(RAW).scan().to_arrow()["_kfk_offset"].to_pylist())


def statuses(lake: Lake) -> dict[str, tuple[str, str | None]]:
    """The newest status of each action on raw, with its detail."""
    rows = lake.catalog.load_table("ops.maintenance").scan().to_arrow().to_pylist()
    rows = sorted(rows, key=lambda row: row["started_at"])
    return {r["action"]: (r["status"], r["detail"]) for r in rows if r["table_name"] == RAW}


def archived(folder: Path) -> dict[str, list[int]]:
    """The offsets by day."""
    found: dict[str, list[int]] = {}
    for file in sorted(folder.rglob("*.parquet")):
        day = next(p.name for p in file.parents if p.name.startswith("ds="))
        rows = pq.ParquetFile(file).read()["_kfk_offset"].to_pylist()
        found[day] = sorted([*found.get(day, []), *rows])
    return found


def test_hours_go_and_all_that_is_made_of_them_stays(lake: Lake, tmp_path: Path) -> None:
    """Mirror, days and audits are as before and go on; what would need all of raw is refused."""
    shop = four_days(lake)
    archive = tmp_path / "archive"
    keep(shop, retention=retention(2), archive=str(archive))
    before = shop.rows("t"), shop.days(), offsets(lake)
    maintain(shop, dry_run=True)
    assert (offsets(lake), archive.exists()) == (before[2], False)
    maintain(shop)
    assert statuses(lake)["drop hours"] == ("done", "5 records")
    assert offsets(lake) == before[2][5:]
    assert archived(archive / "shop__t") == {
        "ds=2026-01-01": before[2][:2],
        "ds=2026-01-02": before[2][2:5],
    }
    table = lake.catalog.load_table(RAW)
    since = table.properties["lakemirror.retained-from"]
    assert since.startswith("2026-01-02 1")
    dropped, told = (s.summary for s in sorted(table.snapshots(), key=sequence)[-2:])
    assert dropped["total-records"] == told["total-records"] == "6"
    assert dropped["added-data-files"] is None
    assert told["lakemirror.retained-from"] == since
    kinds = [commit.what for commit in table_commits(table)]
    assert kinds == ["landing", "part of the next", f"hours before {since} dropped"]
    maintain(shop)
    assert offsets(lake) == before[2][5:]
    assert (shop.rows("t"), shop.days()) == before[:2]

    # what comes now, late and again, is followed as ever
    shop.deliver((350, 3, "u", 12), (450, 4, "u", 42), (150, 1, "u", 41))
    assert shop.values() == {12: 350, 22: 202, 32: 302, 41: 401, 42: 450}
    [done] = audit(shop)
    assert (done.findings, done.unjudged) == (0, 1), found_by(lake)
    assert "does not have all that has landed" in str(done.notes)
    shop.hear("2026-01-01", "2026-01-05")
    said = shop.dbt("run", "--select", "watermark_shop", "daily_shop__t", fails=True)
    assert "late_events: report reports them" in messages(said)
    assert shop.days() == before[1]
    shop.write_daily("t", "2026-01-01", "2026-01-05", late_events="report")
    shop.dbt("run", "--select", "daily_shop__t")
    assert shop.days() == before[1] | {"2026-01-04": [12, 22, 32, 41, 42]}

    # nothing is made of what is left as if it were all
    said = shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}", fails=True)
    assert f"{RAW} has dropped the hours before {since}" in said
    assert "from_retained_log" in said
    assert "Nothing was written" in said
    mirror = (shop.folder / "models/mirror/mirror_shop__t.sql").read_text()
    shop.write("models/mirror/second.sql", mirror)
    shop.dbt("run", "--select", "second", fails=True)
    assert "mirror.second" not in {".".join(name) for name in lake.catalog.list_tables("mirror")}
    shop.dbt("run", "--select", "second", "--vars", "{from_retained_log: true}")
    rows = shop.values()
    shop.merge("--vars", "{replay: true}")
    assert shop.values() == rows


def test_records_without_a_time_go_by_their_landing(lake: Lake, monkeypatch: Any) -> None:
    """Whole files of them, and none that a file has beside a younger one."""
    shop = four_days(lake, UNTIMED)
    keep(shop, retention=retention(2))
    before = offsets(lake)[:-1]
    maintain(shop)
    assert offsets(lake) == [*before[5:], 900]
    later = datetime.now(UTC).replace(year=datetime.now(UTC).year + 1)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return later

    monkeypatch.setattr("lakemirror.runs.retention.datetime", Clock)
    maintain(shop)
    assert offsets(lake) == before[-3:], "the fourth day is still to be published"


def test_who_still_reads_keeps_all(lake: Lake, capfd: Any) -> None:
    """What is not merged, a model that has not begun, days to come, what is in the quarantine, and
    a model that reads all of raw."""
    shop = four_days(lake)
    keep(shop, retention=retention(2))
    before = offsets(lake)

    def waits(reason: str) -> None:
        capfd.readouterr()
        maintain(shop)
        assert reason in capfd.readouterr().out
        assert offsets(lake) == before

    staged = "select * from {{ ref('stg_shop__t') }}"
    shop.write("models/ops/whole.sql", f"{{{{ config(materialized='table') }}}}\n{staged}")
    waits("drop hours: it waits: whole reads all of it in each run")
    (shop.folder / "models/ops/whole.sql").unlink()
    mirror = (shop.folder / "models/mirror/mirror_shop__t.sql").read_text()
    shop.write("models/mirror/second.sql", mirror)
    waits("drop hours: it waits: second has not read it yet")
    shop.dbt("run", "--select", "second")
    # a record of the first day comes, and is not merged yet
    shop.feed([change(950, "u", 22, 5)])
    waits_since = [*before, 950]
    capfd.readouterr()
    maintain(shop)
    assert "bookmarks of commits that may be rolled back to are older" in capfd.readouterr().out
    assert offsets(lake) == waits_since
    shop.dbt("run", "--select", "path:models/mirror", "daily_shop__t")
    maintain(shop)
    # the commits that are there may be rolled back to, and have the record yet to come
    assert offsets(lake) == waits_since


def test_days_that_are_to_come(lake: Lake, capfd: Any) -> None:
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-01")
    shop.deliver((101, 1, "c", 1), (201, 2, "c", 2))
    keep(shop, retention="2d")
    maintain(shop)
    assert "daily_shop__t has not published a day yet" in capfd.readouterr().out
    assert len(offsets(lake)) == 2
    shop.hear("2026-01-01", "2026-01-02")
    shop.dbt("run", "--select", "watermark_shop", "daily_shop__t")
    maintain(shop)
    assert len(offsets(lake)) == 1


def test_what_the_quarantine_has_open(lake: Lake, capfd: Any) -> None:
    shop = Shop(lake)
    shop.write_mirror("t", "max_bad_rows_percent=100")
    shop.deliver((101, 1, "c", 1), (102, 1, "x", 2), (201, 2, "c", 3))
    keep(shop, retention="2d")
    maintain(shop)
    assert "it waits: the quarantine has open records of it" in capfd.readouterr().out
    assert len(offsets(lake)) == 3


@pytest.mark.parametrize("moment", ["set tblproperties", "insert overwrite", "delete", "forward"])
def test_it_may_die(
    moment: str, lake: Lake, around: Callable[[Hook], None], tmp_path: Path
) -> None:
    """Nothing is lost: what was archived by a call that died is archived again."""
    if moment != "forward" and not DEEP:
        pytest.skip("in make converge")
    shop = four_days(lake)
    keep(shop, retention=retention(2), archive=str(tmp_path))
    before = shop.rows("t"), shop.days(), offsets(lake)
    around(dying_at(moment))
    maintain(shop, fails=True)
    around(let_all_run)
    assert (shop.rows("t"), shop.days(), offsets(lake)) == before
    maintain(shop)
    assert offsets(lake) == before[2][5:]
    assert sum(map(len, archived(tmp_path).values())) == 5
    shop.deliver((500, 4, "c", 7))
    assert shop.values()[7] == 500


@whole_only
def test_an_archive_is_erased_too(
    lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F53: a row whose records raw has no more, also where an erasure has died, and a column."""
    shop = four_days(lake)
    keep(shop, retention=retention(2), archive=str(tmp_path))
    maintain(shop)
    folder = tmp_path / "shop__t"
    day = {"ds=2026-01-02": [3, 4, 5]}
    assert archived(folder) == day | {"ds=2026-01-01": [1, 2]}

    def erase(fails: bool = False, **more: Any) -> list[Place]:
        monkeypatch.setenv(KEYS, json.dumps({} if "column" in more else {"keys": [{"id": "12"}]}))
        what = {"column": more.pop("column")} if "column" in more else {}
        given = json.dumps({"model": "mirror_shop__t", "apply": True, "what": what, **more})
        shop.dbt("run-operation", "erase", "--args", given, fails=fails)
        if fails:
            return []
        rows = lake.catalog.load_table("ops.erasures").scan().to_arrow().to_pylist()
        newest = max(rows, key=lambda row: row["noted_at"])
        return [Place(**each) for each in json.loads(newest["places"])]

    def left(places: list[Place], sought: Sought) -> list[Found]:
        return list(search(lake.catalog, places, sought).found)

    def die(archive: Archive, part: tuple[str, str]) -> None:
        raise DeathError("the process died here")

    with monkeypatch.context() as patched:
        patched.setattr(Archive, "put", die)
        erase(fails=True)
    places = erase()
    assert ("archive", 1) in {(place.kind, place.rows) for place in places}
    assert archived(folder) == day | {"ds=2026-01-01": [1]}
    assert left(places, Sought(["id"], [{"id": "12"}], [])) == []
    assert {*shop.values()} == {22, 32, 41, 42}
    places = erase(column="v")
    assert left(places, Sought([], [], [], ["v"])) == []
    assert archived(folder) == day | {"ds=2026-01-01": [1]}


@pytest.mark.parametrize("moment", range(4))
def test_a_part_that_is_written_again_may_die(
    moment: int, spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After any move of a file: another erasure ends what this one has begun."""
    records = spark.range(4).repartitionByRange(2, "id").selectExpr("id as _kfk_offset")
    records.write.parquet(str(tmp_path / "ds=2026-01-01/snapshot=7"))
    move, moves = Archive.move, iter(range(9))

    def dying(archive: Archive, file: Any, to: Any) -> None:
        if next(moves) == moment:
            raise DeathError("the process died here")
        move(archive, file, to)

    def kept(there: str) -> str:
        return f"select * from {there} where _kfk_offset <> 1"

    with monkeypatch.context() as patched:
        patched.setattr(Archive, "move", dying)
        if moment < 3:  # the mark, and two files
            with pytest.raises(DeathError):
                Archive(spark, str(tmp_path)).erase("_kfk_offset = 1", kept, dry_run=False)
        else:
            assert Archive(spark, str(tmp_path)).erase("_kfk_offset = 1", kept, False) == 1
    assert Archive(spark, str(tmp_path)).erase("_kfk_offset = 1", kept, dry_run=False) == 0
    assert archived(tmp_path) == {"ds=2026-01-01": [0, 2, 3]}
    assert [path.name for path in tmp_path.iterdir()] == ["ds=2026-01-01"]


def test_an_archive_that_spark_cannot_write(lake: Lake, capfd: Any) -> None:
    """Nothing goes, and raw is not said to lack anything."""
    shop = four_days(lake)
    keep(shop, retention=retention(2), archive="nowhere://bucket/raw")
    before = offsets(lake)
    maintain(shop, fails=True)
    assert "Spark has no file system for nowhere://bucket/raw" in capfd.readouterr().out
    assert offsets(lake) == before
    assert "lakemirror.retained-from" not in lake.catalog.load_table(RAW).properties


def test_what_lands_meanwhile_stays(lake: Lake, around: Callable[[Hook], None], sql: Any) -> None:
    """A late record of an hour that goes, right before it does."""
    shop = four_days(lake)
    keep(shop, retention=retention(2))
    done: list[str] = []

    def landing(statement: str, run: Callable[[], None]) -> None:
        if statement.startswith("publish") and not done:
            done.append(statement)
            sql(
                f"insert into {RAW} select key, value, _kfk_topic, _kfk_partition, 990, "
                f"_kfk_timestamp, _src_ts, current_timestamp() from {RAW} where _kfk_offset = 1"
            )
        run()

    around(landing)
    maintain(shop)
    around(let_all_run)
    assert done
    left = offsets(lake)
    assert 990 in left
    assert left[:2] == [1, 2], "the hour that the record is of waits for it"
    shop.merge()
    assert lake.catalog.load_table(MIRROR).current_snapshot() is not None
