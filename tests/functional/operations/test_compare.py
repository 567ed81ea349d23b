"""Any two relations are compared by a key, by a command and as a dbt test."""

import json
import sys
from collections.abc import Callable

import pytest

from lakemirror.cli import main as cli
from support.lake import PROJECT, Lake, messages
from support.small_project import Project

BEFORE = """
{{ config(materialized='table') }}
select id, line, cast(price as decimal(9, 2)) as price, name, at, tags, note
from values
    (1, 1, 1.00, 'same', timestamp '2026-01-01 00:00:00', array(1), 'x'),
    (1, 2, 2.00, 'lost', timestamp '2026-01-01 00:00:00', array(1), 'x'),
    (2, 1, 3.00, 'near', timestamp '2026-01-01 00:00:00', array(1), 'x'),
    (2, 2, null, 'null', timestamp '2026-01-01 00:00:00', array(1), 'x'),
    (3, null, 5.00, 'no line', timestamp '2026-01-01 00:00:00', array(1), 'x')
    as rows (id, line, price, name, at, tags, note)
"""
NOW = """
{{ config(materialized='table') }}
select id, line, cast(price as decimal(9, 2)) as price, name, at, tags, 0 as _own
from values
    ('1', 1, 1.00, 'same', timestamp '2026-01-01 00:00:00', array(1)),
    ('2', 1, 3.01, 'near ', timestamp '2026-01-01 00:00:01', array(1, 2)),
    ('2', 2, 0.00, 'null', timestamp '2026-01-01 00:00:00', array(1)),
    ('3', null, 5.00, 'no line', timestamp '2026-01-01 00:00:00', array(1)),
    ('3', null, 5.00, 'no line', timestamp '2026-01-01 00:00:00', array(1)),
    ('9', 1, 9.00, 'added', timestamp '2026-01-01 00:00:00', array(1))
    as rows (id, line, price, name, at, tags)
"""
TESTS = """
models:
  - name: now
    data_tests:
      - equal_to:
          arguments: {to: ref('before'), key: [id, line], tolerances: {price: 0.01, at: 1}}
      - equal_to: {arguments: {to: ref('now'), key: [id, line]}, name: itself}
"""
FOUND = [
    ('{"id":"1","line":2}', "lost", None),
    ('{"id":"2","line":1}', "changed", "at"),
    ('{"id":"2","line":1}', "changed", "name"),
    ('{"id":"2","line":1}', "changed", "price"),
    ('{"id":"2","line":1}', "changed", "tags"),
    ('{"id":"2","line":2}', "changed", "price"),
    ('{"id":"3"}', "doubled", None),
    ('{"id":"9","line":1}', "added", None),
]
TOLERATED = {"at", "price"}  # of the key 2, 1


@pytest.fixture
def project(lake: Lake) -> Project:
    made = Project(lake)
    for name, text in {"before.sql": BEFORE, "now.sql": NOW, "tests.yml": TESTS}.items():
        made.write(f"models/{name}", text)
    made.dbt("run")
    return made


def test_two_tables(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each difference is named by key, column and both values; within a tolerance there is none."""
    monkeypatch.chdir(project.folder)
    monkeypatch.setenv("DBT_PROFILES_DIR", str(PROJECT / "profiles"))

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lakemirror", "audit", *arguments])
        capsys.readouterr()
        return cli.main(), *capsys.readouterr()

    pair = ("--compare", "now", "marts.before", "--key", "id", "line")
    code, said, _ = call(*pair, "--json")
    report = json.loads(said)
    names = ("unique_key", "kind", "column_name")
    assert [tuple(each[name] for name in names) for each in report["findings"]] == FOUND
    assert code == 1
    [audited] = report["audits"]
    assert (audited["keys"], audited["findings"]) == (6, 8)
    assert audited["notes"] == (
        "1 keys are equal; only marts.before has note; of two types, and compared as texts: id"
    )
    code, said, _ = call(*pair, "--tolerance", "price=0.01", "AT=1")
    assert code == 1
    named = 'now and marts.before {"id":"2","line":1}: changed name: '
    assert f'{named}now has "near ", marts.before "near"' in said
    assert 'changed price: now has "0.00", marts.before nothing' in said
    assert "changed at" not in said
    assert call("--compare", "now", "now", "--key", "id", "line", "--json")[0] == 1  # it is doubled
    assert call("--compare", "before", "marts.before", "--key", "id", "line")[0] == 0
    refused(call, "no model or table marts.befor; did you mean marts.before?", "now", "marts.befor")
    refused(call, "key: not both have a column note", "now", "before", "--key", "note")
    refused(call, "name is string, and has no distance", *pair[1:], "--tolerance", "name=1")
    assert call("--compare", "now", "before")[0] == 2
    assert call(*pair, "--tolerance", "price")[0] == 2
    assert call(*pair, "--full")[0] == 2


def refused(call: Callable[..., tuple[int, str, str]], why: str, *arguments: str) -> None:
    given = arguments if "--key" in arguments else (*arguments, "--key", "id")
    code, _, error = call("--compare", *given)
    assert (code, why in error) == (1, True), error


def test_as_a_test_of_dbt(project: Project) -> None:
    result = project.dbt("test", fails=True)
    said = messages(result)
    tests = [each for each in result.result.results if each.node.resource_type == "test"]
    within = [f for f in FOUND if f[0] != '{"id":"2","line":1}' or f[2] not in TOLERATED]
    assert sorted(each.failures for each in tests) == [1, len(within)], said
