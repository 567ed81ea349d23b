"""What `lakemirror status` and `show` say of a lake, as it comes to be: H6, H7."""

import json
import sys
from collections.abc import Callable
from dataclasses import astuple
from functools import partial

import pytest

from lakemirror.cli import main as cli
from lakemirror.state.commits import live_rows, read_by
from support.lake import Lake
from support.one_table import DAY, MIRROR, Shop, change
from support.recordings import record

EVENTS = ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "other")


@pytest.fixture
def lakemirror(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., str]:
    def call(*arguments: str, code: int = 0) -> str:
        capsys.readouterr()
        with monkeypatch.context() as patched:
            patched.chdir(lake.folder / "project")
            patched.setattr(sys, "argv", ["lakemirror", *arguments])
            assert cli.main() == code
        out, error = capsys.readouterr()
        assert error == ""
        return out

    return call


@pytest.fixture
def status(lakemirror: Callable[..., str]) -> Callable[..., str]:
    return partial(lakemirror, "status")


def sent(offset: int, op: str, key: int) -> str:
    return change(offset, op, key, offset, connector="mariadb")


def undecodable(offset: int) -> str:
    record = json.loads(sent(offset, "c", offset))
    event = json.loads(record["value"])
    event["after"]["v"] = "much"
    return json.dumps(record | {"value": json.dumps(event)})


@pytest.mark.parametrize("version", [2, 3])
def test_a_lake_as_it_comes_to_be(
    lake: Lake, status: Callable[..., str], lakemirror: Callable[..., str], version: int
) -> None:
    shop = Shop(lake)
    shop.write_mirror("t", f"format_version={version}, merge_mode='merge-on-read'")
    lake.recordings.joinpath("first.jsonl").write_text(sent(1, "c", 1) + "\n")
    shop.land()
    said = status()
    assert said.splitlines()[1].split() == ["shop", "1", "unknown", "no", "watermark", "0"]
    assert "\nNo mirror yet: `lakemirror generate` writes their models, and `dbt build`" in said
    assert "\nNo daily table yet: " in said
    assert said.endswith("\nNot built yet: mirror_shop__t.\nGrey: there is no mirror yet.\n")

    shop.merge()
    said = status()
    assert "No daily table yet" in said
    assert "Not built yet" not in said

    # updates, deletes, an older change, one that comes again, a tombstone, and what cannot be read
    places = {"topic": "shop.shop.t", "key": '{"id": 1}'}
    changes = [(20, "c", 2), (21, "c", 3), (22, "u", 2), (23, "d", 3), (24, "c", 4), (30, "u", 1)]
    shop.feed((sent(n, op, key) for n, op, key in changes), "mirror_shop__t")
    again = json.loads(sent(30, "u", 1)) | {"offset": 31}
    late = json.loads(sent(3, "u", 1)) | {"offset": 32}
    more = [json.dumps(again), json.dumps(late), record(33, None, **places), undecodable(34)]
    more += [sent(40, "u", 2), sent(41, "d", 4)]
    shop.feed(more, "mirror_shop__t")

    table = lake.catalog.load_table(MIRROR)
    read = read_by(table)
    assert read is not None
    assert astuple(read.events) == (1 + len(changes) + len(more), 9, 1, 1, 1, 1, 0)
    total, *others = astuple(read.events)
    assert total == sum(others)
    assert live_rows(table) == len(shop.rows("t")) == table.scan().count() == 2
    assert int(table.current_snapshot().summary["total-delete-files"]) > 0  # of positions

    [mirror] = json.loads(status("--json"))["mirrors"]
    assert mirror["events"] == dict(zip(EVENTS, astuple(read.events), strict=True))
    assert (mirror["table"], mirror["rows"], mirror["open_quarantine"]) == (MIRROR, 2, 1)
    assert mirror["newest_source_time"] == "2026-01-01T00:00:00.041000+00:00"
    assert mirror["last_run"]["status"] == "warn"  # of the quarantine
    assert mirror["lag_seconds"] > 0

    def history(key: int) -> list[tuple[int, str, str]]:
        shown = json.loads(lakemirror("show", "shop.t", "--key", str(key), "--json"))["history"]
        return [(change["offset"], change["op"], change["outcome"]) for change in shown]

    assert history(1) == [
        *((1, "c", "is older"), (32, "u", "is older"), (33, "tombstone", "ignored")),
        *((30, "u", "is the row"), (31, "u", "came again")),
    ]
    assert history(4)[-1] == (41, "d", "is the delete that is remembered")
    [(offset, op, outcome)] = history(34)
    assert (offset, op, outcome.startswith("in quarantine: ")) == (34, "c", True)


def test_days_are_ranges_and_a_run_that_failed_says_so(
    lake: Lake, status: Callable[..., str]
) -> None:
    shop = Shop(lake)
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-06")
    shop.feed([change(n, "c", n, n, ts_ms=1767225600000 + n * DAY) for n in range(6)])
    shop.dbt("run", "--select", "landing", "mirror_shop__t", "watermark_shop")
    for days in ("{ds: 2026-01-01, ds_to: 2026-01-02}", "{ds: 2026-01-05}"):
        shop.dbt("run", "--select", "daily_shop__t", "--vars", days)
    found = json.loads(status("--json", code=1))
    assert found["daily"] == [
        {
            "table": "daily.shop__t",
            "published": [["2026-01-01", "2026-01-02"], ["2026-01-05", "2026-01-05"]],
            "missing": [["2026-01-03", "2026-01-04"]],
            "problem": None,
            "late": [],
            "model": "daily_shop__t",
        }
    ]
    [source] = found["sources"]
    assert source.pop("lag_seconds") > 0
    assert source == {
        "source": "shop",
        "raw_tables": 1,
        "complete_until": "2026-01-06T00:00:00+00:00",
        "proof": "heartbeats",
        "open_quarantine": 0,
        "problem": None,
    }
    *_, last, _, light = status(code=1).splitlines()
    assert last == "daily.shop__t  2026-01-01..2026-01-02, 2026-01-05  2026-01-03..2026-01-04"
    assert light == "Red: daily.shop__t lacks 2 days (2026-01-03 first); 1 more."

    shop.dbt("run", "--full-refresh", "--select", "mirror_shop__t", fails=True)  # it is refused
    [mirror] = json.loads(status("--json", code=1))["mirrors"]
    assert mirror["last_run"]["status"] == "error"
    assert " error " in status(code=1)


def test_what_is_held_failing_or_never_built(lake: Lake, status: Callable[..., str]) -> None:
    """And right again, though the run that is has nothing to do."""
    shop = Shop(lake)
    shop.deliver((10, 1, "c", 1), (11, 1, "c", 2))
    shop.deliver((20, 1, "u", 2))

    def light(code: int = 0) -> str:
        return status(code=code).splitlines()[-1]

    assert light().startswith("Green: ")
    shop.dbt("run-operation", "undo", "--args", "{model: mirror_shop__t, apply: true}")
    shop.merge()
    assert "mirror.shop__t is held at " in light()
    shop.dbt("run-operation", "release", "--args", "{model: mirror_shop__t}")
    shop.merge()
    assert light().startswith("Green: ")

    mirror = (shop.folder / "models/mirror/mirror_shop__t.sql").read_text()
    shop.write("models/mirror/mirror_shop__u.sql", mirror.replace("unique_key", "uniqe_key"))
    shop.dbt("run", "--select", "mirror_shop__u", fails=True)
    assert light(1) == "Red: the last run of mirror_shop__u has failed."
    (shop.folder / "models/mirror/mirror_shop__u.sql").unlink()
    assert light().startswith("Green: ")

    shop.dbt("run", "--full-refresh", "--select", "mirror_shop__t", fails=True)
    assert light(1) == "Red: the last run of mirror_shop__t has failed."
    shop.merge()
    assert light().startswith("Green: ")
