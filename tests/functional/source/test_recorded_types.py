"""Recorded tables of all types hold what the databases held, value by value.

Cases 28 (one table has rows of the snapshot and of the stream), 41-53; F17, F18. Where a connector
sends something else than the source holds, support/recorded_types says so; everything else must be
the same. test_generate has the same recordings with the models that `lakemirror generate` writes.
"""

import pytest
from pyiceberg.expressions import NotEqualTo

from support.depth import deep_only
from support.lake import Lake
from support.mirror_project import MirrorProject, deliver
from support.recorded_types import (
    MARIADB,
    MARIADB_ADJUSTED,
    MARIADB_SENT,
    POSTGRES,
    POSTGRES_SENT,
    STRINGS,
    Cells,
    tables,
)
from support.source_state import assert_same, differences, lake_rows

pytestmark = pytest.mark.compiled


def check(project: MirrorProject, dump: str, sent: dict[str, Cells], skipped: int = 0) -> None:
    """Every table is as the dump, but for what the connector sent, and without one key."""
    for table, rows in project.expected(dump).items():
        assert rows, f"the oracle must have rows of {table}"
        for key, cells in sent.get(table, {}).items():
            rows[(key,)] |= cells
        relation = f"mirror.{project.source}__{table}"
        read = lake_rows(project.lake.catalog, relation, ["id"], NotEqualTo("id", skipped))
        assert_same(table, differences(rows, read, skipped_keys=[(skipped,)]))


@deep_only
@pytest.mark.parametrize("recording", ["plain", "schemas"])
def test_mariadb_by_its_schema_changes(lake: Lake, recording: str) -> None:
    """No column is declared: the types are those of the statements that the source has run."""
    project = MirrorProject(lake, "shop", "mariadb", tables(MARIADB), declares={})
    for _ in deliver(f"mariadb/{recording}.jsonl.gz", lake, 1, seed=1):
        project.dbt("run")
    check(project, f"mariadb/{recording}.state_final.jsonl.gz", MARIADB_ADJUSTED)


@deep_only
def test_postgresql_by_its_connect_schemas(lake: Lake) -> None:
    """What a Connect schema does not tell is declared, and goes over it."""
    declares = {"t_num": ["nn"], "t_str": ["bt10", "vbt"]}
    columns = POSTGRES | {"t_num": POSTGRES["t_num"] + ", nn text"}
    project = MirrorProject(lake, "public", "postgresql", tables(columns), declares=declares)
    for _ in deliver("postgres/schemas.jsonl.gz", lake, 1, seed=1):
        project.dbt("run")
    del project.tables["t_special"], project.tables["t_time"]  # years that Python has not
    del project.tables["t_num"][0]["nn"]
    check(project, "postgres/schemas.state_final.jsonl.gz", POSTGRES_SENT, skipped=2)


@deep_only
@pytest.mark.parametrize(
    ("recording", "settings", "sent"),
    [("plain", {}, MARIADB_ADJUSTED), ("strings", STRINGS, MARIADB_SENT)],
)
def test_mariadb(lake: Lake, recording: str, settings: dict, sent: dict[str, Cells]) -> None:
    project = MirrorProject(lake, "shop", "mariadb", tables(MARIADB), settings)
    for _ in deliver(f"mariadb/{recording}.jsonl.gz", lake, 1, seed=1):
        project.dbt("run")
    check(project, f"mariadb/{recording}.state_final.jsonl.gz", sent)


def test_postgresql(lake: Lake) -> None:
    """What is infinite, and what the connector overflows, is in the quarantine by its name."""
    project = MirrorProject(lake, "public", "postgresql", tables(POSTGRES))
    for _ in deliver("postgres/plain.jsonl.gz", lake, 1, seed=1):
        project.dbt("run")
    quarantine = lake.catalog.load_table("ops.quarantine").scan().to_arrow().to_pylist()
    assert {(row["key"], row["reason"]) for row in quarantine} == {
        (f'{{"id":{key}}}', f"cannot be decoded: {names}")
        for key, names in [
            *((key, "dt, ts, tstz") for key in (1, 2, 11, 12)),
            *((key, "ts, tstz") for key in (4, 14)),
        ]
    }
    del project.tables["t_special"]  # what is left has years that Python has not
    assert len(lake.catalog.load_table("mirror.public__t_special").scan().to_arrow()) == 2
    # the snapshot's dates before 1582, of key 2, are off by two days
    check(project, "postgres/plain.state_final.jsonl.gz", POSTGRES_SENT, skipped=2)
