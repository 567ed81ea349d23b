"""What waiting for a day tells at once, and what it waits for; H11."""

import sys
from datetime import UTC, date, datetime

import pyarrow as pa
import pytest

from lakemirror.cli.main import main
from support.small_lake import add_table, small_lake

TIME = pa.timestamp("us", "UTC")
SHARDS = pa.schema(
    [
        *(("shard", pa.string()), ("heard_from", TIME), ("complete_until", TIME)),
        ("proof", pa.string()),
    ]
)
ROWS = pa.schema([("id", pa.int32())])


def at(day):
    return datetime(2026, 1, day, tzinfo=UTC)


def watermark(*shards):
    names = SHARDS.names
    return pa.Table.from_pylist([dict(zip(names, s, strict=True)) for s in shards], schema=SHARDS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with daily orders and two sources that are heard, in whose lake only one is."""
    monkeypatch.chdir(tmp_path)
    for name in ("daily/daily_shop__orders", "ops/watermark_shop", "ops/watermark_cafe"):
        file = tmp_path / f"models/{name}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("select 1")
    small_lake(
        tmp_path,
        {
            "ops.watermark_shop": watermark(("", at(1), at(5), "heartbeats")),
            "raw.till__sales": ROWS.empty_table(),
        },
    )
    return tmp_path


@pytest.fixture
def wait(folder, monkeypatch, capsys):
    def call(source, ds, *tables):
        """At once, or for a moment: its exit code, and what it says."""
        more = ["--tables", *tables] if tables else []
        given = ["--source", source, "--ds", ds, "--timeout", "0s", *more]
        monkeypatch.setattr(sys, "argv", ["lakemirror", "wait", *given])
        capsys.readouterr()
        code = main()
        return code, "".join(capsys.readouterr())

    return call


@pytest.mark.parametrize(
    ("source", "tables", "problem"),
    [
        ("shpo", [], "no source shpo is in the project or the lake; did you mean shop?"),
        ("xyz", [], "no source xyz is in the project or the lake."),
        ("till", [], "the source till has no watermark, and no day of it is ever complete. `lake"),
        ("shop", ["ordres"], "these daily tables of shop: ordres; did you mean orders?"),
        ("shop", ["orders", "x"], "neither the project nor the lake has these daily tables"),
        ("cafe", ["orders"], "these daily tables of cafe: orders."),
    ],
)
def test_what_never_comes_is_told_at_once(wait, source, tables, problem):
    code, said = wait(source, "2026-01-02", *tables)
    assert code == 2
    assert problem in said
    assert "waiting" not in said


def test_what_the_project_has_and_the_lake_has_not_is_waited_for(wait):
    code, said = wait("cafe", "2026-01-02")
    assert code == 1
    assert "waiting: ops.watermark_cafe is not there yet, or nothing was heard\n" in said
    code, said = wait("shop", "2026-01-02", "orders")
    assert code == 1
    assert "waiting: daily.shop__orders is not there yet\n" in said


def test_a_day_from_before_the_source_was_heard(wait):
    code, said = wait("shop", "2025-12-31")
    assert (code, said) == (
        2,
        "2025-12-31 will not come: shop is heard from 2026-01-01 00:00:00 on.\n",
    )


def test_a_day_that_is_there(wait, folder):
    assert wait("shop", "2026-01-04") == (0, "shop: 2026-01-04 is complete.\n")
    published = pa.table({"ds": pa.array([date(2026, 1, 4)])})
    lake = small_lake(folder, {})
    add_table(lake, "daily.shop__orders", published, **{"lakemirror.ds": "2026-01-04"})
    assert wait("shop", "2026-01-04", "orders") == (
        0,
        "shop: 2026-01-04 is complete and published.\n",
    )
    code, said = wait("shop", "2026-01-05", "orders")
    assert code == 1
    assert "waiting: daily.shop__orders has not published 2026-01-05\n" in said


def test_a_shard_that_was_never_heard_is_waited_for(wait, folder):
    lake = small_lake(folder, {})
    lake.drop_table("ops.watermark_shop")
    shards = watermark(("-80", at(1), at(5), "clock"), ("80-", None, None, "clock"))
    add_table(lake, "ops.watermark_shop", shards)
    code, said = wait("shop", "2026-01-05")
    assert code == 1
    assert "waiting: shard -80 is complete until 2026-01-05 00:00:00 (by clock, not by" in said
    assert "waiting: shard 80- was never heard\n" in said


def test_records_that_have_not_landed_are_told(wait, folder):
    """Of the newest landing of each partition, whatever was written last."""
    names = ("raw_table", "topic", "partition", "to_offset", "end_offset", "landed_at")
    found = [
        ("shop__orders", "shop.orders", 0, 9, 30, at(3)),
        ("shop__orders", "shop.orders", 0, 4, 8, at(2)),
        ("shop__orders", "shop.orders", 1, 7, 8, at(3)),
        ("shop__orders", "shop.orders", 1, 2, 8, at(2)),
        ("shop__lines", "shop.lines", 0, 1, None, at(3)),
        ("shoptill__lines", "shoptill.lines", 0, 1, 9, at(3)),
    ]
    rows = [dict(zip(names, row, strict=True)) for row in found]
    add_table(small_lake(folder, {}), "ops.landing", pa.Table.from_pylist(rows))
    code, said = wait("shop", "2026-01-05")
    assert code == 1
    assert said.count("have not landed") == 1
    assert "waiting: shop.orders, partition 0: 20 records have not landed\n" in said
