"""What is measured where a system cannot start."""

import importlib

import pytest
from bench import systems, worker

from lakemirror import comet

PROBLEM = "accelerate: no native library. Leave it out here."


def test_a_machine_that_has_no_comet(monkeypatch):
    """All others are measured; a process that wants Comet ends with the sentence for the report."""
    monkeypatch.setattr(comet, "machine_problem", lambda *machine: PROBLEM)
    known = importlib.reload(systems).SYSTEMS
    assert worker.settings_of(known["hand-written MERGE"]) == {}
    with pytest.raises(SystemExit, match=PROBLEM):
        worker.settings_of(known["hand-written MERGE, Comet"])


def test_comet_is_given_memory(monkeypatch):
    monkeypatch.setattr(comet, "machine_problem", lambda *machine: None)
    found = worker.settings_of(systems.SYSTEMS["full reload, Comet"])
    assert found["spark.memory.offHeap.size"] == "1g"
