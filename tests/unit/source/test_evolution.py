"""How a table follows a query's columns. Cases 54-60; F17."""

import pytest

from lakemirror.source.evolution import Rules, fills, holds, plan, projected, widens


def columns(text):
    pairs = (column.split(" ") for column in text.split(", ") if column)
    return [{"name": name, "data_type": kind} for name, kind in pairs]


def evolve(there, wanted, own="", **rules):
    return plan(columns(there), columns(wanted), columns(own), Rules(**rules))


def values(found):
    return {column["name"]: column["expression"] for column in found.fitted}


@pytest.mark.parametrize(
    ("old", "new", "is_wider", "is_narrower"),
    [
        ("int", "bigint", True, False),
        ("bigint", "int", False, True),
        ("float", "double", True, False),
        ("decimal(5,2)", "decimal(9,2)", True, False),
        ("decimal(5,2)", "decimal(9,3)", False, False),
        ("decimal(20,0)", "bigint", False, True),
        ("decimal(18,0)", "bigint", False, False),
        ("bigint", "decimal(20,0)", False, False),
        ("date", "timestamp_ntz", False, False),
        ("int", "double", False, False),
        ("string", "int", False, False),
    ],
)
def test_types(old, new, is_wider, is_narrower):
    assert (widens(old, new), holds(old, new)) == (is_wider, is_narrower)


def test_nothing_to_do():
    found = evolve(
        "id int, v string, _is_deleted boolean", "v string, id int", "_is_deleted boolean"
    )
    assert (found.statements, found.fitted, found.names) == ([], [], ["v", "id"])


def test_columns_come_widen_and_go():
    found = evolve("id int, v int, Old string", "id bigint, new string, v int, _x int", "_own date")
    assert found.statements == [
        "alter column `id` type bigint",
        "add columns (`new` string, `_x` int, `_own` date)",
    ]
    assert found.names == ["id", "new", "v", "_x", "Old"]
    assert values(found) == {"Old": "cast(null as string)"}
    assert (found.replaced, found.problems) == ([], [])


def test_a_narrower_type_and_another_case_are_no_change():
    found = evolve("id bigint, Name string", "ID int, name string")
    assert (found.statements, found.names, found.replaced) == ([], ["id", "Name"], ["ID", "name"])
    assert values(found) == {"id": "cast(`ID` as bigint)", "Name": "`name`"}


def test_columns_may_be_dropped():
    """Not technical ones, nor those that keep what a column was; a dropped one is not merged."""
    there = "id int, a int, b int, _x int, _op string, b__v1 date"
    found = evolve(there, "id int, b int", on_drop="drop", dropped=["B"])
    assert found.statements == [f"drop column `{name}`" for name in ("a", "b", "_x")]
    assert found.names == ["id", "_op", "b__v1"]


def test_a_column_is_renamed_once():
    renamed = {"new": ["old"]}
    assert evolve("old int", "new bigint", renamed=renamed).statements == [
        "rename column `old` to `new`",
        "alter column `new` type bigint",
    ]
    assert evolve("new int", "new int", renamed=renamed).statements == []
    found = evolve("old int", "old int, new int", renamed=renamed)
    assert found.statements == ["add columns (`new` int)"]
    found = evolve("old int", "new int", renamed=renamed, key=["old"])
    assert found.problems == ["old is in the key and cannot be renamed to new"]


def test_a_conflict_is_a_problem():
    found = evolve("id int, v int", "id string, v string", key=["id"])
    assert found.problems == [
        "id is int and would become string",
        "v is int and would become string",
    ]
    for policy in ("new_column", "string"):
        found = evolve("id int", "id string", key=["ID"], on_type_conflict=policy)
        assert found.problems == ["id is int and would become string"]


def test_a_conflict_makes_a_column():
    policy = {"on_type_conflict": "new_column"}
    found = evolve("v int", "v string", **policy)
    assert (found.statements, found.names) == (["add columns (`v__v2` string)"], ["v__v2", "v"])
    assert values(found) == {"v__v2": "`v`", "v": "cast(null as int)"}
    assert evolve("v int, v__v2 string", "v string", **policy).statements == []
    back = evolve("v int, v__v2 string", "v int", **policy)
    assert values(back) == {"v__v2": "cast(null as string)"}
    third = evolve("v int, v__v2 string", "v date", **policy)
    assert third.statements == ["add columns (`v__v3` date)"]


def test_a_conflict_makes_text():
    policy = {"on_type_conflict": "string"}
    found = evolve("v int", "v date", **policy)
    assert found.statements == ["rename column `v` to `v__v1`", "add columns (`v` string)"]
    assert values(found) == {"v": "cast(`v` as string)", "v__v1": "cast(null as int)"}
    assert values(evolve("v__v1 int, v string", "v date", **policy))["v"] == "cast(`v` as string)"
    assert evolve("v binary", "v string", **policy).problems == [
        "v is binary and would become string"
    ]
    assert evolve("v int, v__v1 int", "v string, v__v1 int", **policy).problems == [
        "there is a column v__v1 already"
    ]
    follows = evolve("v int", "v__v1 int, v string", **policy)
    assert follows.statements == ["rename column `v` to `v__v1`", "add columns (`v` string)"]


def test_rows_from_before_are_filled():
    defaults = {"n": "'7'", "m": "'8'"}
    before, now = columns("id int, m int"), columns("id bigint, m bigint, n int, x int")
    assert fills(before, now, defaults) == [{"name": "n", "expression": "cast('7' as int)"}]
    assert fills(now, now, defaults) == []
    text = columns("id int, m__v1 int, m string")
    assert fills(columns("id int, m int"), text, defaults) == [
        {"name": "m", "expression": "cast(`m__v1` as string)"}
    ]
    assert fills(text, text, defaults) == []


def test_rows_of_another_time():
    there = columns("id bigint, new int, n int, v string, v__v1 int, w int")
    then = columns("id int, old int, v int, dropped int, w int")
    rules = Rules(renamed={"new": ["old"]}, on_type_conflict="string")
    found = projected(there, then, rules, {"n": "'7'"})
    assert {column["name"]: column["expression"] for column in found} == {
        "id": "cast(`id` as bigint)",
        "new": "`old`",
        "n": "cast('7' as int)",
        "v": "cast(`v` as string)",
        "v__v1": "cast(null as int)",
        "w": "`w`",
    }
