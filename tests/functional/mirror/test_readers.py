"""What other engines read of a mirror: the same rows, in each format and merge mode.

PyIceberg and DuckDB, of which the second filters too. Spark is asked by all other tests.
"""

from support.changing_shop import ChangingShop
from support.lake import Lake
from support.readers import duck_db
from support.source_state import Rows, lake_rows

COLUMNS = {"word": "VARCHAR(9)", "whole": "INT", "price": "DECIMAL(9,2)", "day": "DATE"}
DEFAULTS = {"word": "it's", "whole": "7", "price": "7.25", "day": "2026-01-31"}
# what rows from before the columns are found by
FILTERS = ("word = 'it''s'", "whole = 7", "price between 7 and 8", "day > date '2026-01-30'")


def duck_rows(lake: Lake, mirror: str, condition: str = "true") -> Rows:
    """The source's columns of the rows that a condition finds, by key."""
    file = lake.catalog.load_table(mirror).metadata_location.removeprefix("file://")
    query = f"select columns(c -> c not like '\\_%' escape '\\') from iceberg_scan('{file}')"
    found = duck_db().sql(f"{query} where {condition}")
    rows = [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]
    assert len({row["id"] for row in rows}) == len(rows), "a key is there twice"
    return {(row["id"],): row for row in rows}


def test_others_read_each_format(lake: Lake) -> None:
    """Updates, deletes, and columns with defaults: deletion vectors and initial defaults in v3,
    delete files and an update in v2."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "v": "INT"})
    for number in range(1, 30):
        shop.send("c", id=number, v=number)
    mirrors = shop.write_variants()
    shop.run()
    for number in range(1, 10):
        shop.send("u", id=number, v=-number)
    for number in range(10, 15):
        shop.send("d", id=number, v=number)
    shop.run()
    shop.alter({"id": "INT", "v": "INT", **COLUMNS}, **DEFAULTS)
    shop.send("c", id=100, v=1, **dict.fromkeys(COLUMNS))
    shop.run()
    old = {n for n in range(1, 30) if not 10 <= n < 15}
    for mirror in mirrors:
        rows = lake_rows(lake.catalog, mirror, ["id"])
        assert {key for (key,) in rows} == old | {100}, mirror
        assert rows[3,]["v"] == -3
        assert duck_rows(lake, mirror) == rows, mirror
        for condition in FILTERS:
            found = duck_rows(lake, mirror, condition)
            assert found == {key: row for key, row in rows.items() if key != (100,)}, condition
        assert duck_rows(lake, mirror, "whole is null") == {(100,): rows[100,]}
