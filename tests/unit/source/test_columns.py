"""Columns that are known and columns that are declared."""

import pytest

from lakemirror.source.columns import (
    ColumnsError,
    Declared,
    gone_names,
    names_of,
    sent_names,
    source_columns,
)
from lakemirror.source.types import settings_of

KNOWN = [
    {"name": "id", "data_type": "int(11)"},
    {"name": "flag", "data_type": "tinyint(1)"},
    {"name": "at", "connect": '{"name":"io.debezium.time.MicroTimestamp","type":"int64"}'},
]


def found(declared, known=KNOWN, connector="mariadb"):
    given = {n: c if isinstance(c, Declared) else Declared(c) for n, c in declared.items()}
    return source_columns(given, known, *settings_of({"connector": connector}))


def columns(declared, known=KNOWN):
    return {column["name"]: column["type"]["lake"] for column in found(declared, known)}


def test_the_names_of_dropped_columns():
    """Those that nobody declares: since a place in a binlog."""
    place = {"file": "binlog.1", "pos": 7}
    known = [
        {"name": "here", "spellings": ["Here"], "gone": None},
        {"name": "gone", "spellings": ["GONE"], "gone": place},
        {"name": "unplaced", "spellings": [], "gone": {"file": None}},
        {"name": "own", "spellings": [], "gone": place},
        {"name": "former", "spellings": [], "gone": place},
    ]
    declared = {"own": Declared(), "here": Declared(renamed_from="former")}
    assert gone_names(declared, known) == [{"names": ["gone", "GONE"], "since": place}]
    names = ["GONE", "Here", "former", "gone", "here", "own", "unplaced"]
    assert names_of(declared, known) == names


def test_the_names_that_events_have_now():
    """In the source's order; none where a row cannot be written from what is read of it."""
    gone = {"name": "gone", "data_type": "int(11)", "is_dropped": True}
    there = found({}, known=[*KNOWN[:2], gone])
    names = ["flag", "gone", "id"]
    assert sent_names(there, names) == ["id", "flag"]
    assert sent_names(there, [*names, "left_out"]) == []
    assert sent_names(found({"at": Declared(renamed_from="of")}), ["at", "flag", "id", "of"]) == [
        *("id", "flag", "at")
    ]
    assert sent_names(found({"place": "point"}), ["at", "flag", "id", "place"]) == []


def test_what_is_known_needs_no_declaration():
    assert columns({}) == {"id": "int", "flag": "int", "at": "timestamp_ntz"}


def test_a_declared_type_goes_over_what_is_known():
    """And a column that is only named keeps what is known; others come last."""
    types = columns({"n": "bigint", "flag": "boolean", "id": None})
    assert types == {"id": "int", "flag": "boolean", "at": "timestamp_ntz", "n": "bigint"}
    assert [*types] == ["id", "flag", "at", "n"]


@pytest.mark.parametrize(
    ("declared", "known", "problem"),
    [
        ({}, [], "has no columns: none is declared, and the schema_history"),
        ({"n": None}, KNOWN, "column n has no data_type"),
        ({"ID": "int"}, KNOWN, "column id is there twice"),
        ({"_op": "int"}, [], "column _op has the name of a technical column"),
        ({"n": "mood"}, [], "column n: the type mood cannot be decoded"),
        ({"m": "mood", "n": None}, [], "column m: .*; column n has no data_type"),
    ],
)
def test_all_that_is_wrong_is_said(declared, known, problem):
    with pytest.raises(ColumnsError, match=problem):
        columns(declared, known)


def test_a_renamed_column_has_its_former_name():
    """Case 57: as long as the history has not heard of the new one, it is the old one's."""
    old, new = ({"name": name, "data_type": "int"} for name in ("old", "new"))
    declared = {"new": Declared(renamed_from="old")}
    told = new | {"spellings": ["old"]}  # the history knows it too
    for known in ([old], [new, old | {"is_dropped": True}], [new], [told]):
        [column] = found(declared, known)
        assert (column["name"], column["former"], column["type"]["lake"]) == ("new", ["old"], "int")
    with pytest.raises(ColumnsError, match="column new is renamed_from old, which the source"):
        found(declared, [new, old])


def test_a_dropped_column_that_cannot_be_decoded_is_left_out():
    known = [{"name": "id", "data_type": "int"}]
    dropped = [{"name": name, "is_dropped": True} | kind for name, kind in [
        ("v", {"data_type": "int"}), ("m", {"data_type": "mood"}), ("_op", {"data_type": "int"}),
    ]]  # fmt: skip
    columns = found({}, known + dropped)
    assert [(c["name"], c["is_dropped"]) for c in columns] == [("id", False), ("v", True)]


def test_the_default_of_a_column_that_was_added():
    """Case 55: as a statement or as a Connect schema has it, or as it is declared; or why not."""
    added = {"name": "n", "data_type": "int", "is_added": True, "default": "7", "nullable": True}
    own = {"default": {"lake": "int", "text": "7"}, "default_problem": None}
    assert own.items() <= found({}, [added])[0].items()
    sent = added | {"default_connect": '{"type":"int32"}'}
    assert found({}, [sent])[0]["default"] == {"json": "int", "text": "7"}
    [changed] = found({}, [sent | {"data_type": "decimal(20,4)"}])
    assert (changed["default"]["json"], changed["default"]["type"]["lake"]) == ("int", "int")
    [changed] = found({}, [sent | {"data_type": "date"}])
    assert changed["default_problem"] == "'7' is of another type than the column now"
    assert found({"n": Declared(default="8")}, [sent])[0]["default"]["text"] == "8"
    assert found({}, [added | {"is_added": False}])[0]["default"] is None
    [unknown] = found({}, [added | {"default": "rand()"}])
    assert (unknown["default"], unknown["default_problem"]) == (None, "'rand()' is no int")


@pytest.mark.parametrize(
    ("old", "new", "is_lost"),
    [
        ("datetime(3)", "datetime(6)", [False]),
        ("decimal(9,2)", "decimal(10,3)", [False]),
        ("decimal(10,2)", "decimal(10,3)", [False]),
        ("int", "decimal(20,4)", [False]),
        ("date", "datetime", [False]),
        ("decimal(9,2)", "varchar(20)", [False]),
        # the database's text of it is another one than the lake's
        ("datetime(3)", "varchar(30)", [True]),
        ("double", "varchar(30)", [True]),
        ("varchar(9)", "int", [True]),
        ("decimal(9,2)", "decimal(10,2)", []),
        ("bigint", "int", []),  # a number is a number
        ("int", "varchar(9)", []),
        ("varchar(9)", "varchar(99)", []),
    ],
)
def test_older_events_with_another_encoding(old, new, is_lost):
    """Case 62: they are read as they were sent, or what the database made of them is not known."""
    older = {"older": [{"data_type": old, "until": "2026-01-01"}]}
    [column] = found({}, [{"name": "n", "data_type": new} | older])
    assert [kind["is_lost"] for kind in column["older"]] == is_lost
    assert [kind["until"] for kind in column["older"]] == ["2026-01-01"] * len(is_lost)
    assert found({"n": new}, [{"name": "n", "data_type": new} | older])[0]["older"] == []
