"""Vars that nobody reads, and projects that need no lake."""

from types import SimpleNamespace

import pytest

from lakemirror.layers import Layers
from lakemirror.runs.lake import needs_lake, prepare, unknown_vars
from lakemirror.runs.project import no_such_model
from lakemirror.state.ops_tables import COMMON
from lakemirror.state.table_metadata import TableMetadata


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


class Lake:
    """A warehouse of an environment, whose tables of ops have these columns."""

    layers = Layers("dev_")

    def __init__(self, **columns):
        self.there, self.statements = columns, []

    def metadata(self, relation):
        columns = [(name, "string", None) for name in self.there[relation.removeprefix("dev_ops.")]]
        return TableMetadata({}, [], columns, [])

    def schemas(self):
        return ["dev_ops", "dev_stage"]

    def tables(self, schema):
        return [*self.there] if schema == "dev_ops" else []

    def run(self, statement):
        self.statements.append(statement)

    retry = run

    def sql(self, macro, relation, *_):
        return f"{macro} {relation}"


@pytest.mark.parametrize("table", COMMON, ids=lambda table: table.name)
def test_a_table_of_an_older_lake_gets_the_columns_that_it_lacks(table):
    """What is counted is a column of ops.runs: one more counter is one more column."""
    *older, newest = table.columns
    complete = {each.name: [*each.columns] for each in COMMON}
    project = SimpleNamespace(models=[SimpleNamespace(kind="mirror", name="m")])
    lake = Lake(**complete | {table.name: older})
    prepare(lake, project)
    assert lake.statements == [
        f"alter table dev_ops.{table.name} add columns ({newest} {table.columns[newest]})"
    ]
    lake = Lake(**{name: columns for name, columns in complete.items() if name != table.name})
    prepare(lake, project)
    assert lake.statements == [f"create_table_sql dev_ops.{table.name}"]


def test_a_model_that_is_not_there_is_named():
    assert no_such_model("rebucket", "x", "mirror", ["b", "a"]) == (
        "rebucket: x is no mirror of this project. There are: a, b"
    )
