"""Avro records become the texts that JsonConverter would have sent."""

import json
from io import BytesIO

import fastavro
import pytest

from lakemirror.landing.avro import Registry, RegistryError, Writer, plain, registry_of, text_of

VALUE = {
    "type": "record",
    "name": "Value",
    "connect.name": "store.cafe.orders.Value",
    "fields": [
        {"name": "id", "type": {"type": "long", "connect.default": 0}, "default": 0},
        {"name": "small", "type": {"type": "int", "connect.type": "int16"}},
        {"name": "note", "type": ["null", "string"], "default": None},
        {
            "name": "price",
            "type": [
                "null",
                {
                    "type": "bytes",
                    "logicalType": "decimal",
                    "precision": 12,
                    "scale": 2,
                    "connect.version": 1,
                    "connect.parameters": {"scale": "2"},
                    "connect.name": "org.apache.kafka.connect.data.Decimal",
                    "connect.default": "\u00ff\u0000",
                },
            ],
            "default": None,
        },
        {
            "name": "at",
            "type": {
                "type": "long",
                "connect.version": 1,
                "connect.name": "io.debezium.time.MicroTimestamp",
            },
        },
        {"name": "tags", "type": {"type": "array", "items": ["null", "string"]}},
        {"name": "more", "type": {"type": "map", "values": "double"}},
    ],
}
ENVELOPE = {
    "type": "record",
    "name": "Envelope",
    "namespace": "store.cafe.orders",
    "fields": [
        {"name": "before", "type": ["null", VALUE], "default": None},
        {"name": "after", "type": ["null", "Value"], "default": None},
        {"name": "op", "type": "string"},
    ],
}
ROW = {
    "id": 2**53 + 1,
    "small": -7,
    "note": None,
    "price": b"\x00\xff",
    "at": 1767225600000000,
    "tags": ["Zo\u00eb", None],
    "more": {"a": 0.1},
}


def written(schema, value):
    body = BytesIO()
    fastavro.schemaless_writer(body, fastavro.parse_schema(plain(schema)), value)
    return body.getvalue()


def test_a_record_is_the_text_of_json_converter():
    """Types, names, parameters and defaults; bytes are base64, as JsonConverter writes decimals."""
    body = written(ENVELOPE, {"before": None, "after": ROW, "op": "c"})
    text = Writer(json.dumps(ENVELOPE)).text(body)
    assert text.startswith('{"schema":{"type":"struct","fields":[')
    assert ',"payload":{"before":null,"after":{"id":9007199254740993,"small":-7,' in text
    found = json.loads(text)
    assert found["payload"]["after"] == ROW | {"price": "AP8="}
    before, after, op = found["schema"]["fields"]
    assert before == after | {"field": "before"}
    assert op == {"type": "string", "optional": False, "field": "op"}
    assert (after["type"], after["name"], after["optional"]) == (
        *("struct", "store.cafe.orders.Value"),
        True,
    )
    assert after["fields"] == [
        {"type": "int64", "optional": False, "default": 0, "field": "id"},
        {"type": "int16", "optional": False, "field": "small"},
        {"type": "string", "optional": True, "field": "note"},
        {
            "type": "bytes",
            "optional": True,
            "name": "org.apache.kafka.connect.data.Decimal",
            "version": 1,
            "parameters": {"scale": "2"},
            "default": "/wA=",
            "field": "price",
        },
        {
            "type": "int64",
            "optional": False,
            "name": "io.debezium.time.MicroTimestamp",
            "version": 1,
            "field": "at",
        },
        {
            "type": "array",
            "items": {"type": "string", "optional": True},
            "optional": False,
            "field": "tags",
        },
        {
            "type": "map",
            "keys": {"type": "string", "optional": False},
            "values": {"type": "double", "optional": False},
            "optional": False,
            "field": "more",
        },
    ]


def test_numbers_that_json_does_not_have():
    more = {"a": float("nan"), "b": -float("inf"), "c": 1.5}
    text = Writer(json.dumps(VALUE)).text(written(VALUE, ROW | {"more": more}))
    assert json.loads(text)["payload"]["more"] == {"a": "NaN", "b": "-Infinity", "c": 1.5}


@pytest.mark.parametrize("change", [lambda b: b[:-1], lambda b: b + b"x", lambda b: b""])
def test_a_record_that_does_not_fit(change):
    body = written(VALUE, ROW)
    with pytest.raises(RegistryError):
        Writer(json.dumps(VALUE)).text(change(body))


def test_the_registry_is_named_by_the_environment():
    prefix = "LAKEMIRROR_REGISTRY_"
    assert registry_of({}) is None
    assert registry_of({prefix + "URL": "http://r", prefix + "ID_BYTES": "8"}) == Registry(
        "http://r", "", 8
    )
    secret = registry_of({prefix + "URL": "http://r", prefix + "AUTH": "me:hunter2"})
    assert "hunter2" not in repr(secret)


def test_a_registry_that_does_not_answer():
    registry = Registry("http://127.0.0.1:9", "me:hunter2")
    with pytest.raises(RegistryError) as problem:
        text_of(b"\x00\x00\x00\x00\x05x", registry)
    assert "a record of schema 5 at http://127.0.0.1:9 (LAKEMIRROR_REGISTRY_URL" in str(
        problem.value
    )
    assert "hunter2" not in str(problem.value)
