"""The quarantine's commands on a lake that PyIceberg has written: what they say, their codes."""

import sys
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from lakemirror.cli.main import main
from support.small_lake import add_table, small_lake

TEXTS = ("quarantine_id", "model", "reason", "_kfk_topic", "key", "value", "judged_by")
SETTLED = ("settled_as", "settled_reason")
TIME = pa.timestamp("us", "UTC")
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in (*TEXTS, *SETTLED)),
        *(("_kfk_partition", pa.int32()), ("_kfk_offset", pa.int64())),
        *(("quarantined_at", TIME), ("settled_at", TIME)),
    ]
)
NOON = datetime(2026, 2, 1, 12, tzinfo=UTC)


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    """Run the script on a lake of a project with one mirror: its code, output and errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dbt_project.yml").write_text("name: shop")
    model = tmp_path / "models/mirror/shop/mirror_shop__orders.sql"
    model.parent.mkdir(parents=True)
    model.write_text("select 1")
    small_lake(tmp_path, {})

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["lakemirror", "quarantine", *arguments])
        capsys.readouterr()
        code = main()
        return code, *capsys.readouterr()

    return run


def fill(folder, *ids):
    rows = [
        {"quarantine_id": n, "model": "log_shop__visits", "reason": "no", "quarantined_at": NOON}
        for n in ids
    ]
    add_table(small_lake(folder, {}), "ops.quarantine", pa.Table.from_pylist(rows, SCHEMA))


def test_without_a_command_there_is_help(call):
    code, out, error = call()
    assert (code, error) == (2, "")
    assert "Show the records that could not be used" in out


@pytest.mark.parametrize("is_empty", [True, False])
@pytest.mark.parametrize("command", ["list", "show", "retry", "settle"])
def test_a_model_that_nobody_has_is_2(call, tmp_path, command, is_empty):
    if not is_empty:
        fill(tmp_path, "aa")
    reason = ("--reason", "x") if command == "settle" else ()
    code, out, error = call(command, "--model", "mirror_shop__ordres", *reason)
    assert (code, out) == (2, "")
    assert error.endswith("into the quarantine; did you mean mirror_shop__orders?\n")


def test_a_model_of_the_project_that_has_none(call):
    assert call("retry", "--model", "mirror_shop__orders") == (
        0,
        "0 will be tried by the next run of dbt.\n",
        "",
    )


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["show", "bb"], "0 records of the quarantine have an id bb..."),
        (["retry", "a"], "2 records of the quarantine have an id a..."),
        (["settle", "aa", "--reason", " "], "--reason is blank"),
        (["settle", "aa"], "Missing option '--reason'"),
        (["retry"], "Which records? Name their ids, or --model for all of a model"),
        (["show", "--limit", "0"], "Invalid value for '--limit'"),
    ],
)
def test_a_wrong_call_is_2(call, tmp_path, arguments, problem):
    fill(tmp_path, "aa", "ab")
    code, out, error = call(*arguments)
    assert (code, out) == (2, "")
    assert problem in error
    assert error.count("\n") == 1


def test_what_is_not_there_is_said(call, tmp_path):
    assert call("show") == (0, "No record is open.\n", "")
    assert call("show", "--all") == (0, "No record is there.\n", "")
    fill(tmp_path, "aa")
    assert call("settle", "aa", "--reason", "a test")[:2] == (0, "1 are left out.\n")
    assert call("show") == (0, "No record is open.\n", "")
    assert "left out: a test" in call("show", "--all")[1]


def test_a_lake_that_cannot_be_read_is_1(call, tmp_path):
    (tmp_path / "lake/catalog.db").write_bytes(b"no database" * 99)
    code, out, error = call("list")
    assert (code, out) == (1, "")
    assert error.startswith("The lake cannot be read: ")
    assert error.count("\n") == 1
