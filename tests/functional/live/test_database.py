"""Events that carry no schema: the source database itself says the columns.

The recorded tables are made in a real server as they were at the end; what they hold is in the
events alone. H4.
"""

import gzip
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from stack.services import HOST, MariaDb, PostgreSql, free_port

from lakemirror.source.database import DatabaseError
from lakemirror.source.reading import Reading, SourceTable, reading
from support.depth import DEEP, deep_only, whole_only
from support.generated import Copy, assert_exact, table_of
from support.lake import Lake
from support.postgres_state import postgres_value
from support.recorded_types import MARIADB_ADJUSTED, POSTGRES_SENT
from support.recordings import read, write
from support.source_state import FIXTURES, fixture_lines, lake_rows, source_value

pytestmark = [pytest.mark.compiled, pytest.mark.xdist_group("live")]

TYPES = (
    *(f"create extension {name}" for name in ("hstore", "citext", "ltree")),
    "create type mood as enum ('sad', 'ok', 'happy, very', 'it''s')",
    "create domain posint as int check (value > 0)",
    "create type pair as (x int, y text)",
)
PASSWORD = "h%40sh-7"  # as it is in a URL


@pytest.fixture(scope="module")
def postgresql(folder: Path) -> Iterator[PostgreSql]:
    server = PostgreSql(folder, free_port())
    try:
        server.start()
        server.connect("postgres").execute("create database recorded")
        connection = server.connect("recorded")
        for statement in TYPES:
            connection.execute(statement)
        for statement in create("postgres/plain.state_final.jsonl.gz", '"'):
            connection.execute(statement)
        # as it was; the log has no generated columns, and the snapshot had
        connection.execute("alter table gen drop column s")
        connection.execute("alter table gen add column s int generated always as (a * 3) stored")
        connection.execute("create table never_landed (id int primary key)")
        connection.execute("drop table part_1, part_2")
        connection.execute(
            "create table part (id int, k int, v varchar(10), primary key (id, k)) "
            "partition by list (k)"
        )
        for key in (1, 2):
            connection.execute(f"create table part_{key} partition of part for values in ({key})")
        connection.execute("comment on table customers is 'Who buys.'")
        connection.execute("comment on column customers.email is 'May be empty.'")
        connection.execute("update pg_class set reltuples = 3e7 where relname = 'stock'")
        connection.execute("create role reader login password 'h@sh-7' in role pg_read_all_data")
        yield server
    finally:
        server.kill()


@pytest.fixture(scope="module")
def mariadb(folder: Path) -> Iterator[MariaDb]:
    server = MariaDb(folder, free_port())
    try:
        server.start()
        cursor = server.connect("").cursor()
        cursor.execute("create database shop")
        cursor.execute("use shop")
        for statement in create("mariadb/plain.state_final.jsonl.gz", "`"):
            cursor.execute(statement)
        cursor.execute("create user reader identified by 'h@sh-7'")
        cursor.execute("grant select on shop.* to reader")
        yield server
    finally:
        server.kill()


def create(dump: str, quote: str) -> Iterator[str]:
    """A statement for each table of a dump."""
    for line in fixture_lines(dump):
        if "columns" in line:
            columns = [f"{quote}{name}{quote} {kind}" for name, kind in line["columns"]]
            key = ", ".join(f"{quote}{name}{quote}" for name in line["pk"])
            columns += [f"primary key ({key})"] if key else []
            yield f"create table {quote}{line['table']}{quote} ({', '.join(columns)})"


def url(server: Any, scheme: str, database: str, password: str = PASSWORD) -> str:
    return f"{scheme}://reader:{password}@{HOST}:{server.port}/{database}"


def declared(project: Copy, table: str) -> dict[str, str]:
    """The types that the source's YAML has of a table's columns."""
    source = project.source
    file = project.folder / f"models/staging/{source}/_{source}__sources.yml"
    [content] = yaml.safe_load(file.read_text(encoding="utf-8"))["sources"]
    [found] = [found for found in content["tables"] if found["name"] == table]
    return {column["name"]: column["data_type"] for column in found["columns"]}


@whole_only
def test_postgresql(lake: Lake, postgresql: PostgreSql) -> None:
    """Thirty tables, and nothing by hand; `make converge` builds them, and compares each value."""
    project = Copy(lake, "public", "postgresql")
    project.land("postgres/plain.jsonl.gz")
    environment = {"DATABASE": url(postgresql, "postgres", "recorded")}
    arguments = ["--exclude", "evolve", "debezium_signal", "--database-env", "DATABASE"]
    code, said = project.generate(*arguments, **environment)
    assert code == 1, said  # for the sake of t_num, part, and tables that the database has no more
    assert said.count("no mirror of ") == 3, said
    assert "no mirror of drop_me, heartbeat, trunc_too: has no columns" in said
    assert "no mirror of part: it is partitioned, and its changes come under the names of" in said
    assert not list(project.folder.rglob("*_public__part.*"))
    assert "h@sh" not in said
    assert "decimal.handling.mode=precise: from public." in said
    assert "time.precision.mode=adaptive: from public.t_time.t3, " in said
    assert "no mirror of t_num: column nn: the type numeric(3,-2) cannot be decoded" in said
    assert "public.t_str has pr in the database, and in no event: left out" in said
    assert "public.gen has s, generated by the database, in its snapshots and in no change" in said
    evolved = ["--include", "evolve", "--database-env", "DATABASE", "--dry-run"]
    assert (
        "public.evolve has b in its events, and not in the database"
        in (project.generate(*evolved, **environment)[1])
    )
    types = declared(project, "t_str")
    assert [types[name] for name in ("c", "vc", "mo", "hs", "pi", "bt10", "vbt")] == [
        *("character(5)", "character varying(50)", "enum", "hstore", "integer", "bit(10)"),
        "bit varying(12)",
    ]
    types = declared(project, "t_arr")
    assert [types[name] for name in ("na", "ma")] == ["numeric(6,2)[]", "enum[]"]
    mirrors = project.folder / "models/mirror/public"
    assert "buckets=32" in (mirrors / "mirror_public__stock.sql").read_text(encoding="utf-8")
    descriptions = (mirrors / "_public__mirrors.yml").read_text(encoding="utf-8")
    assert "now. Who buys." in descriptions
    assert "{name: email, description: May be empty.}" in descriptions
    again = project.files()
    for more in (environment, {}):  # without the database, what it said stays
        names = arguments if more else arguments[:3]
        code, said = project.generate(*names, **more)
        assert (code, "wrote" in said, "kept" in said) == (1, False, False), said
    assert project.files() == again
    if not DEEP:
        return
    project.hear()
    tables = {"customers", "part_1", "stock", "fk_child", "mark", "inc_snap", "part_2"}
    tables |= {"order_lines", "odd_names", "t_toast_full"}
    project.build()
    dump = "postgres/plain.state_final.jsonl.gz"
    assert_exact(project, dump, postgres_value, tables, POSTGRES_SENT)
    generated = lake_rows(lake.catalog, "mirror.public__gen", ["id"])
    assert {name for row in generated.values() for name in row} == {"id", "a"}


@deep_only
def test_mariadb(lake: Lake, mariadb: MariaDb) -> None:
    """Unsigned numbers, digits of times, lengths of bytes: as the database has them."""
    project = Copy(lake, "cafe", "mariadb")
    tables = {"t_int", "t_time", "order_lines", "t_num", "t_str", "t_bin", "customers"}
    records = read(FIXTURES / "mariadb/plain.jsonl.gz")
    # without the connector's own topics: it sends no schema changes
    write(lake.recordings, "a", [line for line in records if table_of(line) in tables])
    project.land()
    arguments = ["--include", *tables, "--database-env", "DATABASE"]
    code, said = project.generate(*arguments, DATABASE=url(mariadb, "mysql", "shop"))
    assert code == 0, said
    assert "bigint.unsigned.handling.mode=long: from cafe.t_int.biu, " in said
    assert declared(project, "t_int")["biu"] == "bigint(20) unsigned"
    project.hear()
    project.build()
    assert_exact(
        project, "mariadb/plain.state_final.jsonl.gz", source_value, tables, MARIADB_ADJUSTED
    )


def test_a_history_and_a_database_that_differ(lake: Lake, mariadb: MariaDb) -> None:
    project = Copy(lake, "cafe", "mariadb")
    project.land("mariadb/plain.jsonl.gz", tables={"stock", "customers"})
    cursor = mariadb.connect("shop").cursor()
    cursor.execute("alter table stock modify qty bigint, add column later int")
    code, said = project.generate(
        *("--include", "stock", "customers", "--database-env", "DATABASE"),
        DATABASE=url(mariadb, "mariadb+pymysql", "shop"),
    )
    cursor.execute("alter table stock modify qty int, drop column later")
    assert code == 0, said
    assert "cafe.stock.qty is int(11) in raw.schema_history, and bigint(20) in the database" in said
    assert "cafe.stock has later in the database, and in no event: left out" in said
    assert "customers.credit is" not in said


def with_a_later_column(recording: str, target: Path) -> None:
    """The customers of a recording, the last of whom changes once more, and has ``n`` then."""
    with gzip.open(FIXTURES / recording, "rt") as lines:
        records = [line for line in lines if json.loads(line)["topic"].endswith(".customers")]
    last = json.loads(records[-1])
    event = json.loads(last["value"])
    place = {"pos": 10**9, "sequence": json.dumps([str(10**12)] * 2)}
    event |= {"op": "u", "before": event["after"], "source": {**event["source"], **place}}
    event["after"] = {**event["after"], "n": 7}
    last |= {"value": json.dumps(event), "offset": last["offset"] + 1}
    with gzip.open(target, "wt") as kept:
        kept.writelines([*records, json.dumps(last) + "\n"])


@pytest.mark.parametrize("kind", [pytest.param("postgresql", marks=whole_only), "mariadb"])
def test_rows_from_before_a_column_get_its_default(
    lake: Lake, postgresql: PostgreSql, mariadb: MariaDb, kind: str
) -> None:
    """B2: PostgreSQL knows it exactly; of MariaDB it is the default of now, said by name."""
    source, folder = {"postgresql": ("public", "postgres"), "mariadb": ("cafe", "mariadb")}[kind]
    project = Copy(lake, source, kind)
    with_a_later_column(f"{folder}/plain.jsonl.gz", lake.recordings / "a.jsonl.gz")
    project.land()
    if kind == "postgresql":
        connection, at = postgresql.connect("recorded"), url(postgresql, kind, "recorded")
    else:
        connection, at = mariadb.connect("shop").cursor(), url(mariadb, kind, "shop")
    connection.execute("alter table customers add column n int not null default 5")
    if kind == "postgresql":
        connection.execute("alter table customers alter column n set default 6")
    try:
        code, said = project.generate("--database-env", "DATABASE", DATABASE=at)
    finally:
        connection.execute("alter table customers drop column n")
    assert code == 0, said
    assert f"{source}.customers.n: rows from before it was added get '5'" in said
    project.hear()
    project.build()
    rows = lake_rows(lake.catalog, f"mirror.{source}__customers", ["id"])
    assert {key: row["n"] for key, row in rows.items()} == {
        key: 7 if key == (500,) else 5 for key in rows
    }
    assert len(rows) > 1


def test_a_partitioned_table_by_its_publications(postgresql: PostgreSql) -> None:
    """B7: its changes come under its own name where a publication says so, and none the leaves."""
    from lakemirror.source.database import read_tables

    connection, at = postgresql.connect("recorded"), url(postgresql, "postgresql", "recorded")

    def partitions() -> list[str]:
        return read_tables(at, ["public"], "postgresql")["public", "part"].partitions

    assert partitions() == ["part_1", "part_2"]
    root = "with (publish_via_partition_root = true)"
    connection.execute(f"create publication by_root for table part {root}")
    try:
        assert partitions() == []
        connection.execute("create publication by_leaf for table part")
        assert partitions() == ["part_1", "part_2"]
    finally:
        connection.execute("drop publication if exists by_root, by_leaf")


Broken = Callable[[str], str]


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (lambda text: text.replace("reader", "nobody"), 'role "nobody" does not exist'),
        (lambda text: text.replace("recorded", "absent"), 'database "absent" does not exist'),
        (lambda text: text.replace("recorded", "postgres"), "has none of the tables of public"),
        (lambda text: text.replace("postgres:", "mysql:"), "its URL is of 'mysql', and the events"),
        (lambda text: "hush://" + PASSWORD, "its URL is of 'hush'"),
        (lambda text: PASSWORD, "it is no URL of a database, such as"),
    ],
)
def test_a_database_that_does_not_answer(
    lake: Lake, postgresql: PostgreSql, broken: Broken, problem: str
) -> None:
    """No error shows a secret."""
    project = Copy(lake, "public", "postgresql")
    project.land("postgres/plain.jsonl.gz", tables={"stock"})
    given = broken(url(postgresql, "postgres", "recorded"))
    code, said = project.generate("--database-env", "DATABASE", DATABASE=given)
    assert (code, problem in said, "Nothing was written" in said) == (1, True, True), said
    for secret in (PASSWORD, "h@sh-7", given):
        assert secret not in said


def test_only_reads(postgresql: PostgreSql, mariadb: MariaDb) -> None:
    """The transactions themselves refuse to write."""
    from sqlalchemy.exc import DBAPIError

    from lakemirror.source import database

    for server, scheme, name, connector in (
        (postgresql, "postgresql", "recorded", "postgresql"),
        (mariadb, "mysql", "shop", "mariadb"),
    ):
        with (
            database.connected(url(server, scheme, name), connector) as connection,
            pytest.raises(DBAPIError, match=r"read.only|READ ONLY"),
        ):
            connection.exec_driver_sql("create table written (id int)")


def state_of(server: Any, scheme: str, name: str, table: SourceTable) -> Reading:
    """A state of a database, whose transaction has ended."""
    with reading(url(server, scheme, name), table) as source:
        return source
    raise AssertionError


def test_a_replica_of_postgresql(folder: Path, postgresql: PostgreSql) -> None:
    """It says until when it has followed, and not what its clock says."""
    table = SourceTable("postgresql", "public", "t", [], [])
    assert state_of(postgresql, "postgresql", "recorded", table).behind is None
    replica = postgresql.standby(folder / "standby", free_port())
    try:
        source, there = postgresql.connect("recorded"), replica.connect("recorded")

        def has_followed() -> bool:
            [(at,)] = source.execute("select pg_current_wal_lsn()").fetchall()
            return there.execute("select pg_last_wal_replay_lsn() >= %s", [at]).fetchone()[0]

        source.execute("create table beats (at timestamptz)")
        wait_for(has_followed)
        assert state_of(replica, "postgresql", "recorded", table).behind == 0
        there.execute("select pg_wal_replay_pause()")
        paused = "select pg_get_wal_replay_pause_state() = 'paused'"
        wait_for(lambda: there.execute(paused).fetchone()[0])
        source.execute("insert into beats values (clock_timestamp())")
        [(beat,)] = source.execute("select at at time zone 'UTC' from beats").fetchall()
        time.sleep(1.5)
        state = state_of(replica, "postgresql", "recorded", table)
        assert state.behind is not None
        assert state.behind > 1
        assert state.clock < beat
        there.execute("select pg_wal_replay_resume()")
        wait_for(has_followed)
        state = state_of(replica, "postgresql", "recorded", table)
        assert state.behind == 0
        assert state.clock >= beat
    finally:
        replica.kill()
        source.execute("drop table beats")


def test_a_replica_of_mariadb(folder: Path, mariadb: MariaDb) -> None:
    """One that does not follow, one that follows late, and one whose user may not ask."""
    table = SourceTable("mariadb", "shop", "t", [], [])
    source = mariadb.connect("shop").cursor()
    assert state_of(mariadb, "mysql", "shop", table).behind is None
    source.execute("set global read_only = 1")
    with pytest.raises(DatabaseError, match="its user may not ask how far it is behind"):
        state_of(mariadb, "mysql", "shop", table)
    source.execute("set global read_only = 0")
    source.execute("grant replica monitor on *.* to reader")
    assert state_of(mariadb, "mysql", "shop", table).behind is None

    replica = mariadb.replica(folder / "replica", free_port())
    try:
        there = replica.connect("").cursor()
        asked = "select count(*) from information_schema.tables where table_name = 'beats'"
        source.execute("create table beats (id int primary key)")
        wait_for(lambda: there.execute(asked) and there.fetchone()[0])
        assert state_of(replica, "mysql", "shop", table).behind == 0
        there.execute("stop slave")
        with pytest.raises(DatabaseError, match="does not follow its primary at the moment"):
            state_of(replica, "mysql", "shop", table)
        there.execute("change master to master_delay = 600")
        there.execute("start slave")
        source.execute("insert into beats values (1)")
        source.execute("select utc_timestamp(6)")
        [(beat,)] = source.fetchall()
        wait_for(lambda: (state_of(replica, "mysql", "shop", table).behind or 0) > 1)
        assert state_of(replica, "mysql", "shop", table).clock < beat
    finally:
        replica.kill()
        source.execute("drop table beats")


def wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)
