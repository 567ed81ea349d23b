"""What is left of what was erased is found, wherever it is in a file."""

import gzip
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakemirror.cli.proof import Location, Sought, images, search, search_file
from lakemirror.state.erasures import Place

KEY = Sought(["id"], [{"id": "42"}], [])
TEXT = Sought(["id"], [], ["ada@example.org"])
BOTH = Sought(["a", "b"], [{"a": "7", "b": "x"}], [])


def found(content, sought, path="f.parquet", has_keys=True, models=()):
    return [
        *dict.fromkeys(search_file(path, content, Location("", None, {}, has_keys, models), sought))
    ]


def parquet(**columns):
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(columns), sink, compression="zstd")
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("ids", [[42], [1, 42, 50]])
def test_a_row_has_the_key(ids):
    assert "rows have a key" in found(parquet(id=ids), KEY)
    assert found(parquet(id=[1, 43]), KEY) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Decimal("7.00"), "7"),
        (datetime(2026, 1, 31, tzinfo=UTC), "2026-01-31 00:00:00"),
        (date(2026, 1, 31), "2026-01-31"),
        (b"\x01", "0x01"),
        ("007", "007"),
    ],
)
def test_keys_of_all_types(value, text):
    sought = Sought(["id"], [{"id": text}], [])
    assert "rows have a key" in found(parquet(id=[value]), sought)
    assert found(parquet(id=[value]), Sought(["id"], [{"id": "else"}], [])) == []


def test_a_bound_is_a_key_only_where_it_is_all_of_it():
    whole = found(parquet(a=[7], b=["x"]), BOTH)
    assert whole == ["rows have a key"]
    assert found(parquet(a=[7, 1], b=["y", "x"]), BOTH) == []
    assert len(found(parquet(id=[42, 43]), KEY)) == 2


def test_a_text_is_found_in_pages_footers_and_bytes():
    rows = parquet(id=[1, 2, 3], name=["a", "see ada@example.org there", "z"])
    assert "the column name has a value" in found(rows, TEXT)
    assert "its bytes have a value" in found(parquet(name=["ada@example.org"]), TEXT)
    assert found(b'{"a": "ada@example.org"}', TEXT, "v1.metadata.json") == [
        "its bytes have a value"
    ]
    assert found(gzip.compress(b"ada@example.org"), TEXT, "v.gz") == ["its text has a value"]
    assert found(parquet(tags=[["ada@example.org"] * 2]), TEXT) != []


def test_a_record_tells_the_key():
    event = json.dumps({"before": {"id": 42}, "after": None, "op": "d"})
    assert found(parquet(key=[None], value=[event]), KEY) == ["the column value has a key"]
    assert found(parquet(key=['{"payload": {"id": 42}}']), KEY) == ["the column key has a key"]
    assert found(parquet(key=['{"id": 43}'], value=['{"note": 42}']), KEY) == []


def test_of_a_table_of_ops_the_models_own_rows_count():
    rows = parquet(model=["other"], unique_key=['{"id":42}'])
    assert found(rows, KEY, has_keys=False, models=["mine"]) == []
    assert found(rows, KEY, has_keys=False, models=["other"]) == ["the column unique_key has a key"]


@pytest.mark.parametrize("said", ['such as {"id":42}: see', 'no key {"id":"42"}'])
def test_a_message_names_the_key(said):
    rows = parquet(model=["mine"], message=[said])
    assert found(rows, KEY, has_keys=False, models=["mine"]) == ["the column message names a key"]


COLUMN = Sought([], [], [], ["email"])


@pytest.mark.parametrize("name", ["email", "EMAIL", "email__v1"])
def test_a_column_has_values(name):
    assert found(parquet(**{"id": [1], name: ["x"]}), COLUMN) == [
        f"the column {name} has values",
        f"the statistics of {name} in its footer are of values",
    ]
    assert found(parquet(**{"id": [1], name: pa.array([None], pa.string())}), COLUMN) == []
    assert found(parquet(**{f"{name}s": ["x"]}), COLUMN) == []


@pytest.mark.parametrize(
    "text",
    [
        '{"op": "u", "source": {}, "before": {"email": "x"}, "after": null}',
        '{"schema": {}, "payload": {"op": "u", "source": {}, "after": {"Email": 1}}}',
        '{"id": 1, "email": "x"}',
        '{"after": {"email": "x"',
        '{"op": "c", "source": {"query": "insert into t values (1)"}, "after": {"id": 1}}',
    ],
)
def test_a_record_has_values_of_a_column(text):
    assert found(parquet(value=[text]), COLUMN) == ["the column value has values of email"]


def test_a_record_without_values_of_a_column():
    event = (
        '{"op": "u", "email": 1, "source": {"email": 2}, "before": {"email": null}, "after": {}}'
    )
    assert found(parquet(value=[event, None, "null", "no JSON"]), COLUMN) == []


def test_a_message_shows_a_value_of_a_column():
    said = ["1 records: cannot be decoded, such as shop 0:7, whose email (int) is x"]
    rows = parquet(model=["mine"], message=said)
    assert found(rows, COLUMN, has_keys=False, models=["mine"]) == [
        "the column message names a key"
    ]


def test_images_of_a_text():
    assert list(images("no JSON")) == []
    assert {"id": 1} in list(images('{"payload": {"before": {"id": 1}}}'))


def test_what_cannot_be_read_is_not_proven(tmp_path):
    """A copy that is not where it was."""
    places = [Place("archive", str(tmp_path / "gone"), 0)]
    [found] = search(SimpleNamespace(properties={}), places, KEY).found
    assert found.what.startswith("cannot be read: ")


def test_a_copy_on_s3_is_read_by_the_environment(monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    [found] = search(
        SimpleNamespace(properties={}), [Place("archive", "s3a://bucket/raw", 0)], KEY
    ).found
    assert "127.0.0.1" in found.what
