"""What the command says of a lake with recorded events, and of some that are sent wrongly."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from lakemirror.cli import doctor
from lakemirror.cli import main as cli
from support.lake import Lake
from support.recordings import record, write
from support.source_state import FIXTURES

LATER = 7_200_000  # two hours: another partition of raw, and so another file

FOUND = [
    ("error    raw.shop__flat", "2 of the 2 newest records are rows without Debezium's envelope"),
    ("error    raw.shop__products", "nobody knows the columns new, old"),
    ("error    raw.shop__unordered", "1 of the 1 newest records have no source block"),
    ("warning  raw.public__ctas", "2 of the 2 newest records have no key"),
    ("warning  raw.public__no_pk", "7 of the 7 newest records have no key"),
    (
        "warning  raw.public__t_toast",
        "7 of the 22 newest records have large values that an update left as they were, and that "
        "were not sent",
    ),
    ("warning  source shop", "the schema-change topic shop has not landed"),
]


def event(offset: int, row: dict[str, Any], **more: Any) -> str:
    block = {"connector": "mariadb", "name": "shop", "ts_ms": 1767225600000 + offset * LATER}
    block |= {"server_id": 1, "file": "binlog.1", "pos": 4 + offset, "row": 0}
    return json.dumps({"op": "c", "before": None, "after": row, "source": block} | more)


def records(topic: str, *values: str) -> list[str]:
    places = {"topic": f"shop.shop.{topic}", "key": '{"id": 1}'}
    return [record(offset, value, **places) for offset, value in enumerate(values)]


def said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str
) -> tuple[int, list[str], str]:
    """What the command returns and writes: its lines, and its errors."""
    monkeypatch.setattr(sys, "argv", ["lakemirror", "doctor", *arguments])
    capsys.readouterr()
    code = cli.main()
    out, err = capsys.readouterr()
    return code, out.splitlines(), err


def test_doctor(
    lake: Lake, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of the recorded PostgreSQL, no more is said than what is so; F18, cases 36, 39."""
    config = {"connector.class": "PostgresConnector", "database.password": "hush"}
    file = tmp_path / "connector.json"
    file.write_text(json.dumps(config | {"skipped.operations": "t,c"}), encoding="utf-8")
    code, lines, error = said(capsys, monkeypatch)
    assert (code, lines, "There is no lake" in error) == (2, [], True)
    code, lines, error = said(capsys, monkeypatch, "--connector-config", str(file))
    assert (code, error) == (1, "")
    assert lines[0].startswith(f"error    {file}: skipped.operations is t,c: operations that are")
    assert "hush" not in "\n".join(lines)

    shutil.copy(FIXTURES / "postgres/schemas.jsonl.gz", lake.recordings)
    row = {"id": 1, "sku": "a"}
    write(
        lake.recordings,
        "wrong",
        [
            *records("flat", json.dumps(row), json.dumps(row | {"id": 2})),
            *records("unordered", json.dumps({"op": "c", "after": row})),
            *records(
                "products", event(0, {"sku": "a", "old": 1}), event(1, {"sku": "a", "new": 1})
            ),
        ],
    )
    lake.dbt("run", "--select", "landing")
    code, lines, error = said(capsys, monkeypatch)
    assert (code, error) == (1, "")
    assert [tuple(line.split(": ")[:2]) for line in lines] == FOUND
    with_file = said(capsys, monkeypatch, "--connector-config", str(file))[1]
    assert {*lines} < {*with_file}
    assert any(line.startswith(f"error    {file}: ") for line in with_file)

    monkeypatch.setattr(doctor, "SAMPLE", 1)
    [products] = [line for line in said(capsys, monkeypatch)[1] if "raw.shop__products" in line]
    assert "nobody knows the columns new: a mirror loses them." in products

    file.write_text("{", encoding="utf-8")
    code, lines, error = said(capsys, monkeypatch, "--connector-config", str(file))
    assert (code, lines) == (1, [])
    assert error == f"{file} cannot be read as JSON (JSONDecodeError).\n"
    monkeypatch.chdir(tmp_path)
    assert said(capsys, monkeypatch) == (
        *(2, []),
        "run it in the project, where dbt_project.yml is.\n",
    )
