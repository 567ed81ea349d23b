"""Mirrors and days equal the source's own state, however the recording arrives.

I1; cases 12-17, 20, 67-69, 74.
"""

import random
import re
from pathlib import Path
from typing import Any

import pytest

from lakemirror.state.commits import days_of
from support.depth import deep_only, whole_only
from support.lake import PROJECT, Lake, messages
from support.readers import duck_db
from support.recordings import demo_lines, write
from support.source_state import (
    COMMERCE_KEYS,
    SHOP_DAYS,
    assert_commerce_daily,
    assert_commerce_mirrors,
    assert_shop_daily,
    assert_shop_mirrors,
    shop_state,
)

pytestmark = pytest.mark.compiled

MIRRORS = [
    *(f"mirror.shop__{t}" for t in ("customers", "heartbeat", "order_items", "orders", "products")),
    *(f"mirror.commerce__{t}" for t in ("channels", "messages", "users")),
]
DAYS = [
    "daily.shop__orders",
    "daily.commerce__users",
]
PIPELINE = (
    *("run", "--select", "landing", "watermark_*", "mirror.*"),
    *(f"daily_shop__{table}" for table in SHOP_DAYS),
    *(f"daily_commerce__{table}" for table in COMMERCE_KEYS),
)


def assert_equal_to_sources(lake: Lake) -> None:
    assert_shop_mirrors(lake.catalog)
    assert_commerce_mirrors(lake.catalog)
    for ds in ("2026-01-29", "2026-01-30", "2026-01-31"):
        assert_shop_daily(lake.catalog, ds, SHOP_DAYS)
    assert_commerce_daily(lake.catalog, COMMERCE_KEYS.keys())


def test_whole_recording_then_nothing_new(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Case 86 (first run), F23 (nothing new: no commit on a mirror, a day or raw); then the guide
    to other engines reads it."""
    lake.land_demo()
    lake.dbt("build")
    assert_equal_to_sources(lake)
    before = {name: lake.snapshots(name) for name in MIRRORS + DAYS}
    raw = lake.snapshots("raw.shop__orders")
    lake.dbt("run")
    assert {name: lake.snapshots(name) for name in MIRRORS + DAYS} == before
    assert lake.snapshots("raw.shop__orders") == raw
    monkeypatch.chdir(lake.folder.parent)
    names = read_elsewhere(PROJECT / "docs/guides/read-elsewhere.md")
    paid = [row for row in shop_state("final")["orders"].values() if row["status"] == "paid"]
    assert names["paid"].num_rows == len(paid)
    assert duck_db().sql(names["query"]).fetchall() == [(len(paid),)]
    assert names["day"].num_rows == len(shop_state("2026-02-01")["orders"])


def read_elsewhere(page: Path) -> dict[str, Any]:
    """The names of a guide's Python, once all of it has run."""
    names: dict[str, Any] = {}
    code = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    exec("\n".join(code), names)
    return names


@deep_only
@pytest.mark.parametrize("slices", [3, 10])
def test_recording_in_slices_twice_and_shuffled(lake: Lake, slices: int) -> None:
    """Late, reordered and repeated events in other batches (cases 12-16, F01-F08)."""
    lines = demo_lines("commerce") + demo_lines("shop")
    random.Random(slices).shuffle(lines)
    # what a column came with must be known before the first event without it
    write(lake.recordings, "schemas", demo_lines("shop", "shop"))
    for n in range(slices):
        write(lake.recordings, f"slice-{n}", lines[n::slices])
        if n == 1:  # a slice that is delivered twice
            write(lake.recordings, "again", lines[0::slices])
        lake.dbt(*PIPELINE)
    assert_equal_to_sources(lake)


@whole_only
def test_recording_cut_where_a_column_comes(lake: Lake) -> None:
    """G9: the YAML declares it from the start, and the mirror has its rows of before the ALTER."""
    lines = demo_lines("shop")
    [cut] = [n for n, line in enumerate(lines) if "ADD COLUMN loyalty_tier" in line]
    for n, part in enumerate((lines[:cut], lines[cut:])):
        write(lake.recordings, f"slice-{n}", part)
        lake.dbt("run", "--select", "landing", "path:models/mirror/shop")
    assert_shop_mirrors(lake.catalog)


def test_full_refresh_is_refused_unless_allowed(lake: Lake) -> None:
    """F40: a mirror is not rebuilt by accident, and a rebuild keeps its history."""
    write(lake.recordings, "shop", demo_lines("shop", "shop", "shop.shop.products"))
    select = ("--select", "mirror_shop__products")
    lake.dbt("run", "--select", "landing", "mirror_shop__products")
    first = lake.snapshots("mirror.shop__products")
    refused = lake.dbt("run", "--full-refresh", *select, fails=True)
    assert "allow_full_refresh: true" in messages(refused)
    assert lake.snapshots("mirror.shop__products") == first
    lake.dbt("run", "--full-refresh", *select, "--vars", "{allow_full_refresh: true}")
    rebuilt = lake.snapshots("mirror.shop__products")
    assert rebuilt[: len(first)] == first
    assert len(rebuilt) > len(first)
    lake.dbt("run", *select)
    assert lake.snapshots("mirror.shop__products") == rebuilt


def test_a_day_that_is_not_complete_is_refused(lake: Lake) -> None:
    """Case 69, F22: no heartbeat after its midnight, no day."""
    topics = "vt", "vt.commerce.heartbeat", "vt.commerce.channels"
    write(lake.recordings, "commerce", demo_lines("commerce", *topics))
    model = "daily_commerce__channels"
    lake.dbt("run", "--select", "landing", "watermark_commerce", "mirror_commerce__channels")
    refused = lake.dbt("run", "--select", model, "--vars", "{ds: 2026-11-21}", fails=True)
    assert "is not complete" in messages(refused)
    lake.dbt("run", "--select", model, "--vars", "{ds: 2026-11-20}")
    assert days_of(lake.catalog.load_table("daily.commerce__channels")) == {"2026-11-20"}
