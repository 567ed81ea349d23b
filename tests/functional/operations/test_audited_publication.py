"""A mirror that is audited before it is published: readers never see what differs from the log.

F50; I1; F40.
"""

import json
import re
from collections.abc import Callable

from lakemirror.cli.proven import proofs
from support.audits import assert_healthy, found_by
from support.deaths import Hook, dying_at, let_all_run
from support.lake import Lake
from support.one_table import MIRROR, Shop, change
from support.recordings import feed

AUDITED = "buckets=2, publish_when='audited'"


def changed_by(sql: Callable[[str], None]) -> Hook:
    """A merge that writes a wrong value: its branch has another one before it is published."""

    def change(statement: str, run: Callable[[], None]) -> None:
        run()
        branch = re.search(r"(?:insert|merge) into (\S+[.]branch_lakemirror_\w+)", statement)
        if branch:
            sql(f"update {branch[1]} set v = v + 1 where id = 2")

    return change


def truncated(offset: int) -> str:
    """The record of a TRUNCATE."""
    record = json.loads(change(offset, "t", 0, 0))
    event = json.loads(record["value"]) | {"before": None, "after": None}
    return json.dumps(record | {"key": None, "value": json.dumps(event)})


def branches(lake: Lake) -> set[str]:
    return {*lake.catalog.load_table(MIRROR).refs()} - {"main"}


def test_what_differs_is_not_published(
    lake: Lake, around: Callable[[Hook], None], sql: Callable[[str], None]
) -> None:
    """From the first merge on; the same changes are merged by the next run."""
    shop = Shop(lake)
    shop.write_mirror("t", AUDITED)
    around(changed_by(sql))
    shop.send(("c", 1, 1), ("c", 2, 2))
    refused = shop.merge(fails=True)
    assert "differs from the log, and is not published. ops.audit_findings has the 1" in refused
    assert lake.snapshots(MIRROR) == [] or shop.values() == {}
    around(let_all_run)
    shop.merge()
    assert shop.values() == {1: 1, 2: 2}

    head = lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id
    around(changed_by(sql))
    shop.send(("u", 2, 20), ("d", 1, 1), ("c", 3, 3))
    refused = shop.merge(fails=True)
    audit_id = re.search(r"by the audit (\w+)", refused)[1]
    [found] = found_by(lake, audit_id)
    assert (found.model, found.unique_key, found.column_name) == ("mirror_shop__t", '{"id":2}', "v")
    assert (found.in_mirror, found.by_log) == ("21", "20")
    assert lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id == head
    assert branches(lake) == set()
    assert shop.values() == {1: 1, 2: 2}

    around(dying_at("insert into ops.audits"))
    shop.merge(fails=True)
    assert shop.values() == {1: 1, 2: 2}
    around(let_all_run)
    shop.merge()
    assert shop.values() == {2: 20, 3: 3}
    assert proofs(lake.catalog) == {}
    assert_healthy(shop)


def test_a_healthy_merge_is_audited_by_its_keys(lake: Lake) -> None:
    """A staged batch, too; a TRUNCATE by all keys."""
    shop = Shop(lake)
    shop.write_mirror("t", AUDITED)
    shop.send(*(("c", key, key) for key in range(1, 9)))
    said = shop.merge()
    assert "8 applied" in said
    shop.write_mirror("t", f"{AUDITED}, stage_from=0")
    shop.send(("u", 2, 20), ("d", 1, 1))
    shop.merge()
    shop.offset += 2
    feed(lake, [truncated(shop.offset - 1), change(shop.offset, "c", 30, 30)])
    shop.land()
    shop.merge()
    assert shop.values() == {30: 30}
    done = lake.catalog.load_table("ops.audits").scan().to_arrow().to_pylist()
    assert {(row["findings"], row["unjudged"], row["against"]) for row in done} == {
        (0, 0, "branch")
    }
