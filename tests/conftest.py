"""Tests in the order of how long they took, the longest first, so that no process ends alone."""

import json
from collections import Counter
from pathlib import Path

import pytest

DURATIONS = Path(__file__).with_name("durations.json")
# what tests have counted: a record_property, by its name
COUNTS = Path(__file__).with_name("counts.json")
LEAST = 1.0  # seconds: what takes less comes last, in the order of the files
_took: Counter[str] = Counter()
_counted: dict[str, int] = {}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-durations",
        action="store_true",
        help="write what each test has taken to tests/durations.json, and counted to counts.json",
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A group, which runs in one process, counts as one test."""
    seconds = json.loads(DURATIONS.read_text(encoding="utf-8")) if DURATIONS.exists() else {}
    groups: Counter[str] = Counter()
    for item in items:
        groups[group_of(item)] += seconds.get(name_of(item.nodeid), 0)
    items.sort(key=lambda item: -groups[group_of(item)])


def name_of(nodeid: str) -> str:
    """A test's name without its group, which pytest-xdist adds."""
    return nodeid.partition("@")[0]


def group_of(item: pytest.Item) -> str:
    marker = item.get_closest_marker("xdist_group")
    return marker.args[0] if marker else name_of(item.nodeid)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    _took[name_of(report.nodeid)] += report.duration
    _counted.update(report.user_properties)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Durations and counts of tests that did not run now stay, unless the whole suite ran."""
    config = session.config
    if hasattr(config, "workerinput") or not config.getoption("record_durations"):
        return
    is_whole = config.args == config.getini("testpaths")
    took = {name: round(seconds, 1) for name, seconds in _took.items()}
    for file, new, least in ((DURATIONS, took, LEAST), (COUNTS, _counted, 0)):
        old = json.loads(file.read_text(encoding="utf-8")) if file.exists() and not is_whole else {}
        lines = {name: found for name, found in sorted((old | new).items()) if found >= least}
        file.write_text(json.dumps(lines, indent=2) + "\n", encoding="utf-8")
