"""`lakemirror run`: rounds in one process merge what has moved, and go on after a failure."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from lakemirror.cli import main as cli
from support.lake import PROJECT, Lake
from support.one_table import Shop, change
from support.recordings import write

SCRIPT = Path(sys.executable).with_name("lakemirror")
ALONE = "{{ config(materialized='table') }} select 1 as one"


def ran(shop: Shop) -> list[str]:
    """The models of the newest run of dbt."""
    file = shop.folder / "target" / "run_results.json"
    try:
        found = json.loads(file.read_text("utf-8"))["results"]
    except (FileNotFoundError, json.JSONDecodeError):  # it is written at this moment
        return []
    return [name for each in found if (name := each["unique_id"]).startswith("model.")]


def test_a_process_for_many_rounds(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """What moved is merged and no more; a file of the project counts from the next round on; a
    signal ends it when the round is over."""
    monkeypatch.setenv("DBT_WRITE_JSON", "true")
    monkeypatch.setenv("DBT_PROFILES_DIR", str(PROJECT / "profiles"))
    shop = Shop(lake)
    shop.write("models/marts/alone.sql", ALONE)
    write(lake.recordings, "first", [change(1, "c", 1, 1)])
    said = (lake.folder / "said").open("w+")
    loop = subprocess.Popen(
        [SCRIPT, "run", "--every", "1s"], cwd=shop.folder, stdout=said, stderr=subprocess.STDOUT
    )

    def wait_for(moment: Callable[[], bool]) -> None:
        while not moment():
            assert loop.poll() is None, Path(said.name).read_text("utf-8")
            time.sleep(0.2)

    def has(values: dict[int, int]) -> Callable[[], bool]:
        return lambda: (lake.folder / "catalog.db").exists() and values_of(shop) == values

    def is_idle() -> bool:
        return ran(shop) == ["model.recorded.landing"]

    try:
        wait_for(has({1: 1}))
        assert compiled_by(loop.pid) == ["-XX:+UseSerialGC"]
        wait_for(is_idle)
        write(lake.recordings, "second", [change(2, "u", 1, 2), change(3, "c", 2, 1)])
        wait_for(has({1: 2, 2: 1}))
        wait_for(is_idle)
        shop.write("models/marts/alone.sql", ALONE.replace("1 as", "no_such_column as"))
        wait_for(lambda: "1 of them failed" in Path(said.name).read_text("utf-8"))
        shop.write("models/marts/alone.sql", ALONE)
        write(lake.recordings, "third", [change(4, "d", 2, 1)])
        wait_for(has({1: 2}))
        loop.send_signal(signal.SIGTERM)
        assert loop.wait() == 0, Path(said.name).read_text("utf-8")
    finally:
        loop.kill()
    told = Path(said.name).read_text("utf-8")
    assert "1 table has moved, 1 model in" in told
    assert "no_such_column" in told
    assert "It ends when this round is over" in told


def test_tables_are_cared_for_between_rounds(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What rounds leave behind is put together, rows stay, and a failed care ends with 1."""
    monkeypatch.setenv("DBT_PROFILES_DIR", str(PROJECT / "profiles"))
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=1")
    monkeypatch.chdir(shop.folder)

    def a_round(every: str) -> tuple[int, str]:
        names = ["--select", "landing", "mirror_shop__t"]
        options = [*names, "--rounds", "1", "--maintain-every", every]
        monkeypatch.setattr(sys, "argv", ["lakemirror", "run", *options])
        return cli.main(), capsys.readouterr().out

    for number in range(1, 6):
        shop.send(("c", number, number))
        shop.merge()
    assert data_files(lake) == 5
    code, said = a_round("1h")
    assert (code, "cared for" in said, data_files(lake)) == (0, False, 5)
    code, said = a_round("0s")
    assert (code, said.count("Tables were cared for in")) == (0, 1)
    assert (data_files(lake), values_of(shop)) == (1, {n: n for n in range(1, 6)})
    shop.write_mirror("t", "buckets=1, maintenance={'sort_by': ['nothing']}")
    code, said = a_round("0s")
    assert (code, "mirror.shop__t: cannot be read" in said) == (1, True)
    assert "Tables could not all be cared for in" in said


def data_files(lake: Lake) -> int:
    return len([*lake.catalog.load_table("mirror.shop__t").scan().plan_files()])


def compiled_by(pid: int) -> list[str]:
    """Of compilers and collectors, what the Java below a process was started with."""
    threads = Path(f"/proc/{pid}/task").glob("*/children")
    below = [child for file in threads for child in file.read_text("utf-8").split()]
    given = "".join(Path(f"/proc/{child}/cmdline").read_text("utf-8") for child in below)
    return [each for each in given.split("\0") if each.startswith(("-XX:Tiered", "-XX:+Use"))]


def values_of(shop: Shop) -> dict[int, int]:
    from pyiceberg.exceptions import NoSuchTableError

    try:
        return shop.values()
    except NoSuchTableError:
        return {}


def test_what_cannot_be_run(
    lake: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def call(folder: Path, *arguments: str) -> tuple[int, str]:
        monkeypatch.chdir(folder)
        monkeypatch.setattr(sys, "argv", ["lakemirror", "run", *arguments])
        return cli.main(), capsys.readouterr().err

    code, said = call(lake.folder)
    assert (code, "There is no dbt project in" in said) == (2, True)
    monkeypatch.setenv("DBT_PROFILES_DIR", str(PROJECT / "profiles"))
    shop = Shop(lake)
    code, said = call(shop.folder, "--select", "mirror_shop__no", "--rounds", "1")
    assert (code, said) == (2, "The project has no model that is selected.\n")
    assert call(shop.folder, "--every", "soon")[0] == 2
