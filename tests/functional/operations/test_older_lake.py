"""A lake that version 0.1.0 has built goes on from its bookmarks, without a step of anybody's."""

import fcntl
import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.expressions import AlwaysTrue, EqualTo
from pyiceberg.table.snapshots import ancestors_of

from lakemirror.state.window import BOOKMARK, DAY
from support.depth import whole_only
from support.lake import Lake, messages
from support.older_lake import MIRRORS, PLACE, TABLES, OlderProject, batches
from support.postgres_state import postgres_value
from support.recordings import write
from support.source_state import (
    FIXTURES,
    assert_same,
    differences,
    fixture_lines,
    key_of,
    lake_rows,
)
from support.source_state import source_value as mariadb_value

LOG, DAILY, CUT, LANDED = "log.till__t", "daily.till__t", "ops.consistent_cut", "ops.landing"
DUMPS = {"shop": ("mariadb/plain", mariadb_value), "public": ("postgres/plain", postgres_value)}
# what none of its events tells: the large values of a row whose key has changed
UNTOLD = {((50,), name) for name in ("big", "bigj", "bigb")}

Cells = dict[str, Any]


@pytest.fixture
def lake_folder() -> Iterator[Path]:
    """Where the lake was built, for one test of a machine at a time."""
    with PLACE.with_name(f"{PLACE.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        shutil.rmtree(PLACE, ignore_errors=True)
        yield PLACE


@pytest.fixture
def older(lake: Lake) -> OlderProject:
    with tarfile.open(FIXTURES / "older_lake/lake.tar.xz") as archive:
        archive.extractall(lake.folder, filter="data")
    project = OlderProject(lake)
    project.hear("2026-01-03")
    return project


@whole_only
def test_an_older_lake_goes_on(older: OlderProject) -> None:
    """Nothing is read, published or kept apart twice, and nothing is forgotten."""
    lake = older.lake
    assert_worth_a_test(lake)
    before = snapshots(lake)
    kept = {name: rows(lake, name) for name in (DAILY, LOG, LANDED, "ops.runs", "ops.quarantine")}
    said = messages(older.dbt("run", "--exclude", "both"))
    assert said.count("NOTHING NEW") == len(MIRRORS) + len((LOG, DAILY, CUT)), said
    now = {name: ids for name, ids in snapshots(lake).items() if name in before}
    assert now | {"ops.quarantine": 0} == before | {
        "ops.quarantine": 0
    }  # which has been judged again
    assert rows(lake, LANDED) == kept[LANDED]

    waiting = batches()[-1]
    write(lake.recordings, "third", waiting)
    older.hear("2026-01-04")
    older.dbt("run")
    new = Counter(json.loads(line)["topic"].rpartition(".")[2] for line in waiting)
    assert sum(row["rows"] for row in rows(lake, LANDED) if row not in kept[LANDED]) == len(waiting)
    read = {name: own_commits(lake, name)[0]["lakemirror.read"] for name in (*MIRRORS, LOG)}
    assert read == {name: str(new[name.rpartition("__")[2]]) for name in read}
    assert_equal_to_sources(lake)

    published = rows(lake, DAILY)
    assert [row for row in published if row["ds"].day < 3] == kept[DAILY]
    assert {row["id"]: row["v"] for row in published if row["ds"].day == 3} == {3: 31, 4: 40}
    days = [commit[DAY] for commit in commits(lake, DAILY) if DAY in commit]
    assert days == ["2026-01-03", "2026-01-02", "2026-01-01"]
    cut = sorted((row["name"], row["id"]) for row in rows(lake, "marts.both"))
    assert cut == [("t", 3), ("t", 4), ("u", 2), ("u", 3)]

    assert [row for row in rows(lake, LOG) if row in kept[LOG]] == kept[LOG]
    assert len(rows(lake, LOG)) == len(kept[LOG]) + new["t"]
    there = {row["quarantine_id"]: row for row in kept["ops.quarantine"]}
    found = {row["quarantine_id"]: row for row in rows(lake, "ops.quarantine")}
    assert {name: found[name] | row for name, row in there.items()} == {n: found[n] for n in there}
    assert [found[name]["reason"] for name in found.keys() - there] == ["cannot be decoded: v"]
    judged = {row["model"] for row in found.values() if row["judged_by"]}
    assert judged == {row["model"] for row in found.values()} - {"landing"}
    runs = [row for row in rows(lake, "ops.runs") if row not in kept["ops.runs"]]
    assert sorted(row["model"] for row in runs) == sorted(
        name.replace(".", "_") for name in (*MIRRORS, LOG, DAILY, "consistent_cut")
    )
    assert len(rows(lake, "ops.runs")) == len(kept["ops.runs"]) + len(runs)

    before = snapshots(lake)
    older.dbt("run", "--exclude", "watermark_till", "both")
    assert snapshots(lake) == before


def assert_worth_a_test(lake: Lake) -> None:
    """The lake has what a mirror knows beside its rows."""
    for table in ("shop__order_lines", "till__t", "till__u", "public__t_toast"):
        assert rows(lake, f"mirror.{table}__tombstones"), table
    assert "lakemirror.floor" in own_commits(lake, "mirror.shop__trunc_me")[0]
    unsent = [row["_unsent"] for row in rows(lake, "mirror.public__t_toast") if row["_unsent"]]
    ranks = [column["_tx_rank"] for columns in unsent for column in columns]
    assert None in ranks, "a value that is still to come"
    assert any(ranks), "a value that is known of another change"
    assert rows(lake, "ops.quarantine")
    assert {name for name in MIRRORS if len(own_commits(lake, name)) == 2} == {*MIRRORS}


def assert_equal_to_sources(lake: Lake) -> None:
    for (source, table), (columns, key, config) in TABLES.items():
        relation = f"mirror.{source}__{table}"
        live = EqualTo("_is_deleted", False) if "soft" in config else AlwaysTrue()
        found = lake_rows(lake.catalog, relation, key, live)
        if source == "till":
            values = {id_: row["v"] for (id_,), row in found.items()}
            assert values == {"t": {3: 31, 4: 40, 5: 50}, "u": {2: 21, 3: 30, 4: 40}}[table]
        else:
            types = dict(column.split(" ", 1) for column in columns.split(", "))
            expected = {key_of(row, key): row for row in dumped(source, table, types)}
            assert expected, "the oracle must have rows"
            skipped = UNTOLD if table == "t_toast" else ()
            assert_same(relation, differences(expected, found, skipped))
    [deleted] = [row for row in rows(lake, "mirror.till__u") if row["_is_deleted"]]
    assert (deleted["id"], deleted["v"]) == (1, 10)


def dumped(source: str, table: str, types: dict[str, str]) -> Iterator[Cells]:
    """The rows of a table in its database at the end of the recording."""
    recording, value_of = DUMPS[source]
    for line in fixture_lines(f"{recording}.state_final.jsonl.gz"):
        if line["table"] == table and "row" in line:
            yield {name: value_of(types[name], line["row"][name]) for name in types}


def rows(lake: Lake, relation: str) -> list[Cells]:
    found = lake.catalog.load_table(relation).scan().to_arrow().to_pylist()
    return sorted(found, key=str)


def snapshots(lake: Lake) -> dict[str, list[int]]:
    """Of every table of the lake but dbt's report of a landing, which may be empty."""
    catalog = lake.catalog
    tables = [t for namespace in catalog.list_namespaces() for t in catalog.list_tables(namespace)]
    return {name: lake.snapshots(name) for name in map(".".join, tables) if name != LANDED}


def commits(lake: Lake, relation: str) -> list[Cells]:
    """The properties of a table's commits, newest first."""
    table = lake.catalog.load_table(relation)
    lineage = ancestors_of(table.current_snapshot(), table.metadata)
    return [snapshot.summary.additional_properties for snapshot in lineage]


def own_commits(lake: Lake, relation: str) -> list[Cells]:
    return [commit for commit in commits(lake, relation) if BOOKMARK in commit]
