"""SQL of a table that follows its query's columns."""

import json
from types import SimpleNamespace

import pytest

from lakemirror.evolution import Rules, plan


def test_a_query_is_fitted(macros, sql):
    there = [{"name": "id", "data_type": "bigint"}, {"name": "gone", "data_type": "date"}]
    found = vars(plan(there, [{"name": "ID", "data_type": "int"}], [], Rules()))
    assert sql(macros.fitted_sql("select 1 as ID", found)) == (
        "select * except (`ID`), cast(`ID` as bigint) as `id`, cast(null as date) as `gone` "
        "from ( select 1 as ID )"
    )
    same = vars(plan(there, there, [], Rules()))
    assert macros.fitted_sql("select 1 as ID", same) == "select 1 as ID"
    one = vars(plan(there, there[:1], [], Rules()))
    assert sql(macros.fitted_sql("q", one)) == "select *, cast(null as date) as `gone` from ( q )"


def test_what_cannot_be_done_is_said(macros):
    assert macros.evolution_problem("mirror.o", ["a", "b"], "mirror_o") == (
        "mirror_o: mirror.o cannot follow its query: a; b. Nothing was written. Declare the type "
        "that the table has, say what to do by on_type_conflict (docs/schema-changes.md), or "
        "rebuild the table: "
        "dbt run --full-refresh --select mirror_o --vars '{allow_full_refresh: true}'"
    )


def test_rows_are_filled(macros, sql):
    columns = [{"name": "a", "expression": "1"}, {"name": "b", "expression": "'x'"}]
    assert sql(macros.fill_sql("t.branch_b", columns)) == "update t.branch_b set `a` = 1, `b` = 'x'"


UNTIL = {"src_ts": "2026-01-01", "server_id": 1, "file": "a.1", "pos": 7}
BACK = {"name": "n", "until": UNTIL, "since": UNTIL | {"pos": 8}}


def test_rows_from_before_a_column_came_back(macros, sql):
    """Case 61: once for each time that it went; by the table's name of it."""
    done = json.dumps([macros.renewal(BACK)])
    previous = SimpleNamespace(summary={"lakemirror.returned": done})
    places, defaults = {"n": "n__v2"}, {"n": "7"}
    columns = [{"name": "n", "data_type": "int"}, {"name": "n__v2", "data_type": "string"}]

    def to_renew(column):
        return macros.returned_to_renew([column], previous, places, defaults, columns)

    assert to_renew(BACK) == to_renew(BACK | {"name": "gone"}) == []
    assert macros.unrenewed([BACK], None) == [BACK]
    assert to_renew(BACK | {"since": None, "until": UNTIL | {"offset": 9}}) == []
    later = BACK | {"until": UNTIL | {"pos": 9}}
    [renewed] = to_renew(later)
    assert renewed == later | {"name": "n__v2", "default": "cast(7 as string)"}
    until, since = (sql(macros.is_before(later[name], is_row=True)) for name in ("until", "since"))
    condition = sql(macros.is_outlived(renewed, "v"))
    assert condition == f"({until}) or ({since}) and v is null"
    assert sql(macros.is_outlived(renewed | {"since": None}, "v")) == f"({until})"
    assert sql(macros.is_outlived(renewed | {"default": None}, "v")) == (
        f"({until}) and v is not null"
    )
    outlived = condition.replace("v is null", "`n__v2` is null")
    assert sql(macros.renew_sql("t.branch_b", renewed)) == (
        f"update t.branch_b set `n__v2` = cast(7 as string) where {outlived}"
    )
    updates = {"fills": [{"name": "n", "expression": "1"}], "returned": [renewed]}
    old, new = macros.updated_columns(["n", "n__v2"], updates)
    assert old == {"name": "n", "expression": "1"}
    assert sql(new["expression"]) == (
        f"case when {outlived} then cast(7 as string) else `n__v2` end"
    )
    assert macros.renewed_columns([old], [renewed]) == [old]


def test_a_renewal_on_a_topic(macros):
    until = {"src_ts": "2026-01-01", "file": None, "partition": 1, "offset": 9}
    assert macros.renewal({"name": "n", "until": until}) == ["n", "2026-01-01", 1, 9]


@pytest.mark.parametrize(
    ("data_type", "default", "text"),
    [
        ("varchar(9)", {"lake": "string", "text": "it's"}, "cast('it\\'s' as string)"),
        ("int", {"json": "int", "text": "7"}, "cast('7' as int)"),
        ("year", {"json": "int", "text": "7"}, "cast('7' as int)"),
    ],
)
def test_a_default_is_a_value(macros, data_type, default, text):
    column = {"name": "n", "type": macros.type(data_type), "default": default}
    assert macros.default_value(column) == text
    macros.columns = [{"name": "n", "data_type": data_type, "default": default}]
    assert macros.default_values("raw.o", [], "mirror_o") == {"n": text}


def test_an_encoded_default_is_decoded(macros, sql):
    column = {"type": macros.type("decimal(5,2)"), "default": {"json": "binary", "text": "AJY="}}
    decoded = macros.decoded("unbase64('AJY=')", column["type"])
    assert macros.default_value(column) == decoded


def test_an_unknown_default_is_named(macros):
    column = {"name": "n", "default_problem": "uuid() is a function"}
    assert macros.default_warning(column, "mirror_o").startswith(
        "mirror_o: the default of the new column n is not known: uuid() is a function. It is null"
    )


def test_a_table_is_altered_as_planned(macros):
    run = []
    macros.context["adapter"].execute_until_committed = run.append
    macros.context["log"] = lambda text, info: run.append(text)
    found = {"lines": ["adds a int"], "statements": ["add columns (`a` int)"]}
    macros.evolve("mirror.o", found, "mirror_o")
    assert run == ["mirror_o: mirror.o adds a int", "alter table mirror.o add columns (`a` int)"]
