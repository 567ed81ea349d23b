"""Databases with odd names, connectors whose settings nobody tells, and no schema in any event.

What a user types, through real connectors: `lakemirror init`, a landing, `lakemirror generate` with
the database's URL, `dbt build`. Mirrors and both midnights are what the databases held: the
test sets the clock of PostgreSQL's server, and MariaDB's sessions have one themselves.
"""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyiceberg.expressions import EqualTo
from stack import connectors, packages
from stack.services import HOST, PASSWORD, USER, Connect, Kafka, MariaDb, PostgreSql, free_port

from support.clock import clock, set_ahead
from support.commands import command
from support.depth import DEEP
from support.lake import Lake
from support.live import land_until
from support.postgres_state import postgres_value
from support.source_state import Rows, assert_same, differences, key_of, lake_rows, source_value

pytestmark = pytest.mark.xdist_group("live")

KINDS = ("int", "varchar(20)", "decimal(12,3)", "bigint")
COLUMNS = ", ".join(f"c{n} {KINDS[n % len(KINDS)]}" for n in range(199))
WIDE = (
    f"create table wide (id int primary key, {COLUMNS})",
    "insert into wide (id, c0, c1, c2, c198) values (1, 1, 'x', 1.5, 9.25)",
)
# in the SQL of both; names are quoted as in the standard, and MariaDB is told so
BOTH = (
    "create table heartbeat (id int primary key, beats bigint not null)",
    "insert into heartbeat values (1, 0)",
    'create table "Order Details" ("Order ID" int, "line-no" smallint, "Größe" decimal(8,3), '
    '"select" varchar(20), "Straße/Nr." varchar(50), "a.b" int, "it\'s" int, '
    'primary key ("Order ID", "line-no"))',
    'create table "group" ("key" int primary key, "order" varchar(9), "MixedCase" int, '
    'op varchar(3), "before" int, source int, payload int)',
    'create table "über" (id int primary key, v int)',
    "create table never (id int primary key)",
    "create table without_key (a int, b varchar(9))",
)
OWN = {
    "Werkstatt": (
        "create table kinds (id int primary key, bu bigint unsigned, d decimal(38,10), t time(6), "
        "dt datetime(6), ts timestamp(3) null, j json, b varbinary(20), bi bit(10), "
        "e enum('a','b c'))",
        "insert into kinds values (1, 18446744073709551615, 12345678901234567890.0123456789, "
        "'-12:34:56.789', '2024-01-01 10:11:12.123456', '2024-03-31 01:30:00', "
        "'{\"a\": 1.10}', 0x00ff80fe7a, b'1010101010', 'b c'), "
        "(2, null, null, null, null, null, null, null, null, null)",
        *(WIDE if DEEP else ()),
    ),
    "Sales": (
        "create type mood as enum ('sad', 'it''s')",
        "create table kinds (id int primary key, n numeric, d decimal(38,10), t time(3), "
        "ts timestamp(3), tz timestamptz, j jsonb, b bytea, u uuid, e mood, a integer[], "
        "toast text)",
        "alter table kinds alter column toast set storage external",
        "insert into kinds values (1, 123.45, 12345678901234567890.0123456789, '24:00:00', "
        "'2024-01-01 10:11:12.123456', '2024-03-31 01:30:00.5+02', '{\"a\": 1.10}', '\\x00ff', "
        "'00112233-4455-6677-8899-aabbccddeeff', 'it''s', '{1,null}', repeat('x', 9000)), "
        "(2, null, null, null, null, null, null, null, null, null, null, null)",
    ),
}
ROWS = (
    "insert into \"Order Details\" values (1, 1, 12.345, 'a', 'Hauptstr. 5', 1, 2), "
    "(1, 2, -0.001, null, 'ß', null, null), (2, 1, null, 'x', '', 0, 0)",
    "insert into \"group\" values (1, 'o', 5, 'c', 1, 2, 3)",
    'insert into "group" ("key") values (2)',
    'insert into "über" values (1, 1), (2, 2)',
    "insert into without_key values (1, 'a'), (1, 'a')",
)
# what is done on each of three days
DAYS = (
    (
        'update "Order Details" set "Größe" = 99.9, "a.b" = 77 where "line-no" = 1',
        'delete from "Order Details" where "Order ID" = 2',
        'update "group" set "key" = 5 where "key" = 1',
        'update "über" set v = 5 where id = 1',
        "update kinds set d = -0.0000000001 where id = 1",
    ),
    (
        'insert into "Order Details" ("Order ID", "line-no") values (7, 7)',
        'delete from "über" where id = 2',
        "update kinds set b = null where id = 1",
    ),
    ('insert into "über" values (4, 4)', "delete from kinds where id = 1"),
)
# settings that nobody tells lakemirror
SETTINGS = {
    "Werkstatt": {
        "decimal.handling.mode": "string",
        "binary.handling.mode": "hex",
        "bigint.unsigned.handling.mode": "precise",
        "tombstones.on.delete": "false",
        "include.schema.changes": "false",
        "database.include.list": "Werkstatt",
        "heartbeat.action.query": "update Werkstatt.heartbeat set beats = beats + 1",
    },
    "Sales": {
        "binary.handling.mode": "base64",
        "time.precision.mode": "microseconds",
        "schema.include.list": "Sales",
        "database.dbname": "erp",
        "heartbeat.action.query": 'update "Sales".heartbeat set beats = beats + 1',
        "key.converter.schemas.enable": "false",
        "value.converter.schemas.enable": "false",
    },
}
LEARNED = {
    "Werkstatt": ("decimal.handling.mode=string", "bigint.unsigned.handling.mode=precise"),
    "Sales": ("decimal.handling.mode=precise", "time.precision.mode=microseconds"),
}
KEYS = {
    "Order Details": ["Order ID", "line-no"],
    "group": ["key"],
    "über": ["id"],
    "kinds": ["id"],
    **({"wide": ["id"]} if DEEP else {}),
}
State = dict[str, Rows]


class Clocked(PostgreSql):
    """A server whose clock is ahead by what stands in a file."""

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(folder, port)
        self.of_clock = folder
        self.ahead(0)

    def ahead(self, seconds: float) -> None:
        set_ahead(self.of_clock, seconds)

    def launch(self, command: Any, **options: Any) -> None:
        super().launch(command, env={**os.environ, **clock(self.of_clock)}, **options)


@dataclass
class Sources:
    mariadb: MariaDb
    postgresql: Clocked
    kafka: Kafka
    connect: Connect

    def execute(self, name: str, *statements: str) -> None:
        cursor = self.cursor(name)
        for statement in statements:
            cursor.execute(statement)

    def cursor(self, name: str) -> Any:
        """One for all calls, so that a session's own clock stays."""
        if name not in self.cursors:
            if name == "Sales":
                self.cursors[name] = self.postgresql.connect("erp").cursor()
            else:
                self.cursors[name] = self.mariadb.connect(name).cursor()
                self.cursors[name].execute("set sql_mode = concat(@@sql_mode, ',ANSI_QUOTES')")
        return self.cursors[name]

    def __post_init__(self) -> None:
        self.cursors: dict[str, Any] = {}

    def set_clock(self, moment: datetime) -> None:
        self.cursor("Werkstatt").execute("set timestamp = %s", (moment.timestamp(),))
        self.postgresql.ahead(moment.timestamp() - time.time())

    def state(self, name: str) -> State:
        """Each table, as the database's own texts say."""
        return postgresql_state(self) if name == "Sales" else mariadb_state(self, name)


@pytest.fixture
def sources() -> Iterator[Sources]:
    """Databases with their tables, a broker, and Connect with both connectors."""
    lacking = packages.missing() + ([] if shutil.which("cc") else ["a C compiler"])
    if lacking:
        pytest.skip(f"not installed: {lacking}; make stack-install")
    folder = Path(tempfile.mkdtemp(prefix="lakemirror-unseen-", dir="/var/tmp"))
    folder.chmod(0o755)
    port = free_port(5)
    kafka = Kafka(folder, port + 2)
    made = Sources(
        *(MariaDb(folder, port), Clocked(folder, port + 1), kafka, Connect(folder, port + 4, kafka))
    )
    services = (made.connect, made.kafka, made.postgresql, made.mariadb)
    try:
        for service in (made.mariadb, made.postgresql, made.kafka):
            service.start()
        prepare(made)
        made.connect.start(configurations(made))
        yield made
    finally:
        for service in services:
            service.kill()
        shutil.rmtree(folder)


def prepare(sources: Sources) -> None:
    root = sources.mariadb.connect("").cursor()
    root.execute("create database Werkstatt")
    root.execute(f"create user '{USER}'@'127.0.0.1' identified by '{PASSWORD}'")
    root.execute(f"grant all on *.* to '{USER}'@'127.0.0.1'")
    sources.postgresql.connect("postgres").execute("create database erp")
    sources.postgresql.connect("erp").execute('create schema "Sales"')
    sources.postgresql.connect("erp").execute('alter database erp set search_path to "Sales"')
    for name, own in OWN.items():
        sources.execute(name, *BOTH, *own, *ROWS)


def configurations(sources: Sources) -> dict[str, dict[str, str]]:
    made = {"Werkstatt": connectors.mariadb(sources), "Sales": connectors.postgresql(sources)}  # type: ignore[arg-type]
    return {
        name: made[name] | {"topic.prefix": name.lower()} | settings
        for name, settings in SETTINGS.items()
    }


def mariadb_state(sources: Sources, name: str) -> State:
    cursor, found = sources.cursor(name), {}
    for table, key in KEYS.items():
        cursor.execute(
            "select column_name, column_type from information_schema.columns where "
            "table_schema = %s and table_name = %s order by ordinal_position",
            (name, table),
        )
        types = dict(cursor.fetchall())
        texts = [text_of(column, kind) for column, kind in types.items()]
        cursor.execute(f'select {", ".join(texts)} from "{table}"')
        found[table] = rows_of(types, cursor.fetchall(), key, source_value)
    return found


def text_of(column: str, kind: str) -> str:
    if kind.startswith("varbinary"):
        return f'hex("{column}")'
    return f'cast("{column}"{" + 0" if kind.startswith("bit") else ""} as char)'


def postgresql_state(sources: Sources) -> State:
    cursor, found = sources.cursor("Sales"), {}
    for table, key in KEYS.items():
        if table == "wide":  # of MariaDB alone
            continue
        columns = cursor.execute(
            "select attname, format_type(atttypid, atttypmod) from pg_attribute where "
            f"attrelid = '\"{table}\"'::regclass and attnum > 0 and not attisdropped "
            "order by attnum"
        ).fetchall()
        texts = ", ".join(f'"{name}"::text' for name, _ in columns)
        rows = cursor.execute(f'select {texts} from "{table}"').fetchall()
        types = {name: kind.replace("character varying", "varchar") for name, kind in columns}
        types |= {name: "enum" for name, kind in types.items() if kind == "mood"}
        found[table] = rows_of(types, rows, key, postgres_value)
    return found


def rows_of(types: Mapping[str, str], rows: Any, key: list[str], value_of: Any) -> Rows:
    found = {}
    for texts in rows:
        row = {name: value_of(types[name], text) for name, text in zip(types, texts, strict=True)}
        found[key_of(row, key)] = row
    return found


def raw_name(table: str) -> str:
    """What a topic's table is called in the lake."""
    return re.sub(r"\W", "_", table.lower(), flags=re.ASCII)


def test_an_unseen_database(
    sources: Sources, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """H1, H2, H3, H4, H5."""
    for name in ("LAKEMIRROR_LAKE", "LAKEMIRROR_RECORDINGS"):
        monkeypatch.delenv(name)  # the project says it
    monkeypatch.setenv("DBT_PROFILES_DIR", str(tmp_path / "own"))
    topics = "(werkstatt|sales)([.].*)?"
    brokers = ["--brokers", sources.kafka.address, "--topics", topics]
    command(tmp_path, "init", "own", *brokers, "--lake", str(lake.folder))
    project = tmp_path / "own"

    def dbt(*given: str, fails: bool | None = False) -> Any:
        return lake.dbt(*given, "--project-dir", str(project), fails=fails)

    names = {name.lower(): name for name in OWN}
    land_until(lake, dbt, {f"{s}__{t}" for s in names for t in ("kinds", "heartbeat")})
    today = datetime.now(UTC).date()
    tomorrow = today + timedelta(days=1)
    states: dict[date, dict[str, State]] = {}
    for day, moment, statements in zip(
        (today, tomorrow, None),
        (None, end_of(tomorrow), end_of(tomorrow) + timedelta(seconds=15)),
        DAYS,
        strict=True,
    ):
        if moment:
            sources.set_clock(moment)
        for name in OWN:
            sources.execute(name, *statements)
        if day:
            states[day] = {source: sources.state(name) for source, name in names.items()}
    for name in OWN:
        sources.execute(name, "update heartbeat set beats = beats + 1")
        sources.execute(name, 'insert into "group" ("key") values (1000)')
    urls = {
        "WERKSTATT_URL": f"mysql://{USER}:{PASSWORD}@{HOST}:{sources.mariadb.port}/Werkstatt",
        "SALES_URL": f"postgresql://postgres@{HOST}:{sources.postgresql.port}/erp",
    }
    end = time.monotonic() + 300
    while not all(has_key(lake, source) for source in names):
        assert time.monotonic() < end, "the last change has not come"
        dbt("run", "--select", "landing")
    for source, name in names.items():
        said = command(project, "generate", "--source", source, code=1)
        assert "--database-env" in said
        said = command(
            *(project, "generate", "--source", source, "--database-env"),
            *(f"{source.upper()}_URL",),
            environment=urls,
        )
        assert [line for line in LEARNED[name] if f"{line}: from {source}." not in said] == []
        assert "without_key has no key: log." in said
        assert "days are complete by the heartbeats of heartbeat" in said
    dbt("build")
    for source, name in names.items():
        for table, rows in sources.state(name).items():
            relation = f"mirror.{source}__{raw_name(table)}"
            assert_same(relation, differences(rows, lake_rows(lake.catalog, relation, KEYS[table])))
    for day, of_day in states.items():
        for source, state in of_day.items():
            for table, rows in state.items():
                relation, only = f"daily.{source}__{raw_name(table)}", EqualTo("ds", str(day))
                found = lake_rows(lake.catalog, relation, KEYS[table], only)
                assert_same(f"{relation} on {day}", differences(rows, found))
    assert_drift_is_found_and_repaired(sources, project, urls)


def assert_drift_is_found_and_repaired(
    sources: Sources, project: Path, urls: Mapping[str, str]
) -> None:
    """Of all mirrors one row differs from its database: the one that no event has told. The clock
    of its last event is a day ahead. I3."""
    hidden = ("set sql_log_bin = 0", 'update "über" set v = -1 where id = 4', "set sql_log_bin = 1")
    sources.execute("Werkstatt", *hidden)
    said = command(project, "audit", "--against-source", code=1, environment=urls)
    findings = re.findall(r"^mirror_\S+ \{.*", said, re.MULTILINE)
    finding = 'mirror_werkstatt___ber {"id":4}: changed v: the mirror has "4", the source "-1"'
    assert findings == [finding], said
    audit = re.search(r"The audit (\w+) has found", said)
    assert audit
    said = command(project, "repair", "--audit", audit[1], code=1, environment=urls)
    assert "Nothing was written" in said
    said = command(project, "repair", "--audit", audit[1], "--apply", environment=urls)
    assert "Repaired, and audited again: these keys equal the source." in said


def end_of(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, 23, 59, 55, tzinfo=UTC)


def has_key(lake: Lake, source: str) -> bool:
    raw = lake.catalog.load_table(f"raw.{source}__group").scan(selected_fields=("key",))
    return any("1000" in str(row["key"]) for row in raw.to_arrow().to_pylist())
