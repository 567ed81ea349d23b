"""Entries that are added to YAML which somebody has written."""

import pytest
import yaml

from lakemirror.cli.yaml_lists import CannotAddError, added, entries

MODELS = ("models",)
TABLES = ("sources", 0, "tables")
SPACED = """\
version: 2
models:
  # mine
  - name: a
    description: >
      One row
      per day.

  - name: b  # the other
    columns:
      - {name: x}

# the end
unit_tests:
  - name: c
"""
SOURCES = """\
sources:
  - name: s
    tables:
      - name: a
        identifier: s__a"""


def test_the_lines_of_each_entry():
    assert [*entries(SPACED, MODELS)] == ["a", "b"]
    assert entries(SPACED, MODELS)["a"].endswith("  per day.\n")
    close = "models:\n  - name: a\n    tests: [x]\n  - name: b\n    tests:\n    - y\n"
    assert [*entries(close, MODELS).values()] == [
        "- name: a\n  tests: [x]\n",
        "- name: b\n  tests:\n  - y\n",
    ]
    assert entries(SPACED, MODELS)["b"] == ("- name: b  # the other\n  columns:\n    - {name: x}\n")
    assert entries(SPACED, TABLES) == {}


def test_an_entry_is_added_behind_the_last_and_nothing_else_changes():
    new = added(SPACED, MODELS, ["- name: d\n  tests: [t]\n"])
    assert new == SPACED.replace(
        "      - {name: x}\n", "      - {name: x}\n\n  - name: d\n    tests: [t]\n"
    )


def test_an_entry_is_added_where_the_file_has_no_last_newline():
    new = added(SOURCES, TABLES, ["- name: b\n"])
    assert new == f"{SOURCES}\n      - name: b\n"
    assert [table["name"] for table in yaml.safe_load(new)["sources"][0]["tables"]] == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["models: [{name: a}]\n", '{"models": [{"name": "a"}]}', "models:\n", "other: 1\n", ""]
)
def test_what_nothing_can_be_added_to(text):
    with pytest.raises(CannotAddError):
        added(text, MODELS, ["- name: b\n"])
