"""The statements of a run of a daily table: what does not depend on the day is asked once."""

import re

import pytest

from dbt.adapters.lakemirror.session import LakemirrorCursor
from support.lake import Lake
from support.one_table import Shop

LISTINGS = ("show namespaces", "show tables", "show views", "insert into ops.runs")


def test_three_days_are_planned_at_once(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    shop = Shop(lake)
    shop.deliver((1, 1, "c", 1), (2, 1, "c", 2))
    shop.deliver((10, 2, "u", 1), (11, 2, "d", 2))
    shop.deliver((20, 3, "c", 3), (30, 4, "c", 4))
    shop.write_daily("t", "2026-01-01 00:00:00", "2026-01-04 00:00:00")
    shop.dbt("run", "--select", "watermarks")
    heard: list[str] = []
    execute = LakemirrorCursor.execute

    def hooked(self: LakemirrorCursor, sql: str, *parameters: object) -> None:
        heard.append(" ".join(re.sub(r"/[*].*?[*]/", "", sql, flags=re.DOTALL).split()))
        execute(self, sql, *parameters)

    monkeypatch.setattr(LakemirrorCursor, "execute", hooked)
    shop.dbt("run", "--select", "daily_shop__t")
    statements = [text for text in heard if not text.startswith(LISTINGS)]
    assert len(statements) <= 25, "\n".join(text[:90] for text in statements)
    assert sum(text.startswith("insert overwrite daily.shop__t.branch_") for text in heard) == 3
    assert sum("call system.fast_forward('daily.shop__t'" in text for text in heard) == 3
    rows = lake.catalog.load_table("daily.shop__t").scan().to_arrow().to_pylist()
    assert sorted((str(row["ds"]), row["id"]) for row in rows) == [
        ("2026-01-01", 1),
        ("2026-01-01", 2),
        ("2026-01-02", 1),
        ("2026-01-03", 1),
        ("2026-01-03", 3),
    ]
