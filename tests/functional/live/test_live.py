"""From running databases through Debezium and Kafka to mirrors and days; whatever is killed.

The databases are asked themselves at the end, value by value.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from stack import connectors, packages, workload
from stack.project import generate
from stack.services import Registry, Stack, free_port

from dbt.adapters.lakemirror.session import SessionHandle
from lakemirror.cli.errors import CallError
from lakemirror.lake import CATALOG, warehouse
from support import living_source
from support.dbt_process import DbtProcess, committed
from support.deaths import Hook
from support.depth import DEEP, compiled_when_deep, deep_only, whole_only
from support.lake import PROJECT, Lake
from support.live import KEYS, Live
from support.mirror_project import MirrorProject
from support.postgres_state import postgres_value
from support.source_state import Rows, assert_same, differences, key_of, source_value

pytestmark = [*compiled_when_deep, pytest.mark.xdist_group("live")]

# what a Connect schema has of a column
TOLD = ("type", "optional", "name", "parameters", "default")
MARK = 1_000_000  # the key of a visit that comes last
# tables without days here: those that are audited, and those whose days test_unseen.py has
APART = (
    "--exclude",
    "daily_*__kinds",
    "daily_store__parents",
    "daily_store__children",
    *(() if DEEP else ("daily_cafe__*",)),
)
Loads = dict[str, workload.Workload]


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    """Databases with their tables, a broker, and Connect with both connectors."""
    if packages.missing():
        pytest.skip(f"not installed: {packages.missing()}; make stack-install")
    folder = Path(tempfile.mkdtemp(prefix="lakemirror-stack-", dir="/var/tmp"))
    folder.chmod(0o755)
    made = Stack(folder, free_port(5))
    try:
        for service in (made.mariadb, made.postgresql, made.kafka):
            service.start()
        workload.prepare(made)
        living_source.prepare(made)
        made.connect.start(connectors.all_of(made))
        yield made
    finally:
        for service in made.services:
            service.kill()
        shutil.rmtree(folder)


def store_state(stack: Stack) -> dict[str, Rows]:
    """MariaDB's tables, as its own texts say."""
    cursor = stack.mariadb.connect().cursor()
    return {table: mariadb_rows(cursor, table, key) for table, key in KEYS.items()}


def mariadb_rows(cursor: Any, table: str, key: list[str]) -> Rows:
    cursor.execute(
        "select column_name, column_type from information_schema.columns where table_schema = "
        "'store' and table_name = %s order by ordinal_position",
        (table,),
    )
    types = dict(cursor.fetchall())
    texts = ", ".join(f"cast({name} as char)" for name in types)
    cursor.execute(f"select {texts} from {table}")
    return rows_of(types, cursor.fetchall(), key, source_value)


def cafe_state(stack: Stack) -> dict[str, Rows]:
    """PostgreSQL's tables, as its own texts say."""
    connection = stack.postgresql.connect()
    return {table: postgresql_rows(connection, table, key) for table, key in KEYS.items()}


def postgresql_rows(connection: Any, table: str, key: list[str]) -> Rows:
    columns = connection.execute(
        "select attname, format_type(atttypid, atttypmod) from pg_attribute where "
        f"attrelid = 'cafe.{table}'::regclass and attnum > 0 and not attisdropped"
    ).fetchall()
    texts = ", ".join(f"{name}::text" for name, _ in columns)
    rows = connection.execute(f"select {texts} from cafe.{table}").fetchall()
    names = {name: kind.replace("character varying", "varchar") for name, kind in columns}
    return rows_of(names, rows, key, postgres_value)


def rows_of(types: dict[str, str], rows: Any, key: list[str], value_of: Any) -> Rows:
    found = {}
    for texts in rows:
        row = {name: value_of(types[name], text) for name, text in zip(types, texts, strict=True)}
        found[key_of(row, key)] = row
    return found


@whole_only
def test_databases_become_mirrors_and_days(
    stack: Stack,
    lake: Lake,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    around: Callable[[Hook], None],
) -> None:
    """Cases 1-17, 20, 36, 67-71; F01-F08, F24: Connect, the broker and the pipeline are killed.

    Then the mirrors are audited against both databases, by users who may only read: equal while
    these are written, and what no event has told is found. I3; B5.
    """
    monkeypatch.setenv("LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS", stack.kafka.address)
    monkeypatch.setenv("LAKEMIRROR_TOPICS", connectors.TOPICS)
    live = Live(stack, lake)
    databases = {"store": stack.mariadb, "cafe": stack.postgresql}
    loads = {name: workload.Workload(db.connect(), 8) for name, db in databases.items()}
    for load in loads.values():
        load.step(30)
    tables = {f"{name}__{table}" for name in databases for table in (*KEYS, "heartbeat")}
    live.land_until(lambda: tables | living_source.TABLES <= committed(lake, "raw"))
    generate_by_database(live, monkeypatch)
    live.dbt("build", *APART)

    work(loads)
    stack.connect.kill()  # it sends again what it sent before its last offsets
    work(loads)
    stack.connect.start(connectors.all_of(stack))
    live.merge()
    stack.kafka.kill()
    work(loads)
    stack.kafka.start()
    live.merge()
    for load in loads.values():
        load.alter()
    now = "alter table customers add column entered timestamp not null default current_timestamp"
    loads["store"].connection.cursor().execute(now)
    work(loads)
    with DbtProcess(lake, "dying", "run", *live.arguments) as run:
        before = {name: len(lake.snapshots(f"raw.{name}")) for name in tables}
        run.kill_when(
            lambda: any(len(lake.snapshots(f"raw.{n}")) > before[n] for n in sorted(tables))
        )
    work(loads)

    live.merge()
    living_source.assert_equal_while_written(live, loads)
    living_source.assert_goes_on(live, monkeypatch, capfd)
    report = living_source.assert_drift_is_found(live, loads)
    live.merge()
    assert_cascades_are_found_by_a_query(lake)
    living_source.assert_of_a_replica(live, loads, report, monkeypatch)
    living_source.assert_repaired(live, loads, report, around)

    # the source's clock: today ends with what there is, tomorrow in its last seconds
    today = datetime.now(UTC).date()
    midnights = {today: store_state(stack)}
    tomorrow = today + timedelta(days=1)
    last = datetime(tomorrow.year, tomorrow.month, tomorrow.day, 23, 59, 57, tzinfo=UTC)
    clock = loads["store"].connection.cursor()
    clock.execute("set timestamp = %s", (last.timestamp(),))
    work(loads)
    midnights[tomorrow] = store_state(stack)
    clock.execute("set timestamp = %s", (last.timestamp() + 10,))
    clock.execute("update heartbeat set beats = beats + 1")
    work(loads)

    for load in loads.values():
        load.connection.cursor().execute("insert into visits values (%s, 'the end')", (MARK,))
    live.merge()
    live.land_until(lambda: all(has_mark(live, name) for name in databases))
    live.dbt("build", *APART)
    for name, state in (("store", store_state(stack)), ("cafe", cafe_state(stack))):
        for table, rows in state.items():
            assert rows
            found = live.rows("mirror", name, table)
            assert_same(f"{name}.{table}", differences(rows, found))
    doctor = [Path(sys.executable).with_name("lakemirror"), "doctor"]
    said = subprocess.run(doctor, cwd=live.folder, capture_output=True, text=True)
    assert said.returncode == 0, said.stdout
    for day, state in midnights.items():
        for table, rows in state.items():
            found = live.rows("daily", "store", table, day.isoformat())
            assert_same(f"{table} on {day}", differences(rows, found))


def generate_by_database(live: Live, monkeypatch: pytest.MonkeyPatch) -> None:
    """The models of both sources; an audit says what it needs before."""
    monkeypatch.setenv("DBT_PROFILES_DIR", str(PROJECT / "profiles"))
    monkeypatch.chdir(live.folder)
    urls = living_source.urls(live.stack)
    generate(live.folder, ["store"])
    model = "mirror_store__kinds"
    with pytest.raises(CallError, match="nothing names the database of store"):
        living_source.audited(live, model)
    with pytest.raises(CallError, match="the environment has no STORE_URL"):
        living_source.audited(live, model, database_env="STORE_URL")
    for name in ("store", "cafe"):
        variable = f"{name.upper()}_URL"
        monkeypatch.setenv(variable, urls[variable])
        generate(live.folder, [name], "--database-env", variable)
    yaml = "".join(file.read_text(encoding="utf-8") for file in live.folder.rglob("*__sources.yml"))
    assert "database_env: STORE_URL" in yaml
    assert "h%40sh" not in yaml


def assert_cascades_are_found_by_a_query(lake: Lake) -> None:
    """InnoDB tells the binlog nothing of them; docs/sources/mariadb.md has the query."""
    page = (PROJECT / "docs/sources/mariadb.md").read_text(encoding="utf-8")
    query = re.search(r"select children[.][*].*?parents[.]id", page, re.DOTALL)[0]
    [(child, parent, *_)] = lake_sql(lake, query)
    assert (child, parent) == (1, 1)


def work(loads: Loads) -> None:
    for load in loads.values():
        load.step(15)


def has_mark(live: Live, source: str, mark: int = MARK) -> bool:
    """Whether the last change has landed."""
    if f"{source}__visits" not in committed(live.lake, "raw"):
        return False
    raw = live.lake.catalog.load_table(f"raw.{source}__visits").scan(selected_fields=("key",))
    return any(str(mark) in str(row["key"]) for row in raw.to_arrow().to_pylist())


def lake_sql(lake: Lake, query: str) -> list[Any]:
    handle = SessionHandle(str(lake.folder.resolve()), lake.spark_conf(), {}, lake.folder / "log")
    rows = handle.session.sql(query).collect()
    handle.close()
    return rows


@deep_only
def test_avro_says_what_json_says(
    stack: Stack, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One database by two connectors, in both formats: raw has the same types and values.

    But for nulls where a column has a default: Apicurio's converter sends the default.
    """
    registry = Registry(stack.folder, free_port())
    registry.start()
    try:
        configuration = connectors.postgresql(stack) | connectors.avro(registry)
        configuration |= {"topic.prefix": "avro", "slot.name": "avro"}
        configuration |= {"publication.name": "avro"}
        stack.connect.stop()
        stack.connect.start({**connectors.all_of(stack), "avro": configuration})
        monkeypatch.setenv("LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS", stack.kafka.address)
        monkeypatch.setenv("LAKEMIRROR_TOPICS", "(cafe|avro)([.].*)?")
        monkeypatch.setenv("LAKEMIRROR_REGISTRY_URL", registry.url)
        live = Live(stack, lake)
        project = live.folder / "dbt_project.yml"
        text = project.read_text(encoding="utf-8")
        project.write_text(text.replace("topic_sources: {}", "topic_sources: {avro: avro}"))
        load = workload.Workload(stack.postgresql.connect(), 9)
        live.land_until(lambda: {"avro__heartbeat"} <= committed(lake, "raw"))
        load.has_loyalty = has_column(stack, "loyalty")
        load.step(30)
        cursor = load.connection.cursor()
        cursor.execute("insert into visits values (%s, 'the end of avro')", (MARK + 1,))
        live.land_until(lambda: all(has_mark(live, s, MARK + 1) for s in ("cafe", "avro")))
        for table in KEYS:
            avro, found = streamed(live, "avro", table), streamed(live, "cafe", table)
            assert avro
            for place, (columns, types) in avro.items():
                sent, sent_types = found[place]
                assert types == sent_types
                assert columns == with_defaults(sent, sent_types)
    finally:
        stack.connect.stop()  # while there is a registry: without one, it waits until it is killed
        registry.kill()


SUNK = "id bigint primary key, amount decimal(20,6), kind varchar(9) default 'x', seen date"
DECLARED = {
    "store": ("mariadb", "id bigint, amount decimal(20,6), kind varchar(9), seen date"),
    "cafe": ("postgresql", "id bigint, amount numeric(20,6), kind varchar(9), seen date"),
}


@deep_only
def test_icebergs_sink_lands(stack: Stack, lake: Lake) -> None:
    """As texts and as columns; mirrors of both are the database's tables.

    But for nulls where a column has a default: of columns the sink makes the default.
    """
    lake_sql(lake, "create namespace if not exists raw")
    database = lake.folder.resolve() / "catalog.db"
    catalog = {
        "iceberg.catalog": CATALOG,
        "iceberg.catalog.catalog-impl": "org.apache.iceberg.jdbc.JdbcCatalog",
        "iceberg.catalog.uri": f"jdbc:sqlite:{database}?busy_timeout=60000",
        "iceberg.catalog.jdbc.schema-version": "V1",
        "iceberg.catalog.warehouse": warehouse(lake.folder),
    }
    own = {"topic.prefix": "own", "topic.creation.default.partitions": "1"}
    own |= {"table.include.list": "(store|cafe)[.](sunk|heartbeat)"}
    store = connectors.mariadb(stack) | own | {"database.server.id": "184055"}
    store |= {"schema.history.internal.kafka.topic": "schema_history.own"}
    cafe = connectors.postgresql(stack) | own | {"slot.name": "own", "publication.name": "own"}
    started = {
        "own_store": store,
        "own_cafe": cafe,
        "texts": connectors.iceberg_sink("own.store.sunk", "raw.store__sunk", catalog),
        "columns": connectors.iceberg_sink_of_columns("own.cafe.sunk", "raw.cafe__sunk", catalog),
    }
    cursors = [d.connect().cursor() for d in (stack.mariadb, stack.postgresql)]
    for cursor in cursors:
        cursor.execute(f"create table sunk ({SUNK})")
        cursor.execute("insert into sunk values (1, 12345678901234.567891, null, null)")
        cursor.execute("insert into sunk (id, amount) values (2, -0.000001), (3, 0)")
    stack.connect.stop()
    stack.connect.start(started)
    wait_for_rows(lake, {"store": 3, "cafe": 3})
    for cursor in cursors:
        cursor.execute("update sunk set amount = amount / 2, seen = '2026-01-02'")
        cursor.execute("delete from sunk where id = 3")
        cursor.execute("insert into sunk values (4, null, 'ü', '1969-12-31')")
    wait_for_rows(lake, {"store": 9, "cafe": 8})  # a tombstone is a text, and has no columns
    expected = {
        "store": mariadb_rows(cursors[0], "sunk", ["id"]),
        "cafe": postgresql_rows(stack.postgresql.connect(), "sunk", ["id"]),
    }
    assert expected["cafe"][1,]["kind"] is None
    expected["cafe"][1,]["kind"] = "x"
    for name, (connector, columns) in DECLARED.items():
        settings = {"decimal.format": "numeric"} if name == "cafe" else {}
        project = MirrorProject(lake, name, connector, {"sunk": (columns, ["id"])}, settings)
        project.written_by_sink()
        project.dbt("run", "--select", f"mirror_{name}__sunk")
        assert_same(name, differences(expected[name], project.rows("sunk")))
        shutil.rmtree(project.folder)


def wait_for_rows(lake: Lake, rows: dict[str, int]) -> None:
    """Until the raw tables of a sink have so many."""
    end = time.monotonic() + 180
    while any(
        f"{name}__sunk" not in committed(lake, "raw")
        or len(lake.catalog.load_table(f"raw.{name}__sunk").scan().to_arrow()) < least
        for name, least in rows.items()
    ):
        assert time.monotonic() < end, "the sink has not landed them"
        time.sleep(1)


def has_column(stack: Stack, name: str) -> bool:
    found = stack.postgresql.connect().execute(
        "select 1 from information_schema.columns where column_name = %s", (name,)
    )
    return found.fetchone() is not None


def with_defaults(columns: dict[str, Any], types: dict[str, list[Any]]) -> dict[str, Any]:
    """A change whose nulls are the defaults of their columns."""
    rows = {
        image: row and {n: types[n][-1] if v is None else v for n, v in row.items()}
        for image, row in columns.items()
        if image != "op"
    }
    return rows | {"op": columns["op"]}


def streamed(live: Live, source: str, table: str) -> dict[Any, Any]:
    """The changes that streamed, by their place; without what differs by connector."""
    found = {}
    raw = live.lake.catalog.load_table(f"raw.{source}__{table}")
    for row in raw.scan().to_arrow().to_pylist():
        event = json.loads(row["value"] or "{}")
        body = event.get("payload")
        if not body or body["op"] == "r":
            continue
        block = body["source"]
        [after] = [f for f in event["schema"]["fields"] if f["field"] == "after"]
        types = {f["field"]: [f.get(n) for n in TOLD] for f in after["fields"]}
        columns = {name: body[name] for name in ("before", "after", "op")}
        key = json.loads(row["key"])["payload"] if row["key"] else None
        found[block["lsn"], block["txId"], body["op"], str(key)] = (columns, types)
    return found
