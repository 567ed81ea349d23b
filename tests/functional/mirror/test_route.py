"""The statements of each way of a batch: nothing is asked twice, and nothing more is written."""

from collections.abc import Callable

from support.lake import Lake
from support.one_table import Shop
from support.statements import Statements

NAMES = r"(?:mirror|raw)[.]shop__t\w*(?:[.]\w+)?|(?:stage[.])?\b(?:batch|judged_batch)\b"

IDLE = ["metadata mirror.shop__t", "metadata raw.shop__t"]
# the query's columns, and the records' key
READ = [*IDLE, "with raw.shop__t", "select raw.shop__t"]
CACHE = ["with raw.shop__t", "select batch"]
STAGED = ["create table stage.batch", "select stage.batch"]
MEMORY = ["metadata mirror.shop__t__tombstones"]
BEGIN = ["alter table mirror.shop__t", "metadata mirror.shop__t"]
END = ["publish mirror.shop__t", "alter table raw.shop__t"]
# a commit names the tombstones that belong to it
REPLACE = ["delete mirror.shop__t.branch_of_run", *MEMORY, "insert mirror.shop__t.branch_of_run"]
MERGE = [*MEMORY, "merge mirror.shop__t.branch_of_run"]
DROP = ["drop table stage.batch"]
SMALL = [*READ, *CACHE, *MEMORY]


def test_small_batches(
    lake: Lake, statements: Statements, record_property: Callable[[str, object], None]
) -> None:
    """Cached: what follows is compared with nothing, what is late with what may be newer."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=none")
    shop.deliver((1, 1, "c", 1), (2, 1, "c", 2))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    in_order = statements.naming(NAMES)
    assert in_order == [*SMALL, *BEGIN, *REPLACE, *END]
    run = [text for text in in_order if "metadata" not in text]
    record_property("statements of a small merge in order", len(run))
    assert len(run) <= 9
    shop.deliver((60, 1, "d", 2))
    remember = "insert mirror.shop__t__tombstones"
    assert statements.naming(NAMES) == [*SMALL, remember, *BEGIN, *REPLACE, *END]
    shop.deliver((55, 1, "u", 1))
    judged = ["with mirror.shop__t__tombstones", "select judged_batch"]
    assert statements.naming(NAMES) == [*READ, *CACHE, *MEMORY, *judged, *BEGIN, *REPLACE, *END]
    shop.merge()
    assert statements.naming(NAMES) == IDLE


def test_small_batches_in_buckets(lake: Lake, statements: Statements) -> None:
    """Few changes are asked for the buckets that they fall in, with their order."""
    shop = Shop(lake)
    shop.deliver((1, 1, "c", 1))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    assert statements.naming(NAMES) == [*SMALL, *BEGIN, *REPLACE, *END]


def test_staged_batches(lake: Lake, statements: Statements) -> None:
    """A large batch that follows deletes and inserts; one that does not is merged."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=none, stage_from=0")
    shop.deliver((1, 1, "c", 1), (2, 1, "d", 2))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    batch = [*READ, *STAGED, *MEMORY]
    assert statements.naming(NAMES) == [*batch, *BEGIN, *REPLACE, *END, *DROP]
    shop.deliver((40, 1, "u", 1))
    late = statements.naming(NAMES)
    assert late[: len(READ + STAGED + MEMORY)] == [*READ, *STAGED, *MEMORY]
    assert late[-len(BEGIN + MERGE + END + DROP) :] == [*BEGIN, *MERGE, *END, *DROP]
    counted = ["with stage.batch"]
    assert len(late) == len([*batch, *counted, *BEGIN, *MERGE, *END, *DROP])


def test_copy_on_write_and_a_rebuild(lake: Lake, statements: Statements) -> None:
    """Files that are rewritten are merged into; a rebuild is one statement on the table itself."""
    shop = Shop(lake)
    shop.write_mirror("t", "buckets=none, merge_mode='copy-on-write'")
    shop.deliver((1, 1, "c", 1))
    statements.clear()
    shop.deliver((50, 1, "u", 1))
    batch = [*READ, *STAGED, *MEMORY]
    assert statements.naming(NAMES) == [*batch, *BEGIN, *MERGE, *END, *DROP]
    shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    rebuild = statements.naming(NAMES)
    assert rebuild[-3:] == ["create or mirror.shop__t", "alter table raw.shop__t", *DROP]
    assert [text for text in rebuild if text.startswith(("insert", "merge", "delete"))] == []
