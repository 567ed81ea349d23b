"""The statements of each way of a batch: nothing is asked twice, and nothing more is written."""

from support.lake import Lake
from support.one_table import Shop
from support.statements import Statements

NAMES = r"(?:mirror|raw)[.]shop__t\w*(?:[.]\w+)?|(?:stage[.])?\b(?:batch|judged)\b"

READ = [
    *("show tblproperties mirror.shop__t", "select mirror.shop__t.snapshots"),
    *("show tblproperties raw.shop__t", "select raw.shop__t.snapshots"),
    *("describe query raw.shop__t", "describe mirror.shop__t"),
]
CACHE = ["cache table batch", "select batch"]
STAGED = ["create table stage.batch", "select stage.batch"]
FORGOTTEN = ["show tblproperties mirror.shop__t__tombstones"]
REMEMBERED = [*FORGOTTEN, "select mirror.shop__t__tombstones.snapshots"]
BEGIN = ["alter table mirror.shop__t", "show tblproperties mirror.shop__t"]
END = ["call mirror.shop__t", "alter table mirror.shop__t", "alter table raw.shop__t"]
REPLACE = ["delete mirror.shop__t.branch_of_run", "insert mirror.shop__t.branch_of_run"]
MERGE = ["merge mirror.shop__t.branch_of_run"]
DROP = ["drop table stage.batch"]
SMALL = [*READ, *CACHE, *FORGOTTEN, "select batch"]


def test_small_batches(lake: Lake, statements: Statements) -> None:
    """Cached: what follows is compared with nothing, what is late with what may be newer."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=none")
    shop.deliver((1, 1, "c", 1), (2, 1, "c", 2))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    in_order = statements.naming(NAMES)
    assert in_order == [*SMALL, *BEGIN, *REPLACE, *END]
    assert len(in_order) <= 18
    shop.deliver((60, 1, "d", 2))
    remember = "insert mirror.shop__t__tombstones"
    assert statements.naming(NAMES) == [*SMALL, remember, *BEGIN, *REPLACE, *END]
    shop.deliver((55, 1, "u", 1))
    judged = ["cache table judged", "select judged"]
    assert statements.naming(NAMES) == [*READ, *CACHE, *REMEMBERED, *judged, *BEGIN, *REPLACE, *END]
    shop.merge()
    assert statements.naming(NAMES) == READ[:3]


def test_small_batches_in_buckets(lake: Lake, statements: Statements) -> None:
    """Few changes are asked for the buckets that they fall in."""
    shop = Shop(lake)
    shop.deliver((1, 1, "c", 1))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    assert statements.naming(NAMES) == [*SMALL, "select batch", *BEGIN, *REPLACE, *END]


def test_staged_batches(lake: Lake, statements: Statements) -> None:
    """A large batch that follows deletes and inserts; one that does not is merged."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=none, stage_from=0")
    shop.deliver((1, 1, "c", 1), (2, 1, "d", 2))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    batch = [*READ, *STAGED, *REMEMBERED, "select stage.batch"]
    assert statements.naming(NAMES) == [*batch, *BEGIN, *REPLACE, *END, *DROP]
    shop.deliver((40, 1, "u", 1))
    late = statements.naming(NAMES)
    assert late[: len(READ + STAGED + REMEMBERED)] == [*READ, *STAGED, *REMEMBERED]
    assert late[-len(BEGIN + MERGE + END + DROP) :] == [*BEGIN, *MERGE, *END, *DROP]
    assert len(late) == len([*batch, *BEGIN, *MERGE, *END, *DROP])


def test_copy_on_write_and_a_rebuild(lake: Lake, statements: Statements) -> None:
    """Files that are rewritten are merged into; a rebuild is one statement on the table itself."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=none, merge_mode='copy-on-write'")
    shop.deliver((1, 1, "c", 1))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    batch = [*READ, *STAGED, *FORGOTTEN, "select stage.batch"]
    assert statements.naming(NAMES) == [*batch, *BEGIN, *MERGE, *END, *DROP]
    shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    rebuild = statements.naming(NAMES)
    assert rebuild[-3:] == ["create or mirror.shop__t", "alter table raw.shop__t", *DROP]
    assert [text for text in rebuild if text.startswith(("insert", "merge", "delete"))] == []
