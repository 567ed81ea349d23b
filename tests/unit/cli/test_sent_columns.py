"""Which rows are parsed in search of columns: those that have one which is not known."""

import re

import pytest

from lakemirror.cli.sent_columns import rows_of, sent_columns
from support.small_lake import raw_record, raw_table


@pytest.mark.parametrize(
    ("value", "is_known"),
    [
        ('{"before":null,"after":{"a":1}}', True),
        ('{"after":{"a":-1.5E3,"b.c":"x"}}', True),
        ('{"before":{"a":1},"after":null}', True),
        ('{ "after" : { "b.c" : null , "a" : true } }', True),
        (r'{"after":{"a":"\"x\":1},{\\"}}', True),
        ('{"after":{"a":[1,"]}"],"b.c":{"x":"}"}}}', True),
        ('{"after":{}}', True),
        ('{"after":{"a":[[1]]}}', False),  # is parsed
        ('{"after":{"a":1,"x":2}}', False),
        ('{"before":{"a":1},"after":{"x":null}}', False),
        ('{"after":{"bxc":1}}', False),
        (r'{"before":{"a":"\"after\":{\"a\":1}"},"after":{"x":1}}', False),
        ("[]", False),
    ],
)
def test_rows_of_known_columns(value, is_known):
    assert bool(re.search(rows_of(["a", "b.c"]), value)) is is_known


@pytest.mark.parametrize("known", [[], ["id"], ["id", 'o"d|d', "é"]])
def test_columns_of_all_rows(tmp_path, known):
    rows = [{"id": 1}, {"id": 2, 'o"d|d': 'x":{'}, {"id": 3, "é": [[1], {"id": 2}]}]
    records = [raw_record(row["id"], **row) for row in rows] + [raw_record(1)]
    found = sent_columns(raw_table(tmp_path, records), "shop.orders", known, print)
    assert found == {"id", 'o"d|d', "é"}
