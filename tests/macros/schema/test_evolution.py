"""SQL of a table that follows its query's columns."""

import json
from types import SimpleNamespace

import pytest

from lakemirror.runs import evolve
from lakemirror.runs.evolve import Updates
from lakemirror.source.evolution import Rules, plan


class Words:
    """What a run asks of macros, and what it says."""

    def __init__(self, macros):
        self.macros, self.said = macros, []
        self.say = self.retry = self.warn = self.said.append
        self.sources = SimpleNamespace(columns=lambda raw: macros.declared())

    def sql(self, macro, *given):
        return getattr(self.macros, macro)(*given)


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


def test_rows_are_filled(macros, sql):
    columns = [{"name": "a", "expression": "1"}, {"name": "b", "expression": "'x'"}]
    assert sql(macros.fill_sql("t.branch_b", columns)) == "update t.branch_b set `a` = 1, `b` = 'x'"


UNTIL = {"src_ts": "2026-01-01", "server_id": 1, "file": "a.1", "pos": 7}
BACK = {"name": "n", "until": UNTIL, "since": UNTIL | {"pos": 8}, "is_late": False}


def test_rows_from_before_a_column_came_back(macros, sql):
    """Case 61: once for each time that it went; by the table's name of it."""
    done = json.dumps([evolve.renewal(BACK)])
    previous = SimpleNamespace(summary={"lakemirror.returned": done})
    places, defaults = {"n": "n__v2"}, {"n": "7"}
    columns = [{"name": "n", "data_type": "int"}, {"name": "n__v2", "data_type": "string"}]

    def to_renew(column):
        return evolve.to_renew([column], previous, places, defaults, columns)

    assert to_renew(BACK) == to_renew(BACK | {"name": "gone"}) == []
    assert evolve.unrenewed([BACK], None) == [BACK]
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
    late = renewed | {"since": None, "is_late": True}
    assert sql(macros.is_outlived(late, "v")) == f"({until}) and v is null"
    outlived = condition.replace("v is null", "`n__v2` is null")
    assert sql(macros.renew_sql("t.branch_b", renewed)) == (
        f"update t.branch_b set `n__v2` = cast(7 as string) where {outlived}"
    )
    updates = Updates([{"name": "n", "expression": "1"}], [renewed])
    old, new = evolve.updated(Words(macros), ["n", "n__v2"], updates)
    assert old == {"name": "n", "expression": "1"}
    assert sql(new["expression"]) == (
        f"case when {outlived} then cast(7 as string) else `n__v2` end"
    )
    assert evolve.renewed(Words(macros), [old], [renewed]) == [old]


def test_a_renewal_on_a_topic():
    until = {"src_ts": "2026-01-01", "file": None, "partition": 1, "offset": 9}
    assert evolve.renewal({"name": "n", "until": until}) == ["n", "2026-01-01", 1, 9]


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
    column["conversion"] = None
    assert macros.default_value(column) == text
    macros.columns = [{"name": "n", "data_type": data_type, "default": default}]
    assert evolve.default_values(Words(macros), "raw.o", [], "mirror_o") == {"n": text}


def test_an_encoded_default_is_decoded(macros, sql):
    column = {"type": macros.type("decimal(5,2)"), "default": {"json": "binary", "text": "AJY="}}
    column["conversion"] = None
    decoded = macros.decoded("unbase64('AJY=')", column["type"])
    assert macros.default_value(column) == decoded


def test_an_unknown_default_is_named(macros):
    words = Words(macros)
    column = {"name": "n", "default": None, "default_problem": "uuid() is a function"}
    words.sources = SimpleNamespace(columns=lambda raw: [column])
    assert evolve.default_values(words, "raw.o", ["n"], "mirror_o") == {}
    [warning] = words.said
    assert warning.startswith(
        "mirror_o: the default of the new column n is not known: uuid() is a function. It is null"
    )
    assert evolve.default_values(words, "raw.o", [], "mirror_o") == {}
    assert len(words.said) == 1


def test_a_default_is_for_rows_from_before_its_column(macros, sql):
    """Where the table had rows from after it, what they had is not known."""
    words = Words(macros)
    columns = [{"name": "n", "added": UNTIL}, {"name": "m", "added": None}]
    words.sources = SimpleNamespace(columns=lambda raw: columns)
    words.rows = lambda query: words.said.append(query) or [(False,)]
    before = macros.is_before(UNTIL, True)
    found = evolve.as_of_rows(words, "raw.o", {"n": "7", "m": "8"})
    assert found == {"n": f"case when {before} then 7 end", "m": "8"}

    def older(newest):
        return evolve.older_than_all(words, "raw.o", "mirror.o", newest, ["n", "m"])

    assert older("2025-12-31 23:59:59.5") == {"n", "m"}
    assert words.said == []
    assert older("2026-01-01 00:00:00") == older(None) == {"m"}
    assert words.said == [f"select coalesce(every({before}), true) from mirror.o"] * 2


def test_a_table_is_altered_as_planned(macros):
    words = Words(macros)
    found = SimpleNamespace(lines=["adds a int"], statements=["add columns (`a` int)"])
    evolve.follow(words, "mirror.o", found, "mirror_o")
    assert words.said == [
        "mirror_o: mirror.o adds a int",
        "alter table mirror.o add columns (`a` int)",
    ]
