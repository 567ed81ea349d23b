"""A catalog that many machines share: JDBC on PostgreSQL, as the environment names it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest
import yaml
from stack.services import PostgreSql, free_port

from lakemirror import lake as lakes
from support.dbt_process import DbtProcess
from support.lake import PROFILES, Lake
from support.one_table import Shop, change
from support.recordings import write
from support.source_state import lake_rows

pytestmark = pytest.mark.xdist_group("live")

SECRET = "hush'@:/4711"
SCRIPT = Path(sys.executable).with_name("lakemirror")


@pytest.fixture
def postgresql(folder: Path) -> Iterator[PostgreSql]:
    server = PostgreSql(folder, free_port())
    try:
        server.start()
        connection = server.connect("postgres")
        connection.execute(
            "create role keeper login password '{}'".format(SECRET.replace("'", "''"))
        )
        connection.execute("create database lake owner keeper")
        yield server
    finally:
        server.kill()


def test_a_catalog_of_the_environment(
    lake: Lake, postgresql: PostgreSql, monkeypatch: pytest.MonkeyPatch
) -> None:
    """W3: dbt and the commands read one catalog; its password is in nothing that they leave."""
    shop = Shop(lake)
    changes = [change(1, "c", 1, 1), change(2, "c", 2, 2), change(3, "u", 1, 3)]
    write(lake.recordings, "first", changes)
    profiles = deepcopy(PROFILES)
    events = lake.folder / "events"
    events.mkdir()
    settings = profiles["lakemirror"]["outputs"]["cluster"]["server_side_parameters"]
    settings |= {"spark.eventLog.enabled": "true", "spark.eventLog.dir": str(events)}
    (shop.folder / "profiles.yml").write_text(yaml.safe_dump(profiles), encoding="utf-8")
    for name, value in {
        "DBT_PROFILES_DIR": str(shop.folder),
        "LAKEMIRROR_CATALOG_TYPE": "jdbc",
        "LAKEMIRROR_CATALOG_URI": f"jdbc:postgresql://127.0.0.1:{postgresql.port}/lake",
        "LAKEMIRROR_CATALOG_USER": "keeper",
        "LAKEMIRROR_CATALOG_PASSWORD": SECRET,
        "LAKEMIRROR_WAREHOUSE": str(lake.folder / "warehouse"),
        "LAKEMIRROR_SPARK_MASTER": "local[2]",
    }.items():
        monkeypatch.setenv(name, value)
    arguments = ("--target", "cluster", "--project-dir", str(shop.folder))
    with DbtProcess(lake, "cluster", "--log-level-file", "debug", "run", *arguments) as run:
        assert run.wait(), run.console

    properties = {
        "type": "jdbc",
        "uri": os.environ["LAKEMIRROR_CATALOG_URI"],
        "warehouse": os.environ["LAKEMIRROR_WAREHOUSE"],
        "jdbc.user": "keeper",
        "jdbc.password": SECRET,
    }
    rows = lake_rows(lakes.load(properties), "mirror.shop__t", ["id"])
    assert {key: row["v"] for (key,), row in rows.items()} == {1: 3, 2: 2}

    monkeypatch.delenv("LAKEMIRROR_LAKE")
    status = [SCRIPT, "status", "--target", "cluster"]
    done = subprocess.run(status, cwd=shop.folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "mirror.shop__t" in done.stdout
    monkeypatch.setenv("LAKEMIRROR_CATALOG_USER", "nobody")
    refused = subprocess.run(status, cwd=shop.folder, capture_output=True, text=True)
    assert refused.returncode == 1
    assert 'role "nobody" does not exist' in refused.stderr

    assert list(events.iterdir())
    left = [file for folder in (lake.folder, shop.folder) for file in folder.rglob("*")]
    secret = [SECRET.encode(), json.dumps(SECRET)[1:-1].encode()]
    found = [f for f in left if f.is_file() and any(s in f.read_bytes() for s in secret)]
    assert found == []
    said = done.stdout + done.stderr + refused.stdout + refused.stderr + run.console
    assert SECRET not in said
