import pytest

from lakemirror.source.canonical import Canonical
from lakemirror.source.reading import SourceTable

KINDS = {
    "id": "text",
    "b": "padded",
    "d": "days",
    "at": "micros",
    "n": "scaled",
    "v": "bytes",
    "f": "float",
}


@pytest.fixture
def table():
    columns = [Canonical(name, name, kind, "mariadb", "x") for name, kind in KINDS.items()]
    return SourceTable("mariadb", "shop", "t", columns[:1], columns)


def test_groups_of_a_mirror(macros, sql, table):
    groups = sql(macros.mirror_groups_sql("m version as of 1", table, 3, 15))
    assert "substr(key_digest, 1, 3) as key_group" in groups
    assert "conv(substr(row_digest, 1, 15), 16, 10)" in groups
    assert (
        "coalesce(concat(length(cast(`id` as string)), ':', cast(`id` as string)), '-')" in groups
    )
    assert "regexp_replace(lower(hex(`b`)), '(00)+$', '')" in groups
    assert "cast(unix_date(`d`) as string)" in groups
    assert "cast(unix_micros(cast(`at` as timestamp)) as string)" in groups
    assert "java_method('java.lang.Double', 'doubleToLongBits', cast(`f` as double))" in groups
    assert "from m version as of 1" in groups


def test_digests_of_some_groups(macros, sql, table):
    digests = sql(macros.mirror_digests_sql("m", table, 3, ["00a", "fff"]))
    assert "in ('00a', 'fff')" in digests
    assert "array( cast(`id` as string) ) as key_texts" in digests


def test_texts_of_some_keys(macros, sql, table):
    texts = sql(macros.mirror_texts_sql("m", "m__tombstones", table, ["4:it's."]))
    assert texts.count("in ('4:it\\'s.')") == 2
    assert "from m__tombstones" in texts
    assert "union all" not in macros.mirror_texts_sql("m", None, table, ["1:a."])
