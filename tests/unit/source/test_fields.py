"""What is left of a record's text, when columns are taken out of it, is what it was: F53."""

import json

import pytest

from lakemirror.source.fields import key_without, value_without

EVENT = {
    "before": {"id": 1, "email": "a@b", "name": "A"},
    "after": {"id": 1, "email": None, "name": 'é " } , {'},
    "source": {"file": "f", "query": "update t set email = 'a@b'"},
    "op": "u",
}


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" ,\n", " :\t")])
@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize("is_ascii", [False, True])
def test_columns_and_statements_go(separators, wraps, is_ascii):
    event = {"schema": {"fields": [{"field": "email"}]}, "payload": EVENT} if wraps else EVENT
    text = json.dumps(event, separators=separators, ensure_ascii=is_ascii)
    found = json.loads(value_without(text, {"email"}))
    found = found["payload"] if wraps else found
    assert found == {
        "before": {"id": 1, "name": "A"},
        "after": {"id": 1, "name": 'é " } , {'},
        "source": {"file": "f"},
        "op": "u",
    }


@pytest.mark.parametrize(
    "text",
    [
        ' { "after" : {"id":1.500, "n":1e400,"id2":12345678901234567890123} } ',
        '{"after":null,"before":[],"source":{}}',
        "7",
        "null",
        '"email"',
        '{"email": {"after": 1}}',
        "{}",
    ],
)
def test_a_text_without_the_column_stays_to_the_letter(text):
    assert value_without(text, {"email"}) == text


def test_members_of_an_event_that_are_named_as_a_column_stay():
    text = '{"op":"c","after":{"op":"x","source":1},"source":{"op":"z"}}'
    assert value_without(text, {"op"}) == '{"op":"c","after":{"source":1},"source":{"op":"z"}}'
    assert key_without('{"op":1,"payload":2}', {"payload"}) == '{"op":1}'
    assert key_without('{"schema":{},"payload":{"payload":2,"op":1}}', {"payload"}) == (
        '{"schema":{},"payload":{"op":1}}'
    )


@pytest.mark.parametrize(
    "text", ['{"after":{"email":"a"', '{"email" "a"}', '{"email":1} x', "email=a", '{"Email":1']
)
def test_of_a_text_that_is_no_record_nothing_is_kept(text):
    assert value_without(text, {"email"}) is None
    assert value_without(text, {"email"}, keeps_unread=True) == text
    assert value_without(text, {"name"}) == text


def test_names_with_any_signs():
    text = json.dumps({"after": {'a "b"': 1, "ü": 2, "c": 3}})
    assert value_without(text, {'a "b"', "ü"}) == '{"after": {"c": 3}}'
    assert value_without(text[:-1], {"ü"}) is None
    assert value_without(None, {"x"}) is None


def test_a_member_that_comes_twice_goes_twice():
    assert value_without('{"after":{"a":1,"b":2,"a":3}}', {"a"}) == '{"after":{"b":2}}'
