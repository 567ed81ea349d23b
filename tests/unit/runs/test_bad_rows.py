"""What is said of records that cannot be used."""

import json

from lakemirror.runs.bad_rows import bad_example
from lakemirror.source import types

COLUMNS = {"price": {"name": "price", "data_type": "decimal(10,2)"}}
CONNECTOR = types.settings_of({"connector": "mariadb"})


def row(reason, **after):
    place = {"_kfk_topic": "shop.t", "_kfk_partition": 1, "_kfk_offset": 5}
    return place | {"reason": reason, "records": 3, "value": json.dumps({"after": after})}


def test_a_column_a_value_and_a_likely_setting_are_named():
    found = bad_example(row("cannot be decoded: price, at", price="1.50"), COLUMNS, CONNECTOR)
    assert found.line == (
        "3 records: cannot be decoded: price, at, such as shop.t 1:5, whose price (decimal(10,2)) "
        "is '1.50'. It looks like decimal.handling.mode=string: say so in config.meta.debezium of "
        "the source"
    )


def test_nothing_is_guessed():
    found = bad_example(row("cannot be decoded: price", price=[1]), COLUMNS, CONNECTOR)
    assert found.line.endswith("whose price (decimal(10,2)) is [1]")
    for reason in ("no key", "cannot be decoded: the event"):
        assert bad_example(row(reason), COLUMNS, CONNECTOR).line == (
            f"3 records: {reason}, such as shop.t 1:5"
        )
    assert bad_example(row("cannot be decoded: price", price="1"), COLUMNS, None).settings == []


def test_a_long_value_is_cut():
    found = bad_example(row("cannot be decoded: price", price="x" * 99), COLUMNS, CONNECTOR)
    assert found.value == f"'{'x' * 37}...'"
