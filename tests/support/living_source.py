"""An audit against living databases: their tables, a reader who may only read, and changes that
no event has told.
"""

import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest
from stack import workload
from stack.services import HOST, MariaDb, Stack, free_port

from lakemirror.cli import source_audit
from lakemirror.cli.audit import Repair, Report, repair, run
from lakemirror.cli.errors import CommandError
from lakemirror.cli.source_audit import Wanted
from lakemirror.runs import source_audit as runs
from lakemirror.runs.source_progress import Progress, State
from lakemirror.source.reading import Limits
from support.deaths import Hook, death_after, dying_after, dying_at, let_all_run
from support.depth import DEEP
from support.live import Live

HISTORIES = 1000 if DEEP else 100  # keys of one table, each with a life of its own
LIVES = (
    "create table lives (id int primary key, v bigint, w varchar(40))",
    "insert into lives values (0, 0, 'first')",
)
STORE_KINDS = """
    create table kinds (
        code varchar(9), day date, u bigint unsigned, y year, bt bit(10), b1 bit(1),
        de decimal(20,6), ti time(6), dt datetime(6), ts timestamp(6) null, bi binary(6),
        vb varbinary(9), en enum('a','ü'), uu uuid, te text character set latin1, fl float,
        dp double,
        primary key (code, day)
    )
"""
STORE_ROWS = """
    insert into kinds values
    ('a', '1969-12-31', 18446744073709551615, 2026, b'1000000001', b'1', -0.000001,
     '-00:00:01.5', '2026-01-02 03:04:05.000001', '2026-01-02 03:04:05.000001', x'0a00', x'00ff',
     'ü', '123e4567-e89b-12d3-a456-426614174000', 'é', 0.1,
     -1.7976931348623157e308),
    ('B ', '2026-01-02', null, null, null, b'0', null, '838:59:59.999999', null, null, null, null,
     null, null, 'x ', null, null),
    ('ä', '2026-01-03', 0, 1901, b'0', null, 0, '00:00:00', '9999-12-31 23:59:59.999999', null,
     x'000000000000', x'', 'a', null, '', -0.0, 5e-324)
"""
CAFE_KINDS = """
    create table kinds (
        code text, day date, b bigint, bo boolean, b1 bit(1), bt bit(10), de numeric(12,2),
        n numeric, ti time, ts timestamp, tz timestamptz, by bytea, ch char(5), ip inet, jb jsonb,
        r real, dp double precision, ar int[], primary key (code, day)
    )
"""
CAFE_ROWS = """
    insert into kinds values
    ('a', '1969-12-31', -5, true, B'1', B'0000000001', 1.5, 1.500, '23:59:59.999999',
     '1969-12-31 23:59:59.999999', '2026-01-02 03:04:05.000001+05', '\\x00ff', 'a', '1.2.3.4',
     '{"a": 1}', 0.1, '-0', '{1}'),
    ('B ', '2026-01-02', null, false, null, null, null, null, null, null, null, null, null, null,
     null, 'infinity', 'nan', null),
    ('c', '2026-01-03', 0, null, null, null, 0, 100, null, null, null, null, null, null, null, null,
     null, null)
"""
FAMILY = (
    "create table parents (id int primary key)",
    "create table children (id int primary key, parent_id int, "
    "foreign key (parent_id) references parents (id) on delete cascade)",
    "insert into parents values (1), (2)",
    "insert into children values (1, 1), (2, 2)",
)
TABLES = {"store__kinds", "store__parents", "store__children", "cafe__kinds"}
TABLES |= {"store__lives", "cafe__lives"}
READERS = {
    "mariadb": (
        "create user reader@'%' identified by 'h@sh'",
        "grant select on store.* to reader@'%'",
    ),
    "postgresql": (
        "create role reader login password 'h@sh'",
        "grant usage on schema cafe to reader",
        "grant select on all tables in schema cafe to reader",
    ),
}


def prepare(stack: Stack) -> None:
    """The tables, and a reader of each database."""
    mariadb, postgresql = stack.mariadb.connect().cursor(), stack.postgresql.connect()
    for statement in (STORE_KINDS, STORE_ROWS, *FAMILY, *LIVES, *READERS["mariadb"]):
        mariadb.execute(statement)
    for statement in (CAFE_KINDS, CAFE_ROWS, *LIVES, *READERS["postgresql"]):
        postgresql.execute(statement)


def store_url(server: MariaDb) -> str:
    return f"mysql://reader:h%40sh@{HOST}:{server.port}/store"


def urls(stack: Stack) -> dict[str, str]:
    """The reader's, by the variable that has it."""
    return {
        "STORE_URL": store_url(stack.mariadb),
        "CAFE_URL": f"postgresql://reader:h%40sh@{HOST}:{stack.postgresql.port}/shop",
    }


class Lives:
    """Random lives of keys: each is put, changed and removed, and comes again."""

    def __init__(self, connection: Any, seed: int) -> None:
        self.cursor, self.chance = connection.cursor(), random.Random(seed)

    def step(self, changes: int) -> None:
        for _ in range(changes):
            key, value = self.chance.randint(1, HISTORIES), self.chance.randint(-9, 9)
            act = self.chance.choice([self.put, self.change, self.change, self.remove])
            act(key, value)

    def put(self, key: int, value: int) -> None:
        self.cursor.execute("begin")
        self.remove(key, value)
        text = self.chance.choice([None, "", f"é {value} "])
        self.cursor.execute("insert into lives values (%s, %s, %s)", (key, value, text))
        self.cursor.execute("commit")

    def change(self, key: int, value: int) -> None:
        self.cursor.execute("update lives set v = %s where id = %s", (value, key))

    def remove(self, key: int, value: int) -> None:
        self.cursor.execute("delete from lives where id = %s", (key,))


@contextmanager
def written(loads: dict[str, workload.Workload], lives: Sequence[Lives] = ()) -> Iterator[None]:
    """The databases are written meanwhile."""
    ended = threading.Event()

    def write() -> None:
        while not ended.is_set():
            for load in loads.values():
                load.step(1)
            for each in lives:
                each.step(20)
            time.sleep(0.5)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def audited(live: Live, *select: str, **wanted: Any) -> tuple[Report, str]:
    """An audit, and what it says on the way."""
    said: list[str] = []
    report = source_audit.run(live.folder, os.environ, Wanted(select, **wanted), said.append)
    return report, "\n".join(said)


def assert_equal_while_written(live: Live, loads: dict[str, workload.Workload]) -> None:
    """Healthy mirrors have no finding, of random lives of many keys neither."""
    stack = live.stack
    places = stack.mariadb.connect(), stack.postgresql.connect()
    lives = [Lives(connection, seed) for seed, connection in enumerate(places)]
    for each in lives:
        each.step(3 * HISTORIES)
    busy = [f"mirror_{n}__{t}" for n in loads for t in ("orders", "customers", "kinds", "lives")]
    for _ in range(3 if DEEP else 1):
        with written(loads, lives):
            report, _ = audited(live, *busy)
        assert (report.code, report.findings) == (0, []), report
    by_model = {audit.model: audit for audit in report.audits}
    assert {*by_model} == {*busy}
    assert by_model["mirror_store__kinds"].keys == 3
    assert all(by_model[f"mirror_{name}__lives"].keys > HISTORIES / 4 for name in loads)
    assert "not compared" not in by_model["mirror_store__kinds"].notes
    assert "not compared: ar (integer[])" in by_model["mirror_cafe__kinds"].notes


def assert_goes_on(
    live: Live, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """An audit that dies goes on where it was."""
    pages = iter(range(2))
    keep = Progress.keep

    def dying(progress: Progress, read: State) -> None:
        if next(pages, None) is None:
            raise ValueError("killed")
        keep(progress, read)

    with monkeypatch.context() as patch:
        patch.setattr(runs, "SECONDS", 0)
        with monkeypatch.context() as deadly:
            deadly.setattr(Progress, "keep", dying)
            with pytest.raises(Exception, match="killed"):
                audited(live, "mirror_store__orders", limits=Limits(chunk=10))
        capfd.readouterr()
        report, _ = audited(live, "mirror_store__orders", limits=Limits(chunk=10))
    assert "mirror_store__orders: goes on after 20 rows" in capfd.readouterr().err
    assert (report.code, report.findings) == (0, []), report


def drift(stack: Stack) -> None:
    """Changes that no event reports."""
    store, cafe = stack.mariadb.connect().cursor(), stack.postgresql.connect()
    store.execute("set session sql_log_bin = 0")
    store.execute("update kinds set te = concat(te, ' ') where code = 'ä'")
    store.execute("update kinds set dt = dt + interval 1 microsecond where code = 'a'")
    store.execute("delete from kinds where code = 'B '")
    store.execute("insert into kinds (code, day, fl) values ('new', '2026-01-01', 0.1)")
    store.execute("set session sql_log_bin = 1")
    store.execute("delete from parents where id = 1")
    cafe.execute("alter publication dbz_publication set (publish = 'insert, update, delete')")
    cafe.execute("truncate kinds")
    cafe.execute(
        "alter publication dbz_publication set (publish = 'insert, update, delete, truncate')"
    )


def assert_drift_is_found(live: Live, loads: dict[str, workload.Workload]) -> Report:
    """By name, and no secret is told. A quiet MariaDB has a heartbeat a minute only."""
    drift(live.stack)
    store, cafe, children = "mirror_store__kinds", "mirror_cafe__kinds", "mirror_store__children"
    with written(loads):
        report, said = audited(live, store, children, cafe)
    assert report.code == 1
    found = {(f.model, f.unique_key, f.kind, f.column_name) for f in report.findings}
    assert found == {
        (store, '{"code":"ä","day":"2026-01-03"}', "changed", "te"),
        (store, '{"code":"a","day":"1969-12-31"}', "changed", "dt"),
        (store, '{"code":"B ","day":"2026-01-02"}', "added", None),
        (store, '{"code":"new","day":"2026-01-01"}', "lost", None),
        (children, '{"id":1}', "added", None),
        (cafe, '{"code":"a","day":"1969-12-31"}', "added", None),
        (cafe, '{"code":"B ","day":"2026-01-02"}', "added", None),
        (cafe, '{"code":"c","day":"2026-01-03"}', "added", None),
    }
    values = {f.column_name: (f.in_mirror, f.by_log) for f in report.findings if f.column_name}
    assert values == {
        "te": ("", " "),
        "dt": ("2026-01-02 03:04:05.000001", "2026-01-02 03:04:05.000002"),
    }
    assert_no_secret(live, said)
    return report


def dying_repairs() -> Iterator[Hook]:
    """Repairs that die: before records are in raw, and right after; before they are merged, and
    before what was found is kept. When it is deep, at each statement, until a repair has fewer."""
    if DEEP:
        yield from (death_after(writes, []) for writes in count())
    yield dying_at("insert into raw.")
    yield dying_after("insert into raw.")
    yield dying_at("publish mirror.")
    yield dying_at("insert into ops.audits")


def assert_no_secret(live: Live, said: str) -> None:
    logs = live.lake.folder.rglob("*.log")
    log = "".join(file.read_text(encoding="utf-8", errors="replace") for file in logs)
    assert not re.search("h%40sh|h@sh", log + said)


def assert_of_a_replica(
    live: Live, loads: dict[str, workload.Workload], found: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it does not know yet is no difference, and no row of it is taken for the source's."""
    primary = live.stack.mariadb
    source = primary.connect().cursor()
    source.execute("grant replica monitor on *.* to reader@'%'")
    source.execute("select @@gtid_binlog_pos")
    replica = primary.replica(primary.folder.parent / "replica", free_port())
    try:
        there = replica.connect("").cursor()
        there.execute("select master_gtid_wait(%s, 60)", source.fetchone())
        assert there.fetchone() == (0,)
        for statement in ("stop slave", "change master to master_delay = 10", "start slave"):
            there.execute(statement)
        with monkeypatch.context() as changed:
            changed.setenv("STORE_URL", store_url(replica))
            with written(loads):
                models = [f"mirror_store__{name}" for name in ("orders", "customers", "lives")]
                report, _ = audited(live, *models)
            assert (report.code, report.findings) == (0, []), report
            with pytest.raises(CommandError, match="its database is a replica"):
                repair(live.folder, os.environ, Repair(found.audit_id, None, ()), apply=True)
    finally:
        replica.kill()


def is_repaired(live: Live, asked: Repair) -> bool:
    """Whether a repair came to its end."""
    try:
        repair(live.folder, os.environ, asked, apply=True)
    except CommandError:
        return False
    return True


def assert_repaired(
    live: Live,
    loads: dict[str, workload.Workload],
    found: Report,
    around: Callable[[Hook], None],
) -> None:
    """A dry run writes nothing. Then the log gets what no event has told, while the tables are
    written, by a repair that has died before: the rows are the source's, and an audit by the log
    says the same."""
    asked = Repair(found.audit_id, None, ())
    before, after = repair(live.folder, os.environ, asked, apply=False)
    assert (len(before.findings), after) == (len(found.findings), None)
    for hook in dying_repairs():
        around(hook)
        with written(loads):
            has_ended = is_repaired(live, asked)
        assert DEEP or not has_ended
        if has_ended:
            break
    around(let_all_run)
    with written(loads):
        before, after = repair(live.folder, os.environ, asked, apply=True)
    assert DEEP or after is not None
    last = after or before  # a repair that died late has left nothing to do
    assert (last.code, last.findings) == (0, []), last
    assert not any(audit.notes for audit in (*before.audits, *last.audits))
    models = sorted({finding.model for finding in found.findings})
    again, _ = audited(live, *models)
    assert (again.code, again.findings) == (0, []), again
    by_log = run(live.folder, os.environ, models, full=True)
    assert (by_log.code, by_log.findings) == (0, []), by_log
    scan = live.lake.catalog.load_table("mirror.store__kinds").scan("code = 'new'")
    assert scan.to_arrow()["fl"].to_pylist() == [pytest.approx(0.1, rel=1e-7)]
    assert_no_secret(live, "")
