"""The page of a lake: its figures, what it escapes, and what it never does."""

import json
import re

import pytest

from lakemirror.cli.errors import CallError
from lakemirror.cli.page import (
    HEIGHT,
    WIDTH,
    docs_of,
    html,
    lag_bars,
    months,
    number,
    run_bars,
    size,
    write,
)
from lakemirror.cli.report import Report
from lakemirror.cli.status import Status
from support.page_facts import DAYS, HEARD, NOW, RUNS, lake


def test_what_comes_from_data_is_escaped():
    """A name or a value is text, whatever it is."""
    evil = "<script>alert(1)</script>\"'&"
    page = html(lake(evil))
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&#34;&#39;&amp;" in page
    assert 'aria-label="Runs of mirror.&lt;script&gt;' in page
    assert page.count("<details") == html(lake()).count("<details")


def test_the_page_asks_no_network_and_runs_nothing():
    page = html(lake())
    assert "default-src 'none'" in page
    assert not re.search(r"https?:|//[a-z]|<script|<link|<img|<iframe|@import|url\(|\son\w+=", page)


def test_the_page_has_the_figures_of_its_json():
    """Each number of the JSON is on the page, as the page writes it."""
    report = lake()
    found = json.loads(json.dumps(report.as_json(), default=str))
    page = html(report)
    [mirror] = found["mirrors"]
    counts = [mirror["rows"], *list(mirror["events"].values())[:6], mirror["foreign_commits"]]
    counts += [mirror["audit"]["open_findings"], mirror["audit"]["unjudged"]]
    counts += [mirror["size"][name] for name in ("data_files", "delete_files", "snapshots")]
    counts += [found["sources"][0]["raw_tables"], found["quarantine"][0]["records"]]
    counts += [found["conflicts"][0]["records"]]
    missing = [count for count in counts if not re.search(rf"\b{number(count)}\b", page)]
    assert missing == []
    for name in ("bytes_live", "bytes_historical"):
        assert size(mirror["size"][name]) in page
    assert found["light"]["sentence"] in page
    for run in mirror["runs"]:
        for name in ("seconds", "core_seconds"):
            text = "-" if run[name] is None else f"{run[name]:.1f}"
            assert f'<td class="n">{text}</td>' in page
    for day in found["daily"][0]["days"]:
        assert f'<span class="sr">{day["ds"]} {day["state"]}</span>' in page
    assert "2026-01-31: restated, 17 late changes" in page


def test_a_lake_with_nothing_in_it_has_a_page():
    page = html(Report(Status(NOW, [], [], [], [], [], {}), [], [], [], [], []))
    assert "Grey: there is no mirror yet." in page
    assert page.count('class="quiet"') == 5


def test_models_lead_to_the_docs_of_dbt(tmp_path):
    """Where there are any, seen from the folder of the page."""
    output = tmp_path / "site" / "lake.html"
    assert docs_of(tmp_path, {}, output) == {}
    target = tmp_path / "target"
    target.mkdir()
    node = {"name": "mirror_shop__orders", "resource_type": "model"}
    manifest = {"nodes": {"model.shop.mirror_shop__orders": node}}
    target.joinpath("manifest.json").write_text(json.dumps(manifest))
    assert docs_of(tmp_path, {}, output) == {}
    target.joinpath("index.html").touch()
    docs = docs_of(tmp_path, {}, output)
    link = "../target/index.html#!/model/model.shop.mirror_shop__orders"
    assert docs == {"mirror_shop__orders": link}
    assert f'<a href="{link}">' in html(lake(), docs)


def test_bars_stand_on_the_ground_and_tell_their_run():
    first, failed, last = run_bars(RUNS)
    assert [part.name for part in first.segments] == ["applied", "stale", "duplicate", "ignored"]
    assert sum(part.height for part in first.segments) == pytest.approx(HEIGHT)
    assert first.segments[-1].y == pytest.approx(0, abs=0.02)
    assert [part.name for part in failed.segments] == ["failed"]
    assert sum(part.height for part in last.segments) == pytest.approx(HEIGHT / 2)
    assert last.x + last.width <= WIDTH
    assert last.title == "2026-02-01 12:00: 9 applied, 1 quarantined; 3.5 s, 6.5 core seconds"
    assert failed.title == "2026-02-01 12:00: failed; 2.5 s"


def test_a_watermark_that_nobody_knows_is_not_a_lag_of_nothing():
    unknown, half, whole = lag_bars(HEARD)
    assert [part.name for part in unknown.segments] == ["failed"]
    assert [each.segments[0].height for each in (half, whole)] == [HEIGHT / 2, HEIGHT]
    assert unknown.title == "2026-02-01 12:00: complete until -"


def test_a_calendar_has_a_place_for_each_day():
    february, january = months(DAYS)
    assert (february.name, len(february.days)) == ("Feb 2026", 28)
    assert (january.name, len(january.days)) == ("Jan 2026", 31)
    assert january.days[28:] == [None, *DAYS[:2]]
    assert february.days[:3] == [*DAYS[2:], None]


def test_a_page_is_written_with_its_json(tmp_path):
    beside = write(lake(), tmp_path / "lake.html")
    assert sorted(file.name for file in tmp_path.iterdir()) == ["lake.html", "lake.json"]
    assert json.loads(beside.read_text())["light"]["colour"] == "red"


@pytest.mark.parametrize(
    ("name", "said"), [("lake.json", "is no .html file"), ("no/lake.html", "cannot be written: No")]
)
def test_a_page_that_cannot_be_written(tmp_path, name, said):
    with pytest.raises(CallError, match=said):
        write(lake(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []
