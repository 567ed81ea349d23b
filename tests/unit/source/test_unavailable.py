"""The forms of PostgreSQL's placeholder (case 39, F16)."""

import pytest

from lakemirror.source import types
from lakemirror.source.unavailable import all_forms, unavailable_texts

FORMS = {
    "text, json, xml": "__debezium_unavailable_value",
    "bytea": "X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ==",
    "bytea in hex": "5f5f646562657a69756d5f756e617661696c61626c655f76616c7565",
    "text[], json[]": '["__debezium_unavailable_value"]',
    "bytea[]": '["X19kZWJleml1bV91bmF2YWlsYWJsZV92YWx1ZQ=="]',
    "int[]": "[95,95,100,101,98,101,122,105,117,109,95,117,110,97,118,97,105,108,97,98,108,101,95,"
    "118,97,108,117,101]",
    "uuid[]": '["b68a35a7-17ad-35b3-af2a-ae46edb4545a"]',
    "hstore": '{"__debezium_unavailable_value":"__debezium_unavailable_value"}',
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_each_type_has_its_form(text: str) -> None:
    assert text in all_forms("__debezium_unavailable_value")


def texts(data_type: str, **declared: str) -> list[str]:
    connector, settings = types.settings_of({"connector": "postgresql"} | declared)
    return unavailable_texts(types.encoding(data_type, connector, settings), settings)


def test_another_placeholder() -> None:
    gone = {"unavailable.value.placeholder": "Gone"}
    assert texts("text", **gone) == texts("text[]", **gone) == all_forms("Gone")
    assert texts("bytea", **gone) == ["Gone"]
    assert texts("int", **gone) == []


def test_another_connector_sends_all() -> None:
    connector, settings = types.settings_of({"connector": "mariadb"})
    assert unavailable_texts(types.encoding("text", connector, settings), settings) == []
