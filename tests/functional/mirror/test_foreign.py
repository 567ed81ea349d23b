"""A table that others have changed is said to be so, in each run, until it is made anew.

G3; case 82.
"""

from collections.abc import Callable
from typing import Any

import pytest
from pyiceberg.expressions import EqualTo

from support.lake import Lake, messages
from support.one_table import MIRROR, Shop

LOG = """
{{ config(materialized='log', schema='log') }}
select * from {{ ref('stg_shop__t') }}
"""
COMPACT = (
    "call lake.system.rewrite_data_files(table => '{}', options => map('rewrite-all', 'true'))"
)


@pytest.fixture
def shop(lake: Lake) -> Shop:
    found = Shop(lake)
    found.write("models/log/log_shop__t.sql", LOG)
    found.send(("c", 1, 10), ("c", 2, 20))
    found.dbt("run")
    return found


def configure(shop: Shop, policy: str) -> None:
    shop.write_mirror("t", f"buckets=2, on_foreign_commit='{policy}'")


def newest(lake: Lake, relation: str) -> Any:
    return lake.catalog.load_table(relation).current_snapshot()


def test_a_hand_that_changed_a_mirror(
    lake: Lake, shop: Shop, sql: Callable[[str], None], capfd: pytest.CaptureFixture[str]
) -> None:
    """Idle or not, each run says it, and a commit keeps it; maintenance is no foreign hand."""
    lake.catalog.load_table(MIRROR).delete(EqualTo("id", 1))
    sql(f"update {MIRROR} set v = 21 where id = 2")
    hands = [s.snapshot_id for s in lake.catalog.load_table(MIRROR).snapshots()[-2:]]
    capfd.readouterr()
    said = shop.merge()
    assert "WARN=1 ERROR=0" in capfd.readouterr().out
    assert all(f" {hand} (" in said for hand in hands)
    assert f"others have changed {MIRROR}" in said.replace("`", "")
    assert "dbt run --full-refresh --select mirror_shop__t" in said
    shop.send(("c", 3, 30))
    assert ": warn" in shop.merge()
    sql(COMPACT.format(MIRROR))
    assert "2 of before" in shop.merge()
    configure(shop, "fail")
    assert "others have changed" in shop.merge(fails=True)
    configure(shop, "ignore")
    assert ": success" in shop.merge()
    configure(shop, "warn")
    shop.merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.values() == {1: 10, 2: 20, 3: 30}
    assert ": success" in shop.merge()


def test_a_policy_is_asked_before_anything_is_written(lake: Lake, shop: Shop) -> None:
    """With 'fail', and with --warn-error, what has landed waits."""
    lake.catalog.load_table(MIRROR).delete(EqualTo("id", 1))
    hand = newest(lake, MIRROR)
    shop.send(("c", 3, 30))
    assert "others have changed" in shop.warn_error()
    configure(shop, "fail")
    shop.merge(fails=True)
    assert newest(lake, MIRROR) == hand


def test_a_hand_that_changed_a_log(lake: Lake, shop: Shop) -> None:
    """A change that is gone from a log is said too."""
    assert "warn" not in messages(shop.dbt("run", "--select", "log_shop__t"))
    lake.catalog.load_table("log.shop__t").delete(EqualTo("id", 1))
    assert "others have changed" in messages(shop.dbt("run", "--select", "log_shop__t"))


def test_a_hand_that_took_a_remembered_delete(lake: Lake, shop: Shop) -> None:
    """A late change would bring the row back: what has taken the delete is said, and kept."""
    shop.send(("d", 1, 10))
    assert ": success" in shop.merge()
    lake.catalog.load_table(f"{MIRROR}__tombstones").delete(EqualTo("id", 1))
    merged = newest(lake, MIRROR)
    shop.send(("c", 3, 30))
    configure(shop, "fail")
    assert f"others have changed {MIRROR}__tombstones" in shop.merge(fails=True).replace("`", "")
    assert newest(lake, MIRROR) == merged
    configure(shop, "warn")
    assert f"others have changed {MIRROR}__tombstones" in shop.merge().replace("`", "")
    assert "1 of before" in shop.merge()


def test_a_hand_that_added_a_delete(lake: Lake, shop: Shop, sql: Callable[[str], None]) -> None:
    """A row of a late change would be left out; the deletes of runs, of one that died too, are not
    of others."""
    shop.send(("d", 1, 10))
    assert ": success" in shop.merge()
    shop.send(("d", 2, 20))
    assert ": success" in shop.merge()
    sql(f"insert into {MIRROR}__tombstones select * from {MIRROR}__tombstones")
    shop.send(("c", 3, 30))
    assert f"others have changed {MIRROR}__tombstones" in shop.merge().replace("`", "")
