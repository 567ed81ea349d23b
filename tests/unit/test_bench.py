"""What is measured where a system cannot start."""

import importlib

import pytest
from bench import loop, report, scale, systems, worker
from bench.data import Case
from bench.plan import Part
from bench.stages import Stage, Statement

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
    found = worker.settings_of(systems.SYSTEMS["hand-written MERGE, Comet"])
    assert found["spark.memory.offHeap.size"] == "1g"


def step(
    rows: tuple[int, ...] = (50, 50),
    scanned: tuple[int, ...] = (),
    plan: str = "Sort",
    executors: str = "01",
) -> scale.Step:
    gathered = 0 if scanned else sum(rows)
    stage = Stage([*rows], scanned=[*scanned], gathered=gathered, executors={*executors})
    return scale.Step(1.0, [Statement(0, (plan,), [stage])])


@pytest.mark.parametrize(
    ("engine", "other", "said"),
    [
        ("local[2]", {}, []),
        ("local[2]", {"plan": "Hash"}, ["local[2] has other plans than local[1]: Sort\n<>\nHash"]),
        (
            "local[2]",
            {"rows": (99, 1)},
            ["local[2]: one of 2 tasks has 99% of what a stage reads, 100 rows: Sort"],
        ),
        ("local[2]", {"rows": (99, 1), "scanned": (5, 5)}, []),
        (
            "cluster",
            {"scanned": (9, 1)},
            ["cluster: one of 2 tasks has 90% of what a stage reads, 100 rows: Sort"],
        ),
        ("cluster", {"executors": "1"}, ["one of the cluster's workers has done it alone"]),
    ],
)
def test_what_is_not_the_same_with_each_master(engine, other, said):
    found = {name: dict.fromkeys(scale.STEPS, step()) for name in scale.ENGINES}
    found[engine] = found[engine] | {scale.FIRST: step(**other)}
    assert scale.problems(found) == [f"{scale.FIRST}: {text}" for text in said]


def test_a_step_that_reads_nothing():
    none = dict.fromkeys(scale.STEPS, scale.Step(1.0, []))
    found = scale.problems(dict.fromkeys(scale.ENGINES, none))
    assert f"{scale.FIRST}: no statement has read its rows" in found


def test_the_trend_has_ratios(monkeypatch, tmp_path):
    """A line for each system that counts, and none for one whose rows are wrong."""
    monkeypatch.setattr(report, "RESULTS", tmp_path)
    monkeypatch.setattr(report, "commit", lambda: "abc1234")
    right = {"is_right": True, "rounds": [{"seconds": 2.0}]}
    results = {"ours": right, "slow": right | {"rounds": [{"seconds": 5.0}]}}
    results["wrong"] = right | {"is_right": False}
    part = Part("A case", Case(1000, 10), ["ours"])
    for _ in range(2):
        report.write_trend([(part, results)])
    lines = (tmp_path / "trend.csv").read_text("utf-8").splitlines()
    case = f'"A case: {part.case.name}"'
    measured = [f"abc1234,{case},ours,1.00", f"abc1234,{case},slow,2.50"]
    assert lines == ["commit,case,system,ratio", *measured, *measured]


def test_rounds_of_a_loop_are_read_from_what_it_says():
    """Those of all models in the second half; a round of a few is none of them."""
    heard = loop.Heard()
    heard.listen(
        [
            "10:00:00  4 tables have moved, 4 models in 80.0 s\n",
            "10:00:30  4 tables have moved, 4 models in 30.0 s\n",
            "10:00:40  1 table has moved, 1 model in 5.0 s\n",
            "10:00:50  Tables were cared for in 40.0 s\n",
            "10:01:10  4 tables have moved, 4 models in 20.0 s\n",
        ]
    )
    lines = loop.page(heard, {"store": [3.0, 1.0, 2.0]})
    assert "4 rounds, of which the first took 80 s; the tables were cared for 1 times" in lines[0]
    assert lines[-2:] == [
        "| a round of all 4 models | 20.0 (20.0 to 20.0) | 1 |",
        "| store: from a commit to the mirror's | 2.0 (1.0 to 3.0) | 3 |",
    ]
