"""The connectors of the live tests are those that the documentation shows."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from stack import connectors
from stack.demo import demo
from stack.services import Stack, StackError
from stack.waiting import Waiting

from lakemirror.cli.connector_settings import check_file

DOCS = Path(__file__).parents[2] / "docs" / "sources"
# what is another for everybody
OWN = re.compile(r"database[.](hostname|port|user|password|dbname)|.*bootstrap[.]servers")
STACK = SimpleNamespace(
    kafka=SimpleNamespace(address="127.0.0.1:1"),
    mariadb=SimpleNamespace(port=1),
    postgresql=SimpleNamespace(port=1),
)


def shown(name: str) -> str:
    return re.search(r"```json\n(.*?)```", (DOCS / f"{name}.md").read_text("utf-8"), re.DOTALL)[1]


@pytest.mark.parametrize(
    ("page", "made"),
    [("mariadb", connectors.mariadb), ("postgresql", connectors.postgresql)],
)
def test_documented_connectors_are_in_use(page, made):
    documented = json.loads(shown(page))["config"]
    used = made(STACK)
    assert {n: v for n, v in documented.items() if not OWN.fullmatch(n)} == {
        n: v for n, v in used.items() if not OWN.fullmatch(n)
    }
    assert set(documented) == set(used)


def test_documented_converters_are_in_use():
    made = connectors.avro(SimpleNamespace(address="own"))
    documented = json.loads(shown("avro"))
    assert {n: "own" if n.endswith("registry.url") else v for n, v in documented.items()} == made


def test_the_documented_sink_is_in_use(tmp_path):
    documented = json.loads(shown("iceberg-sink"))["config"]
    catalog = {n: v for n, v in documented.items() if n.startswith("iceberg.catalog")}
    topic, table = documented["topics"], documented["iceberg.tables"]
    assert documented == connectors.iceberg_sink(topic, table, catalog)
    file = tmp_path / "connector.json"
    file.write_text(shown("iceberg-sink"), encoding="utf-8")
    assert list(check_file(file, tmp_path)) == []


@pytest.mark.parametrize(
    ("page", "source", "settings"),
    [
        ("mariadb", "store", {"bigint.unsigned.handling.mode": "precise"}),
        ("postgresql", "cafe", {}),
        ("vitess", "commerce", {}),
    ],
)
def test_the_doctor_passes_on_documented_connectors(page, source, settings, tmp_path):
    file = tmp_path / "connector.json"
    file.write_text(shown(page), encoding="utf-8")
    (tmp_path / "dbt_project.yml").write_text("vars: {topic_sources: {}}", encoding="utf-8")
    declared = {"name": source, "config": {"meta": {"debezium": {"connector": page, **settings}}}}
    folder = tmp_path / "models" / "staging" / source
    folder.mkdir(parents=True)
    (folder / f"_{source}__sources.yml").write_text(json.dumps({"sources": [declared]}))
    assert list(check_file(file, tmp_path)) == []


class Process:
    """A service as the demo sees it."""

    name, folder = "connect", Path("stack/connect")

    def __init__(self, pid):
        self.pid = pid


def waiting(pid=1, failed=(), timeout=60.0):
    """How the demo waits, and what it says."""
    said = []
    return Waiting([Process(pid)], lambda: [*failed], timeout, said.append), said


def test_the_demo_waits_for_what_comes_and_says_for_what():
    """H8."""
    wait, said = waiting()
    answers = iter([["a", "b"], ["a", "b"], ["b"], []])
    acts = []
    wait.until(lambda: next(answers), lambda: acts.append(1))
    assert said == ["waiting for a, b (0 s)\n", "waiting for b (0 s)\n"]
    assert len(acts) == 3


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"pid": None}, "connect has ended: see stack/connect/log. the change will not come"),
        ({"failed": ["the connector cafe has failed: no slot"]}, "cafe has failed: no slot. the"),
        ({"timeout": -1.0}, r"the change: not there after -1 s \(--timeout\)"),
    ],
)
def test_the_demo_stops_where_nothing_will_come(given, problem):
    wait, _ = waiting(**given)
    with pytest.raises(StackError, match=problem):
        wait.until(lambda: ["the change"], lambda: pytest.fail("it acted"))


def test_the_demo_needs_the_servers(tmp_path):
    with pytest.raises(StackError, match=r"mariadb: not running.* make stack-up"):
        demo(Stack(tmp_path, 1), seconds=1, timeout=1)
