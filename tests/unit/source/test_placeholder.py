"""Which text stands for a value that was not sent: told by json, asked of texts, never wrong."""

import base64

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lakemirror.source.inference import Column, Evidence, Inference
from lakemirror.source.placeholder import LONG, SHORT, is_json
from support.depth import DEEP

NAME = "unavailable.value.placeholder"
KNOWN = "__debezium_unavailable_value"
LARGE = "x" * LONG
CREATED, UPDATED = (
    None,
    {},
)  # what the event of an insert, and of an update, tells of the row before


def seen(data_type: str, *events: tuple[object, object], said: str | None = None) -> Inference:
    """What events of one column show, each a value and what it tells of the row before."""
    given = {NAME: said} if said else {}
    evidence = Evidence("postgresql", [Column("shop.t", "a", data_type)], given)
    for value, before in events:
        evidence.look("shop.t", {"a": value}, None, before)
    return evidence.result()


@pytest.mark.parametrize("data_type", ["json", "JSONB"])
def test_what_is_no_json_is_told(data_type: str) -> None:
    found = seen(data_type, ("{}", CREATED), ("??", UPDATED))
    assert (found.conflicts, found.questions) == ([], [])
    assert [str(learned) for learned in found.learned] == [
        f"{NAME}=??: from shop.t.a ({data_type}), which is no JSON"
    ]
    assert found.settings == {NAME: "??"}


JSON = [
    "null",
    " 1 ",
    '"??"',
    "[" * 2_000 + "]" * 2_000,  # deeper than Python reads
    "[" + "9" * 5_000 + "]",  # more digits than Python reads
    KNOWN,
]


@pytest.mark.parametrize("text", JSON)
def test_what_is_json_or_known_tells_nothing(text: str) -> None:
    assert is_json(text) is (text != KNOWN)
    found = seen("json", (text, UPDATED), (text, UPDATED))
    assert found == Inference({})


def test_a_column_that_is_masked_tells_nothing() -> None:
    assert seen("json", ("****", CREATED), ("****", UPDATED)) == Inference({})
    assert seen("json", ("****", UPDATED), ("d41d8c", {"a": "****"})) == Inference({})


@pytest.mark.parametrize(
    ("events", "said", "problem"),
    [
        ([("??", UPDATED)], "!!", f"{NAME} is given as '!!', and shop.t.a (json) has '??', which"),
        (
            [("??", UPDATED), ("!!", UPDATED)],
            None,
            "has '??' and '!!', which are no JSON: only one",
        ),
        ([("??", UPDATED), (KNOWN, UPDATED)], None, f"has '{KNOWN}' and '??', which are no JSON"),
    ],
)
def test_texts_that_do_not_go_together(events: list, said: str | None, problem: str) -> None:
    [conflict] = seen("json", *events, said=said).conflicts
    assert problem in conflict


BYTES = base64.b64encode(LARGE.encode()).decode()
ASKED = [
    ("text", LARGE, "??"),
    ("character varying(9000)", LARGE, "??"),
    ("bytea", BYTES, base64.b64encode(b"??").decode()),
    ("bytea", LARGE.encode().hex(), b"??".hex()),
]


@pytest.mark.parametrize(("data_type", "large", "sent"), ASKED)
def test_a_text_that_updates_alone_have_is_asked_about(
    data_type: str, large: str, sent: str
) -> None:
    events = [(large, CREATED), (sent, UPDATED), (sent, UPDATED)]
    found = seen(data_type, *events)
    assert (found.learned, found.settings, found.conflicts) == ([], {}, [])
    questions = [question for question in found.questions if question.startswith(NAME)]
    [question] = questions
    assert f"shop.t.a ({data_type}) has '??' in 2 updates" in question
    assert f"--setting {NAME}=??, or --setting {NAME}={KNOWN} if" in question
    for answer in ("??", KNOWN):
        assert NAME not in str(seen(data_type, *events, said=answer).questions)


LONE = [
    [("short", CREATED), ("??", UPDATED), ("??", UPDATED)],  # nothing is stored apart
    [(LARGE, CREATED), ("??", UPDATED)],  # once
    [(LARGE, CREATED), ("", UPDATED), ("", UPDATED)],
    [(LARGE, CREATED), ("??", CREATED), ("??", UPDATED), ("??", UPDATED)],  # is a value
    [(LARGE, CREATED), ("??", {"a": LARGE}), ("??", {"a": LARGE})],  # REPLICA IDENTITY FULL
    [(LARGE, CREATED), ("?" * (SHORT + 1), UPDATED), ("?" * (SHORT + 1), UPDATED)],
    [(LARGE, CREATED), ("??", UPDATED), ("??", UPDATED), (KNOWN, UPDATED)],  # it is Debezium's own
]


@pytest.mark.parametrize("events", LONE)
def test_texts_that_are_values(events: list) -> None:
    assert seen("text", *events) == Inference({})


def test_a_json_column_answers_for_the_texts() -> None:
    columns = [Column("shop.t", "a", "text"), Column("shop.t", "b", "jsonb")]
    evidence = Evidence("postgresql", columns, {})
    evidence.look("shop.t", {"a": LARGE, "b": "{}"}, None, CREATED)
    for _ in range(2):
        evidence.look("shop.t", {"a": "??", "b": "??"}, None, UPDATED)
    found = evidence.result()
    assert (found.questions, found.settings) == ([], {NAME: "??"})


@pytest.mark.parametrize("kind", ["mysql", "vitess"])
def test_other_connectors_have_none(kind: str) -> None:
    evidence = Evidence(kind, [Column("shop.t", "a", "json")], {})
    evidence.look("shop.t", {"a": "??"}, None, UPDATED)
    assert (evidence.tables(), evidence.result()) == ([], Inference({}))


def test_a_long_text_is_shown_short() -> None:
    [learned] = seen("json", ("?" * 150 + "\n", UPDATED)).learned
    assert str(learned).startswith(f"{NAME}={'?' * 37}...: from shop.t.a (json), which")


PLACEHOLDERS = st.sampled_from([KNOWN, "n/a", "__gone"])
VALUES = {
    "jsonb": st.sampled_from(["{}", "[1]", '"n/a"', "null"]),
    "text": st.sampled_from(["", "a", "n/a", "__gone", LARGE]),
    "bytea": st.sampled_from([base64.b64encode(v).decode() for v in (b"", b"n/a", LARGE.encode())]),
}
UNSENT = object()
EVENTS = st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4).flatmap(
    lambda kinds: st.tuples(
        st.just(kinds),
        st.lists(st.tuples(*(VALUES[kind] for kind in kinds)), max_size=6),
        st.lists(st.tuples(*(st.just(UNSENT) | VALUES[kind] for kind in kinds)), max_size=6),
    )
)


@settings(max_examples=3_000 if DEEP else 300, deadline=None, derandomize=not DEEP)
@given(PLACEHOLDERS, EVENTS)
def test_random_placeholders(placeholder: str, drawn: tuple) -> None:
    """It is told right or not at all; and asked for where a text has come for one it knows long."""
    kinds, inserts, updates = drawn
    evidence = Evidence("postgresql", [Column("t", f"c{n}", k) for n, k in enumerate(kinds)], {})
    unsent = {"bytea": base64.b64encode(placeholder.encode()).decode()}
    for rows, before in ((inserts, CREATED), (updates, UPDATED)):
        for row in rows:
            sent = [
                unsent.get(kind, placeholder) if value is UNSENT else value
                for kind, value in zip(kinds, row, strict=True)
            ]
            evidence.look("t", {f"c{n}": value for n, value in enumerate(sent)}, None, before)
    found = evidence.result()
    assert found.conflicts == []
    told = [learned.value for learned in found.learned if learned.setting == NAME]
    assert told in ([], [placeholder])
    assert found.settings.get(NAME, placeholder) == placeholder
    asked = [question for question in found.questions if question.startswith(NAME)]
    has_json = any(
        value is UNSENT
        for row in updates
        for k, value in zip(kinds, row, strict=True)
        if k[0] == "j"
    )
    if has_json:
        assert (told, asked) == ([placeholder] if placeholder != KNOWN else [], [])
        return
    assert told == []
    for n, kind in enumerate(kinds):
        lone = [row[n] for row in inserts]
        every = lone + [row[n] for row in updates]
        has_long = any(value is not UNSENT and len(value) >= LONG for value in every)
        is_lone = unsent.get(kind, placeholder) not in lone
        if placeholder != KNOWN and has_long and is_lone and every.count(UNSENT) > 1:
            assert asked
