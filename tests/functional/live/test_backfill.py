"""One table once more from its source, by the statements of docs/guides/backfill.md.

Rows that no event has told come back by an incremental snapshot, and those that the source has no
more go by a blocking one and a resync.
"""

import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from stack import connectors, packages
from stack.services import HOST, PASSWORD, USER, Connect, Kafka, MariaDb, free_port

from support.commands import command
from support.depth import deep_only
from support.lake import Lake
from support.live import land_until

pytestmark = [pytest.mark.xdist_group("live"), deep_only]

SIGNAL = """
    insert into debezium_signal (id, type, data) values (
        '{id}', 'execute-snapshot', '{{"data-collections": ["store.orders"], "type": "{type}"}}'
    )
"""


class Sources:
    """MariaDB with its connector."""

    def __init__(self, folder: Path) -> None:
        port = free_port(4)  # Kafka has two
        self.kafka = Kafka(folder, port + 1)
        self.mariadb = MariaDb(folder, port)
        self.connect = Connect(folder, port + 3, self.kafka)

    def start(self) -> None:
        self.mariadb.start()
        self.kafka.start()
        root = self.mariadb.connect("").cursor()
        for statement in (
            "create database store",
            f"create user '{USER}'@'127.0.0.1' identified by '{PASSWORD}'",
            f"grant all on *.* to '{USER}'@'127.0.0.1'",
            "create table store.heartbeat (id int primary key, beats bigint not null)",
            "insert into store.heartbeat values (1, 0)",
            "create table store.orders (id int primary key, total decimal(9,2))",
            "insert into store.orders values (1, 1.5), (2, 2.5), (3, 3.5), (4, 4.5)",
            "create table store.debezium_signal "
            "(id varchar(64) primary key, type varchar(32) not null, data varchar(2048))",
        ):
            root.execute(statement)
        settings = connectors.mariadb(self)  # type: ignore[arg-type]
        signal = {"signal.data.collection": "store.debezium_signal"}
        self.connect.start({"store": settings | signal})

    def execute(self, *statements: str) -> None:
        cursor = self.mariadb.connect("store").cursor()
        for statement in statements:
            cursor.execute(statement)


@pytest.fixture
def sources() -> Iterator[Sources]:
    if packages.missing():
        pytest.skip(f"not installed: {packages.missing()}; make stack-install")
    folder = Path(tempfile.mkdtemp(prefix="lakemirror-backfill-", dir="/var/tmp"))
    folder.chmod(0o755)
    made = Sources(folder)
    try:
        made.start()
        yield made
    finally:
        for service in (made.connect, made.kafka, made.mariadb):
            service.kill()
        shutil.rmtree(folder)


def test_what_no_event_has_told(
    sources: Sources, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LAKEMIRROR_LAKE", "LAKEMIRROR_RECORDINGS"):
        monkeypatch.delenv(name)  # the project says it
    url = f"mysql://{USER}:{PASSWORD}@{HOST}:{sources.mariadb.port}/store"
    monkeypatch.setenv("STORE_URL", url)
    project = tmp_path / "own"
    monkeypatch.setenv("DBT_PROFILES_DIR", str(project))
    brokers = ["--brokers", sources.kafka.address, "--topics", "(store)([.].*)?"]
    command(tmp_path, "init", "own", *brokers, "--lake", str(lake.folder))

    def lakemirror(*arguments: str, code: int = 0) -> str:
        return command(project, *arguments, code=code)

    def dbt(*arguments: str, fails: bool | None = False) -> Any:
        return lake.dbt(*arguments, "--project-dir", str(project), fails=fails)

    def merge_until(what: Any) -> None:
        end = time.monotonic() + 300
        while not what():
            assert time.monotonic() < end
            dbt("run", "--select", "landing", "mirror_store__orders")

    def rows() -> dict[int, float]:
        found = lake.catalog.load_table("mirror.store__orders").scan().to_arrow().to_pylist()
        return {row["id"]: float(row["total"]) for row in found}

    land_until(lake, dbt, {"store__orders"})
    command(project, "generate", "--source", "store", "--database-env", "STORE_URL")
    dbt("run", "--select", "mirror_store__orders")
    merge_until(lambda: len(rows()) == 4)

    sources.execute(
        *("set sql_log_bin = 0", "update orders set total = 9.5 where id = 1"),
        *("insert into orders values (5, 5.5)", "delete from orders where id = 4"),
    )
    asked = ("audit", "--against-source", "--select", "mirror_store__orders")
    said = lakemirror(*asked, code=1)
    for line in ('{"id":1}: changed total', '{"id":5}: lost', '{"id":4}: added'):
        assert line in said, said

    sources.execute(SIGNAL.format(id="orders-1", type="incremental"))
    merge_until(lambda: rows() == {1: 9.5, 2: 2.5, 3: 3.5, 4: 4.5, 5: 5.5})
    lakemirror(*asked, code=1)
    sources.execute(SIGNAL.format(id="orders-2", type="blocking"))
    before = lake.catalog.load_table("raw.store__orders").scan().count()
    merge_until(lambda: lake.catalog.load_table("raw.store__orders").scan().count() >= before + 4)
    dbt("run", "--select", "mirror_store__orders", "--vars", "{resync: dry_run}")
    assert len(rows()) == 5
    dbt("run", "--select", "mirror_store__orders", "--vars", "{resync: apply}")
    assert rows() == {1: 9.5, 2: 2.5, 3: 3.5, 5: 5.5}
    lakemirror(*asked)
