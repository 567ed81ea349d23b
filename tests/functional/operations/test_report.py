"""The page of a lake with a day that is missing, a record in quarantine, and a damaged row."""

import json
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lakemirror.cli import main as cli
from support.audits import audit
from support.lake import Lake
from support.one_table import DAY, MIRROR, Shop, change

MODEL = "mirror_shop__t"


def called(lake: Lake, patched: pytest.MonkeyPatch, *arguments: str) -> int:
    patched.chdir(lake.folder / "project")
    patched.setattr(sys, "argv", ["lakemirror", *arguments])
    return cli.main()


def undecodable(offset: int, said: str) -> str:
    record = json.loads(change(offset, "c", offset, offset))
    event = json.loads(record["value"])
    event["after"]["v"] = said
    return json.dumps(record | {"value": json.dumps(event)})


def test_a_lake_that_is_not_right(
    lake: Lake, sql: Callable[[str], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """F50: the light is red, and the sentence and the page name each of them."""
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    records = [change(n, "c", n, n, ts_ms=1767225600000 + (n - 1) * DAY) for n in (1, 2, 3)]
    shop.feed([*records, undecodable(4, "<script>")])
    shop.dbt("run", "--select", "landing", MODEL, "watermark_shop")
    for day in ("2026-01-01", "2026-01-03"):
        shop.dbt("run", "--select", "daily_shop__t", "--vars", f"{{ds: {day}}}")
    sql(f"update {MIRROR} set v = 9 where id = 2")
    audit(shop)

    output = tmp_path / "page.html"
    with monkeypatch.context() as patched:
        assert called(lake, patched, "report", "--output", str(output)) == 0
        prometheus = tmp_path / "lake.prom"
        assert called(lake, patched, "status", "--prometheus", str(prometheus)) == 1
    found = json.loads(output.with_suffix(".json").read_text(encoding="utf-8"))
    page = output.read_text(encoding="utf-8")
    assert found["light"]["colour"] == "red"
    assert f"{MIRROR} differs from the log (1 difference)" in found["light"]["sentence"]
    assert "daily.shop__t lacks 1 day (2026-01-02 first)" in found["light"]["sentence"]
    assert found["light"]["sentence"] in page

    [mirror] = found["mirrors"]
    assert (mirror["rows"], mirror["events"]["applied"], mirror["open_quarantine"]) == (3, 3, 1)
    assert [run["read"] for run in mirror["runs"]] == [4]
    assert mirror["size"]["bytes_live"] > 0
    assert mirror["audit"]["covered_since"] is not None
    [source] = found["sources"]
    assert source["watermarks"][-1]["complete_until"] == "2026-01-04T00:00:00+00:00"
    [daily] = found["daily"]
    states = {date.fromisoformat(day["ds"]).day: day["state"] for day in daily["days"]}
    assert states == {1: "published", 2: "missing", 3: "published"}
    [held] = found["quarantine"]
    assert (held["model"], held["records"], held["examples"]) == (MODEL, 1, [])
    assert "script" not in page + json.dumps(found)  # values are shown where they are asked for
    assert 'lakemirror_light{colour="red"} 1\n' in prometheus.read_text(encoding="utf-8")

    with monkeypatch.context() as patched:
        assert called(lake, patched, "report", "--output", str(output), "--examples") == 0
    page = output.read_text(encoding="utf-8")
    assert "&lt;script&gt;" in page
    assert "<script" not in page
