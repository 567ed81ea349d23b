"""Recorded tables of all types hold what the databases held, value by value.

Cases 28 (one table has rows of the snapshot and of the stream), 41-53; F17, F18. Where a connector
sends something else than the source holds, the difference is written here; everything else must be
the same. test_generate has the same recordings with the models that `lakemirror generate` writes.
"""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from conftest import Lake, deep_only
from mirror_project import MirrorProject, deliver
from pyiceberg.expressions import NotEqualTo
from source_state import assert_same, differences, lake_rows

Cells = dict[int, dict[str, Any]]
EPOCH = datetime(1970, 1, 1)
MARIADB = {
    "t_int": "id int(11), b1 tinyint(1), ti tinyint(4), tiu tinyint(3) unsigned, si smallint(6), "
    "siu smallint(5) unsigned, mi mediumint(9), miu mediumint(8) unsigned, i int(11), "
    "iu int(10) unsigned, bi bigint(20), biu bigint(20) unsigned, izf int(6) unsigned zerofill",
    "t_num": "id int(11), d0 decimal(5,0), d2 decimal(12,2), d10 decimal(38,10), "
    "d65 decimal(65,30), du decimal(10,2) unsigned, f float, dbl double, f72 float(7,2), "
    "d184 double(18,4)",
    "t_str": "id int(11), c char(5), vc varchar(50), tt tinytext, t text, lt longtext, "
    "l1 varchar(20), e enum('small','x'), s set('a','b'), j longtext, u uuid",
    "t_bin": "id int(11), bt1 bit(1), bt10 bit(10), bt64 bit(64), b4 binary(4), "
    "vb varbinary(20), bl blob, pt point",
    "t_time": "id int(11), d date, dt datetime, dt3 datetime(3), dt6 datetime(6), ts timestamp, "
    "ts3 timestamp(3), ts6 timestamp(6), tm time, tm6 time(6), y year(4)",
    "t_zero": "id int(11), d date, dn date, dt datetime, dtn datetime, ts timestamp, tsn timestamp",
}
LOST_UUID = "00123e45-67e8-9b12-d3a4-564266141740"
ZERO = {"dn": EPOCH.date(), "dtn": EPOCH, "tsn": EPOCH.replace(tzinfo=UTC)}
# the connector's own differences (README of the recordings)
MARIADB_SENT: dict[str, Cells] = {
    # a snapshot has six digits of a float
    "t_num": {
        2: {"f": -3.40282001837565597900e38},
        3: {"f": 3.40282001837565597900e38},
        7: {"f": 16777200.0},
    },
    "t_str": {1: {"u": LOST_UUID}, 11: {"u": LOST_UUID}, 12: {"e": "x\\,y"}},
    "t_time": {5: {"y": 2000, "dt": datetime(1582, 10, 20)}, 15: {"y": 1900}},
    "t_zero": {1: ZERO, 11: ZERO | {"ts": EPOCH.replace(tzinfo=UTC)}},
}
# enable.time.adjuster: the year 1 becomes 2001
ADJUSTED = {
    "d": date(2001, 1, 1),
    "dt": datetime(2001, 1, 1),
    "dt3": datetime(2001, 1, 1, 0, 0, 0, 1000),
    "dt6": datetime(2001, 1, 1, 0, 0, 0, 1),
}
MARIADB_ADJUSTED = MARIADB_SENT | {"t_time": MARIADB_SENT["t_time"] | {2: ADJUSTED, 12: ADJUSTED}}
STRINGS = {
    "decimal.handling.mode": "string",
    "bigint.unsigned.handling.mode": "precise",
    "binary.handling.mode": "hex",
}
POSTGRES = {
    "t_num": "id integer, si smallint, i integer, bi bigint, n numeric, n0 numeric(5,0), "
    "n10 numeric(38,10), r real, d double precision, b boolean, m money, o oid",
    "t_special": "id integer, n numeric, np numeric(10,2), r real, d double precision, dt date, "
    "ts timestamp without time zone, tstz timestamp with time zone",
    "t_str": "id integer, c character(5), vc character varying(50), ct citext, by bytea, u uuid, "
    "j json, jb jsonb, x xml, mo enum, hs hstore, lt ltree, pi integer, inet_ inet, cidr_ cidr, "
    "mac macaddr, bt bit(1), bt10 bit(10), vbt bit varying(12)",
    "t_time": "id integer, t time without time zone, t3 time(3) without time zone, "
    "ttz time with time zone, ts0 timestamp(0) without time zone, "
    "ts3 timestamp(3) without time zone, tstz timestamp with time zone",
    "t_arr": "id integer, ia integer[], ta text[], na numeric(6,2)[], ba boolean[], da date[], "
    "tza timestamp with time zone[], ua uuid[], ma enum[], r4 int4range, rts tstzrange",
}
# a snapshot's money is a double
BILLIONS = Decimal("92233720368547760.00")
POSTGRES_SENT: dict[str, Cells] = {"t_num": {3: {"m": BILLIONS}}}


def tables(columns: dict[str, str]) -> dict[str, tuple[str, list[str]]]:
    return {table: (text, ["id"]) for table, text in columns.items()}


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


@pytest.mark.parametrize(
    ("recording", "settings", "sent"),
    [
        ("plain", {}, MARIADB_ADJUSTED),
        pytest.param("strings", STRINGS, MARIADB_SENT, marks=deep_only),
    ],
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
