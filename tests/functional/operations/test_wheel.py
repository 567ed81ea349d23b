"""The built wheel alone, in an environment of its own: what a project of somebody else has."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lakemirror.cli.init import project_files
from lakemirror.jars import FOLDER
from lakemirror.lake import pyiceberg_catalog
from support.commands import users_environment
from support.depth import whole_only
from support.lake import PROJECT, Lake
from support.mirror_project import DAILY, STAGING, WATERMARKS
from support.one_table import DAY, change
from support.pages import lines
from support.recordings import write
from support.source_state import assert_shop_daily, assert_shop_mirrors

pytestmark = pytest.mark.xdist_group("wheel")  # one environment for both

BIN = Path(sys.executable).parent
# what the page shows for a broker and a database
OF_A_SERVER = re.compile("--brokers|--database-env|export ")
PROJECT_FILE = """
name: anyones
profile: anyones
models:
  anyones:
    staging: {+materialized: ephemeral}
    mirror: {+schema: mirror, +materialized: mirror}
    log: {+schema: log, +materialized: log}
    ops: {+schema: ops}
"""
PROFILE = """
anyones:
  target: local
  outputs:
    local:
      type: lakemirror
      method: session
      lake: ./lake
      schema: marts
      threads: 1
      server_side_parameters: {spark.driver.extraJavaOptions: -XX:TieredStopAtLevel=1}
"""
SOURCES = """
sources:
  - name: shop
    schema: raw
    config: {meta: {debezium: {connector: mariadb}}}
    tables:
      - name: t
        identifier: shop__t
        columns: [{name: id, data_type: int}, {name: v, data_type: int}]
"""
MODELS = {
    "models/sources.yml": SOURCES,
    "models/staging/stg_shop__t.sql": STAGING.format(source="shop", table="t", connector="mariadb"),
    "models/mirror/mirror_shop__t.sql": (
        "{{ config(unique_key='id') }} select * from {{ ref('stg_shop__t') }}"
    ),
    "models/log/log_shop__t.sql": "select * from {{ ref('stg_shop__t') }}",
    "models/daily/daily_shop__t.sql": DAILY.format(
        source="shop", name="shop__t", config="unique_key='id'"
    ),
    "models/ops/watermark_shop.sql": WATERMARKS.format(
        heard_from="2026-01-01 00:00:00",
        complete_until="2026-01-03 00:00:00",
        proof="heartbeats",
    ),
    "models/ops/consistent_cut.sql": (
        "{{ config(materialized='cut') }}\n"
        "{{ at_cut(ref('mirror_shop__t'), ref('stg_shop__t'), ref('watermark_shop')) }}"
    ),
    # a macro of the project's own goes before lakemirror's
    "macros/generate_alias_name.sql": (
        "{% macro lakemirror__generate_alias_name(custom_alias_name=none, node=none) -%}"
        "{{ 'my_' ~ node.name }}{%- endmacro %}"
    ),
    "macros/epoch.sql": (
        "{% macro configured_epoch(epoch, log) -%} {{ epoch }} + 7 {%- endmacro %}"
    ),
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A virtual environment with the wheel and what it asks for, and nothing of the repository."""
    folder = tmp_path_factory.mktemp("wheel")
    made = folder / "environment"
    uv = [str(BIN / "uv"), "--quiet"]
    for arguments in (
        ["build", "--wheel", "--out-dir", folder, PROJECT],
        ["venv", "--python", sys.executable, made],
    ):
        subprocess.run([*uv, *arguments], check=True)
    [wheel] = folder.glob("*.whl")
    # the versions that are locked; those that the machine has built are not built again
    locked = ["--constraint", PROJECT / "requirements.lock", "--python", made]
    install = [*uv, "pip", "install", *locked, wheel]
    if subprocess.run([*install, "--offline"], capture_output=True).returncode:
        subprocess.run(install, check=True)
    shutil.copytree(FOLDER, made / "share" / "lakemirror")
    return made


@whole_only
def test_a_project_needs_the_wheel_alone(environment: Path, lake: Lake) -> None:
    """It parses, builds a mirror, a log, a day and a cut, and overrides macros by its own."""
    project = lake.folder / "anyones"
    for path, text in {"dbt_project.yml": PROJECT_FILE, "profiles.yml": PROFILE, **MODELS}.items():
        (project / path).parent.mkdir(parents=True, exist_ok=True)
        (project / path).write_text(text, encoding="utf-8")
    landing = "models/landing/landing.py"
    for path, text in project_files("anyones", "./lake", "./recordings").items():
        if path.startswith("models/landing/"):
            (project / path).parent.mkdir(parents=True, exist_ok=True)
            (project / path).write_text(text, encoding="utf-8")
    assert (project / landing).read_text() == (PROJECT / landing).read_text()
    (project / "recordings").mkdir()
    day = {"ts_ms": 1767225600000 + DAY}
    changes = [change(1, "c", 1, 10), change(2, "c", 2, 20), change(3, "d", 1, 10, **day)]
    write(project / "recordings", "first", changes)

    said = dbt(environment, project, "build")
    assert "ERROR=0" in said
    assert "WARN=0" in said
    assert rows(project, "mirror.my_mirror_shop__t", "id", "v", "_tx_epoch") == [(2, 20, 7)]
    assert rows(project, "log.my_log_shop__t", "id", "_op") == [(1, "c"), (1, "d"), (2, "c")]
    days = rows(project, "daily.my_daily_shop__t", "ds", "id")
    assert [(str(ds), key) for ds, key in days] == [
        ("2026-01-01", 1),
        ("2026-01-01", 2),
        ("2026-01-02", 2),
    ]
    assert len(rows(project, "ops.my_consistent_cut", "mirror")) == 1


def test_the_first_hour(environment: Path, tmp_path: Path) -> None:
    """The commands of docs/guides/first-hour.md, letter by letter, and nothing else: mirrors and
    midnights are what the database held.

    H1, H2, H3: nothing of the demo is there, and daily tables are built the first time.
    """
    shutil.copy(PROJECT / "demo/shop.jsonl.gz", tmp_path / "RECORDINGS.jsonl.gz")
    shown = [n for n in lines(PROJECT / "docs/guides/first-hour.md") if not OF_A_SERVER.search(n)]
    commands = [n.replace("RECORDINGS", "RECORDINGS.jsonl.gz") for n in shown]
    assert [re.match(r"(?:cd|dbt|lakemirror) \w+", n)[0] for n in commands] == [
        *("lakemirror init", "cd shopproject", "dbt run", "lakemirror generate", "dbt build"),
        "lakemirror status",
    ]
    project, said = tmp_path, {}
    for line in commands:
        name, *arguments = shlex.split(line)
        if name == "cd":
            project = project / arguments[0]
        else:
            said[line] = command(environment, project, name, *arguments)
    assert "next: cd shopproject && dbt run --select landing\n" in said[commands[0]]
    assert "WARNING" not in said["dbt run --select landing"]
    assert "ERROR=0" in plain(said["dbt build"])
    assert "WARN=0" in plain(said["dbt build"])
    assert "mirror.shop__orders" in said["lakemirror status"]
    again = command(environment, tmp_path, *shlex.split(commands[0]), code=1)
    assert "shopproject has README.md and 9 more files already. Nothing was written." in again
    catalog = pyiceberg_catalog(project / "lake")
    assert_shop_mirrors(catalog)
    for ds in ("2026-01-29", "2026-01-30", "2026-01-31"):
        assert_shop_daily(catalog, ds)
    files = {path: path.read_bytes() for path in (project / "models").rglob("*.*")}
    command(environment, project, "lakemirror", "generate", "--source", "shop")
    assert {path: path.read_bytes() for path in (project / "models").rglob("*.*")} == files
    command(environment, project, "lakemirror", "report")
    assert "mirror.shop__orders" in (project / "report.html").read_text(encoding="utf-8")


def plain(text: str) -> str:
    """What dbt says, without its colours."""
    return re.sub(r"\x1b\[\d+m", "", text)


def dbt(environment: Path, project: Path, *arguments: str) -> str:
    return command(environment, project, "dbt", "--no-use-colors", *arguments)


def command(environment: Path, folder: Path, name: str, *arguments: str, code: int = 0) -> str:
    """What a command says; it finds the profile in the project, and nothing else."""
    done = subprocess.run(
        [environment / "bin" / name, *arguments],
        cwd=folder,
        env=users_environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def rows(project: Path, table: str, *names: str) -> list[tuple[Any, ...]]:
    """A table's rows by PyIceberg, in order."""
    found = pyiceberg_catalog(project / "lake").load_table(table).scan(selected_fields=names)
    return sorted(tuple(row[name] for name in names) for row in found.to_arrow().to_pylist())
