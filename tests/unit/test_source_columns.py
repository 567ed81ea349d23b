"""Columns that are known and columns that are declared."""

import pytest

from lakemirror.source_columns import ColumnsError, source_columns
from lakemirror.types import settings_of

KNOWN = [
    {"name": "id", "data_type": "int(11)"},
    {"name": "flag", "data_type": "tinyint(1)"},
    {"name": "at", "connect": '{"name":"io.debezium.time.MicroTimestamp","type":"int64"}'},
]


def columns(declared, known=KNOWN):
    return {
        column["name"]: column["type"]["lake"]
        for column in source_columns(declared, known, *settings_of({"connector": "mariadb"}))
    }


def test_what_is_known_needs_no_declaration():
    assert columns({}) == {"id": "int", "flag": "int", "at": "timestamp_ntz"}


def test_a_declared_type_goes_over_what_is_known():
    """And a column that is only named keeps what is known; others come last."""
    found = columns({"n": "bigint", "flag": "boolean", "id": None})
    assert found == {"id": "int", "flag": "boolean", "at": "timestamp_ntz", "n": "bigint"}
    assert [*found] == ["id", "flag", "at", "n"]


@pytest.mark.parametrize(
    ("declared", "known", "problem"),
    [
        ({}, [], "has no columns: none is declared, and raw.schema_history"),
        ({"n": None}, KNOWN, "column n has no data_type"),
        ({"ID": "int"}, KNOWN, "column id is there twice"),
        ({"_op": "int"}, [], "column _op has a name like the technical columns'"),
        ({"n": "mood"}, [], "column n: the type mood cannot be decoded"),
        ({"m": "mood", "n": None}, [], "column m: .*; column n has no data_type"),
    ],
)
def test_all_that_is_wrong_is_said(declared, known, problem):
    with pytest.raises(ColumnsError, match=problem):
        columns(declared, known)
