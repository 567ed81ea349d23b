"""Several mirrors at one time of their sources; case 76."""

from collections.abc import Callable
from typing import Any

import pytest

from support.lake import Lake, messages
from support.mirror_project import MirrorProject
from support.one_table import DAY, change

CUT = """
{{ config(materialized='cut', schema='ops') }}
{{ at_cut(ref('mirror_shop__t'), ref('stg_shop__t'), ref('watermark_shop')) }}
union all
{{ at_cut(ref('mirror_shop__u'), ref('stg_shop__u'), ref('watermark_shop')) }}
"""
MART = """
{{ config(materialized='table', schema='marts') }}
select 't' as name, id from {{ as_of_cut(ref('mirror_shop__t')) }}
union all
select 'u' as name, id from {{ as_of_cut(ref('mirror_shop__u')) }}
"""


@pytest.fixture
def shop(lake: Lake) -> MirrorProject:
    """Two mirrors of a source, and a mart of both at a cut."""
    made = MirrorProject(
        lake, "shop", "mariadb", {name: ("id int, v int", ["id"]) for name in ("t", "u")}
    )
    made.hear("2026-01-01", "2026-01-02 12:00:00")
    made.write("models/ops/consistent_cut.sql", CUT)
    made.write("models/marts/both.sql", MART)
    return made


def deliver(shop: MirrorProject, *changes: tuple[str, int, float, str, int]) -> None:
    """Land and merge changes of (table, offset, day of January, operation, key)."""
    lines = []
    for table, offset, day, op, key in changes:
        time = 1767225600000 + int((day - 1) * DAY)
        line = change(offset, op, key, offset, ts_ms=time, table=table)
        lines.append(line.replace("shop.shop.t", f"shop.shop.{table}"))
    shop.feed(lines, "path:models/mirror")


def rows(shop: MirrorProject) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {"t": [], "u": []}
    for row in shop.lake.catalog.load_table("marts.both").scan().to_arrow().to_pylist():
        found[row["name"]].append(row["id"])
    return {name: sorted(keys) for name, keys in found.items()}


def run(shop: MirrorProject, **options: Any) -> str:
    return messages(
        shop.dbt("run", "--select", "watermark_shop", "consistent_cut", "both", **options)
    )


def test_a_mart_reads_its_mirrors_at_one_time(
    shop: MirrorProject, sql: Callable[[str], None]
) -> None:
    """The newest time until which the source is complete; what came after it is in no mirror."""
    deliver(shop, ("t", 1, 1, "c", 1), ("t", 2, 1.5, "c", 2), ("u", 1, 1, "c", 1))
    deliver(shop, ("t", 3, 2.4, "d", 1), ("t", 4, 2.6, "c", 3), ("u", 2, 2.5, "c", 2))
    deliver(shop, ("u", 3, 2.49, "c", 3), ("t", 5, 3, "d", 2))
    run(shop)
    assert rows(shop) == {"t": [2], "u": [1, 3]}

    before = shop.lake.snapshots("ops.consistent_cut"), shop.lake.snapshots("mirror.shop__t")
    run(shop)
    assert before == (
        shop.lake.snapshots("ops.consistent_cut"),
        shop.lake.snapshots("mirror.shop__t"),
    )
    shop.hear("2026-01-01", "2026-01-03 12:00:00")
    run(shop)
    assert rows(shop) == {"t": [3], "u": [1, 2, 3]}
    for table in ("t", "u"):  # tags keep what the cut names
        sql(f"call lake.system.expire_snapshots('mirror.shop__{table}', timestamp '2100-01-01', 1)")
    run(shop)
    assert rows(shop) == {"t": [3], "u": [1, 2, 3]}


def test_a_cut_that_is_not_to_be_had(shop: MirrorProject) -> None:
    """The former one stands, and says why; a mart without one does not read what is there now."""
    shop.dbt("run", "--select", "landing")
    shop.dbt("run", "--select", "path:models/mirror")
    assert "mirror.shop__t has merged nothing yet" in run(shop, fails=True)
    deliver(shop, ("t", 1, 1, "c", 1), ("u", 1, 1, "c", 1))
    run(shop)
    assert rows(shop) == {"t": [1], "u": [1]}
    shop.write("models/ops/consistent_cut.sql", CUT.split("union all")[0])
    said = run(shop, fails=True)
    assert "ops.consistent_cut has no snapshot of mirror.shop__u" in said
    assert rows(shop) == {"t": [1], "u": [1]}
