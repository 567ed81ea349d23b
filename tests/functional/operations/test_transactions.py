"""What a connector has counted in its transactions has landed, or is said to be lacking.

Case 77; F24. Each recording has the transactions of its connector, and they are whole.
"""

import json
from collections.abc import Callable
from typing import Any

from lakemirror.cli import audit as command
from lakemirror.cli.proven import unlanded
from support.audits import audit, found_by
from support.depth import whole_only
from support.lake import Lake
from support.mirror_project import MirrorProject
from support.recordings import read, write
from support.source_state import FIXTURES

RECORDINGS = ("mariadb/plain", "postgres/schemas", "vitess/traps")
TOPICS = ("transaction", "order_lines", "customers", "users", "heartbeat", "stock")
MARIADB, VITESS = "raw.shop__connector_transaction", "raw.vt__connector_transaction"


def change(line: str) -> dict[str, Any]:
    """The payload of a record's value; empty of one that is no change in a transaction."""
    value = json.loads(json.loads(line)["value"] or "{}")
    event = value.get("payload", value)
    return event if event.get("op") and event.get("transaction") else {}


def last_change(lines: list[str], table: str) -> str:
    found = [n for n in lines if change(n) and json.loads(n)["topic"].endswith(f".{table}")]
    return found[-1]


def sent_again(lines: list[str], topic: str) -> str:
    """The last END of a topic, once more."""
    records = [record for line in lines if (record := json.loads(line))["topic"] == topic]
    end = [record for record in records if '"status":"END"' in (record["value"] or "")][-1]
    return json.dumps(end | {"offset": end["offset"] + 100})


def told(lake: Lake, audit_id: str) -> dict[str, tuple[int, int]]:
    """What was judged, and found, by raw table."""
    report = command.Report(audit_id, command.audits(lake.catalog, audit_id), [])
    return {each.model: (each.keys or 0, each.findings) for each in report.audits}


@whole_only
def test_a_change_that_has_not_landed(lake: Lake, sql: Callable[[str], None]) -> None:
    project = MirrorProject(lake, "shop", "mariadb", {"stock": ("id int, qty int", ["id"])})
    lines = [
        line
        for name in RECORDINGS
        for line in read(FIXTURES / f"{name}.jsonl.gz")
        if json.loads(line)["topic"].endswith(TOPICS)
    ]
    lost = [last_change(lines, table) for table in ("shop.order_lines", "commerce.users")]
    late = last_change(lines, "public.order_lines")
    write(lake.recordings, "a", [line for line in lines if line not in (*lost, late)])
    # in another file, and whole with it; and an END that a connector has sent again
    write(lake.recordings, "b", [late, sent_again(lines, "shop.transaction")])
    project.dbt("run", "--select", "landing")
    audit(project, "1", full=False)
    ended = told(lake, "1")
    assert {name: findings for name, (_, findings) in ended.items() if findings} == {
        MARIADB: 1,
        VITESS: 1,
    }
    assert all(number > 10 for name, (number, _) in ended.items() if name.startswith("raw."))
    found = found_by(lake, "1")
    named = {(each.model, json.loads(each.unique_key)["topic"]) for each in found}
    assert named == {(MARIADB, "shop.shop.order_lines"), (VITESS, "vt.commerce.users")}
    of_mariadb = next(each for each in found if each.model == MARIADB)
    transaction = change(lost[0])["transaction"]["id"]
    assert json.loads(of_mariadb.unique_key)["transaction"] == transaction
    assert command.finding_line(of_mariadb, ("", "")).endswith(
        f": {of_mariadb.in_mirror} of {of_mariadb.by_log} changes have landed"
    )
    assert int(str(of_mariadb.by_log)) - int(str(of_mariadb.in_mirror)) == 1
    assert unlanded(lake.catalog) == {MARIADB: 1, VITESS: 1}

    # it comes after all, and is judged once more; what is gone from raw, mirrors' audits tell
    write(lake.recordings, "c", lost)
    project.dbt("run", "--select", "landing")
    sql("delete from raw.public__order_lines where value is not null")
    sql("update raw.commerce__users set key = null, value = null")  # as an erasure does
    done = {each.model: each for each in audit(project, "2", full=False)}
    assert unlanded(lake.catalog) == {}
    gone = done["raw.pg__connector_transaction"]
    assert gone.unjudged > 0
    assert done[VITESS].unjudged > 0
    assert "raw.public__order_lines does not have all that has landed" in str(gone.notes)
