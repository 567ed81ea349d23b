"""Records of what no event has told, and where they belong."""

from types import SimpleNamespace

import pytest

from lakemirror.landing.raw import COLUMNS
from lakemirror.source.canonical import Canonical
from lakemirror.source.reading import SourceTable

KEY = [Canonical("id", "id", "whole", "mariadb", "int")]
TABLE = SourceTable("mariadb", "shop", "t", KEY, [*KEY, Canonical("v", "v", "text", "mariadb", "")])


def test_keys_of_findings(macros, sql):
    found = sql(macros.canonical_keys_sql(KEY, {"id": "bigint"}, ['{"id":1}', '{"id":2}']))
    assert found.startswith("select array( cast(`id` as string) ) as key_texts from")
    assert "from_json( unique_key, 'struct<`id`: bigint>' )" in found
    assert """explode(array( '{"id":1}', '{"id":2}' )) as unique_key""" in found


def test_the_newest_place_of_each_log(macros, sql):
    found = sql(macros.newest_places_sql("select 1"))
    assert (
        "max(struct(_tx_epoch, _tx_rank, _tx_order, _kfk_partition, _kfk_offset)) as place" in found
    )
    assert "filter (where _op in ('c', 'u', 'r')) as image" in found
    is_change = "coalesce(_op, '') not in ('tombstone', 'm', '')"
    assert f"where {is_change} and {sql(macros.is_placed())} group by _tx_log" in found


def test_the_newest_row_of_each_key(macros, sql):
    found = sql(macros.newest_images_sql("select 1", KEY, ["1:7."]))
    assert f"and {sql(macros.canonical_row(KEY))} in ('1:7.')" in found
    assert sql(macros.is_placed()) in found
    assert found.endswith("group by array( cast(`id` as string) )")


def test_records_by_their_places(macros, sql):
    found = sql(macros.records_at_sql("raw.t version as of 5", [(2, 7), (-1, 9)]))
    assert found.endswith(
        "from raw.t version as of 5 where (_kfk_partition = 2 and _kfk_offset = 7) "
        "or (_kfk_partition = -1 and _kfk_offset = 9)"
    )


@pytest.mark.parametrize(
    ("src_ts", "said"),
    [("2026-01-02 03:04:05", "timestamp '2026-01-02 03:04:05'"), (None, "cast(null as timestamp)")],
)
def test_records_that_are_made(macros, sql, src_ts, said):
    place = SimpleNamespace(topic="shop.t", src_ts=src_ts)
    one = SimpleNamespace(key="{}", value="it's", offset=5, place=place)
    found = sql(macros.made_records_sql([one, one], -1))
    row = (
        f"( '{{}}', 'it\\'s', 'shop.t', -1, 5L, current_timestamp(), {said}, current_timestamp() )"
    )
    columns = ", ".join(COLUMNS)
    assert found == f"select * from values {row}, {row} as made({columns})"


def test_what_staging_reads_of_them(macros, sql):
    found = sql(macros.made_rows_sql("select 1", TABLE))
    assert "array( cast(`id` as string), cast(`v` as string) ) as row_texts" in found
    assert "coalesce(_undecodable, '') as undecodable" in found
