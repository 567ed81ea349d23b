"""Vars that nobody reads, and projects that need no lake."""

from types import SimpleNamespace

from lakemirror.runs.lake import needs_lake, unknown_vars
from lakemirror.runs.project import no_such_model


def test_a_misspelt_var_is_told():
    assert unknown_vars(["replayy"], []) == [
        "replayy: nobody reads a var of this name; did you mean replay?"
    ]


def test_what_somebody_reads_is_known():
    code = ["select {{ var('region') }}", '{"config": {"days": "{{ var(\'keep\', 3) }}"}}']
    assert unknown_vars(["replay", "ds", "region", "keep"], code) == []


def test_all_are_one_error():
    found = unknown_vars(["zzzz", "resinc", "region"], ["region"])
    assert [problem.split(":")[0] for problem in found] == ["resinc", "zzzz"]
    assert found[0].endswith("; did you mean resync?")
    assert found[1] == "zzzz: nobody reads a var of this name"


def test_a_project_without_changes_needs_no_lake():
    def project(kind, name):
        return SimpleNamespace(models=[SimpleNamespace(kind=kind, name=name)])

    assert not needs_lake(project("table", "numbers"))
    assert needs_lake(project("mirror", "numbers"))
    assert needs_lake(project("incremental", "landing"))


def test_a_model_that_is_not_there_is_named():
    assert no_such_model("rebucket", "x", "mirror", ["b", "a"]) == (
        "rebucket: x is no mirror of this project. There are: a, b"
    )
