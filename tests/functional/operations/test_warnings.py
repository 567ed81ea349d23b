"""What a run warns of is counted by dbt: in its last line, in run_results.json, by --warn-error."""

import json
from typing import Any

import pytest

from support.lake import Lake, messages
from support.one_table import Shop, change
from support.recordings import write


def status_of(lake: Lake, name: str) -> tuple[str, str]:
    """Status and message of a model in run_results.json."""
    text = (lake.folder / "target" / "run_results.json").read_text(encoding="utf-8")
    [result] = [r for r in json.loads(text)["results"] if r["unique_id"].endswith(f".{name}")]
    return result["status"], result["message"]


def runs_of(lake: Lake) -> list[dict[str, Any]]:
    return lake.catalog.load_table("ops.runs").scan().to_arrow().to_pylist()


@pytest.fixture
def shop(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setenv("DBT_WRITE_JSON", "true")
    return Shop(lake)


def test_dbt_counts_a_model_that_warns(shop: Shop, capfd: pytest.CaptureFixture[str]) -> None:
    """G6: two changes at one place of the order; the next run has nothing to say."""
    write(shop.lake.recordings, "a", [change(1, "c", 1, 10), change(2, "c", 2, 20, pos=101)])
    write(shop.lake.recordings, "b", [change(3, "u", 1, 11, pos=101)])
    shop.land()
    capfd.readouterr()
    shop.merge()
    assert "WARN=1 ERROR=0" in capfd.readouterr().out
    status, message = status_of(shop.lake, "mirror_shop__t")
    assert status == "warn"
    assert "1 keys with two different changes at one place" in message
    assert [(run["status"], run["message"]) for run in runs_of(shop.lake)] == [(status, message)]
    shop.send(("c", 3, 30))
    shop.merge()
    assert "WARN=0 ERROR=0" in capfd.readouterr().out
    assert status_of(shop.lake, "mirror_shop__t")[0] == "success"


def test_warn_error_ends_a_run_before_its_commit(shop: Shop) -> None:
    """G6: nothing is written, the same run fails again, and one without it merges all."""
    write(shop.lake.recordings, "a", [change(1, "c", 1, 10), change(2, "u", 1, 11, pos=101)])
    shop.land()
    for _ in range(2):
        assert "two different changes" in shop.warn_error()
        assert shop.lake.snapshots("mirror.shop__t") == []
    shop.merge()
    assert len(shop.values()) == 1


def test_dbt_counts_landing(shop: Shop, capfd: pytest.CaptureFixture[str]) -> None:
    """G6: a Python model's warnings too; with --warn-error the file is landed again."""
    (shop.lake.recordings / "a.jsonl").write_text(change(1, "c", 1, 10) + "\nno record\n")
    result = shop.dbt("--warn-error", "run", "--select", "landing", fails=True)
    assert "1 lines are no Kafka records" in messages(result)
    shop.land()
    assert "WARN=1 ERROR=0" in capfd.readouterr().out
    status, message = status_of(shop.lake, "landing")
    assert status == "warn"
    assert "1 lines are no Kafka records" in message
    shop.merge()
    assert shop.values() == {1: 10}


def test_dbt_counts_lost_columns(shop: Shop, capfd: pytest.CaptureFixture[str]) -> None:
    """G6: a column that events have and nobody declares; where none comes it is silent."""
    shop.write_mirror("t", "buckets=2, on_undeclared='warn'")
    shop.send(("c", 1, 10))
    shop.merge()
    assert "WARN=0 ERROR=0" in capfd.readouterr().out
    record = json.loads(change(7, "c", 2, 20))
    event = json.loads(record["value"])
    event["after"]["colour"] = "red"
    shop.feed([json.dumps(record | {"value": json.dumps(event)})])
    assert "colour" in shop.warn_error()
    assert shop.values() == {1: 10}
    capfd.readouterr()
    shop.merge()
    assert "WARN=1 ERROR=0" in capfd.readouterr().out
    status, message = status_of(shop.lake, "mirror_shop__t")
    assert status == "warn"
    assert "colour" in message
    assert shop.values() == {1: 10, 2: 20}


def test_dbt_counts_a_topic_without_a_record(shop: Shop, capfd: pytest.CaptureFixture[str]) -> None:
    """G6: no record has landed, so the mirror is empty; the first one ends the warning."""
    assert "raw.shop__t" in shop.warn_error()
    capfd.readouterr()
    shop.merge()
    assert "WARN=1 ERROR=0" in capfd.readouterr().out
    status, message = status_of(shop.lake, "mirror_shop__t")
    assert status == "warn"
    assert "raw.shop__t" in message
    assert shop.values() == {}
    shop.send(("c", 1, 10))
    capfd.readouterr()
    shop.merge()
    assert "WARN=0 ERROR=0" in capfd.readouterr().out
    assert shop.values() == {1: 10}
