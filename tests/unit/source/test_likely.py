"""Which setting a value looks like: one that is right for it, and none where it says nothing."""

import pytest

from lakemirror.source import types
from lakemirror.source.likely import likely_settings, value_in
from lakemirror.source.wire import Real


@pytest.mark.parametrize(
    ("data_type", "given", "value", "likely"),
    [
        ("decimal(10,2)", {}, "12.50", ["decimal.handling.mode=string"]),
        (
            "decimal(10,2)",
            {"decimal.handling.mode": "string"},
            Real("12.5"),
            ["decimal.handling.mode=double"],
        ),
        ("decimal(10,2)", {}, Real("12.5"), ["decimal.handling.mode=double"]),
        ("decimal(10,2)", {}, Real("12.50"), ["decimal.format=numeric"]),
        ("datetime(6)", {}, "2026-01-01T00:00:00Z", ["time.precision.mode=isostring"]),
        ("datetime", {}, {"year": 2026}, ["time.precision.mode=structured"]),
        ("blob", {}, "zz_-", ["binary.handling.mode=base64-url-safe"]),
        ("int", {}, "12", []),
        ("decimal(10,2)", {}, None, []),
        ("decimal(10,2)", {}, True, []),
    ],
)
def test_a_value_of_another_setting(data_type, given, value, likely):
    settings = types.settings_of({"connector": "mariadb"} | given)[1]
    assert likely_settings(data_type, "mariadb", settings, value) == likely


@pytest.mark.parametrize("event", [None, "", "[]", "3", "{", '{"after": 3}', '{"payload": null}'])
def test_what_is_no_event_has_no_value(event):
    assert value_in(event, "price") is None


def test_a_delete_has_its_value_before():
    assert value_in('{"before": {"price": 1}, "after": null}', "price") == 1
