"""What the sink's types become; tests/functional/landing/test_sink.py reads real tables."""

import pytest

from lakemirror.source.sink import SinkError, as_texts, records_sql

PLACE = {f"_kafka_metadata_{name}": "bigint" for name in ("topic", "partition", "offset")}


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("decimal(38,2)", "string"),
        ("struct<id:bigint,a b:decimal(9,1)>", "struct<`id`:bigint,`a b`:string>"),
        ("array<struct<x`y:decimal(5,0)>>", "array<struct<`x``y`:string>>"),
        ("map<string,decimal(9,1)>", "map<string,string>"),
    ],
)
def test_decimals_become_texts(kind, text):
    assert as_texts(kind) == text


@pytest.mark.parametrize("kind", ["struct<a:b:int>", "struct<x(1):int>"])
def test_a_name_that_cannot_be_told(kind):
    with pytest.raises(SinkError, match="has a field whose name"):
        as_texts(kind)


@pytest.mark.parametrize("time", ["date", "timestamp"])
def test_times_of_connect_are_refused(time):
    """A column may be called so."""
    fine = {**PLACE, "op": "string", "after": f"struct<{time}:int>"}
    assert f"struct<`{time}`:int>" in records_sql("raw.t", fine, "numeric")
    with pytest.raises(SinkError, match=r"time\.precision\.mode=connect"):
        records_sql("raw.t", {**fine, "after": f"struct<x:{time}>"}, "numeric")
