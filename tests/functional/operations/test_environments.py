"""Environments of one lake: each has schemas of its own, and none reads or changes another's."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lakemirror.cli import main as cli
from support.depth import whole_only
from support.lake import PROFILE, Lake, messages
from support.mirror_project import MirrorProject
from support.one_table import change
from support.recordings import record, write

PREFIXES = {"plain": "", "dev": "dev_", "prod": "prod_"}
KEYS = {"plain": [1], "dev": [1, 2], "prod": [1, 2, 3]}
LAYERS = ("raw", "ops", "stage", "mirror", "daily")
MODEL = "mirror_shop__t"
TABLE = re.compile(r"\b\w*(?:raw|ops|stage|mirror|daily)\.\w+")  # as what is said names one
# one target reads what another has landed
RAW = "{{ 'prod_raw' if target.name == 'reader' else target.schema_prefix ~ 'raw' }}"
HEARD = """
{{ config(materialized='table', schema='ops') }}
select count(*) as records from {{ landed(ref('stg_shop__t')) }}
"""


class Environments(MirrorProject):
    """A project whose profile has a target for each environment of one lake."""

    target = "plain"

    def __init__(self, lake: Lake, patched: pytest.MonkeyPatch) -> None:
        columns = {"t": ("id int, v int", ["id"])}
        # raw.schema_history alone knows the columns
        super().__init__(lake, "shop", "mariadb", columns, declares={})
        self.patched, self.files = patched, 0
        self.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-03")
        prefixes = PREFIXES | {"reader": "reader_", "wrong": "Dev-"}
        outputs = {name: PROFILE | {"schema_prefix": prefix} for name, prefix in prefixes.items()}
        self.write("profiles.yml", json.dumps({"lakemirror": {"outputs": outputs}}))
        patched.setenv("DBT_PROFILES_DIR", str(self.folder))
        patched.setenv("DBT_TARGET_PATH", str(lake.folder / "target"))
        patched.setenv("DBT_WRITE_JSON", "true")  # what the commands know of models
        file = self.folder / "models/sources.yml"
        sources = json.loads(file.read_text(encoding="utf-8"))
        sources["sources"][0]["schema"] = RAW
        file.write_text(json.dumps(sources), encoding="utf-8")

    def at(self, target: str) -> "Environments":
        """From now on, this target is meant."""
        self.target = target
        self.lake.recordings = self.lake.folder / "recordings" / target
        self.lake.recordings.mkdir(exist_ok=True)
        self.patched.setenv("LAKEMIRROR_RECORDINGS", str(self.lake.recordings))
        return self

    def dbt(self, *arguments: str, fails: bool | None = False) -> Any:
        return super().dbt(*arguments, "--target", self.target, fails=fails)

    def land(self, *lines: str) -> None:
        self.files += 1
        write(self.lake.recordings, f"{self.files:04}", lines)
        self.dbt("run", "--select", "landing")

    def merge(self, *arguments: str, fails: bool | None = False) -> str:
        return messages(self.dbt("run", "--select", MODEL, *arguments, fails=fails))

    def build(self, target: str) -> None:
        """Land, merge and publish what an environment has."""
        self.at(target).land(schema(), *(sent(key, target) for key in KEYS[target]))
        self.dbt("run", "--select", MODEL, "watermark_shop", "daily_shop__t")

    def prefixed(self, name: str) -> str:
        return f"{PREFIXES.get(self.target, f'{self.target}_')}{name}"

    def read(self, table: str) -> list[dict[str, Any]]:
        return self.lake.catalog.load_table(self.prefixed(table)).scan().to_arrow().to_pylist()

    def values(self) -> dict[int, int]:
        return {row["id"]: row["v"] for row in self.read("mirror.shop__t")}


def schema() -> str:
    """A record of the schema-change topic: the columns of the table."""
    columns = [{"name": name, "typeExpression": "INT"} for name in ("id", "v")]
    table = {"primaryKeyColumnNames": ["id"], "columns": columns}
    block = {"name": "shop", "connector": "mariadb", "ts_ms": 1767225600000}
    changed = {"type": "CREATE", "id": '"shop"."t"', "table": table}
    return record(0, json.dumps({"source": block, "tableChanges": [changed]}), topic="shop")


def sent(key: int, target: str, offset: int | None = None) -> str:
    """A row of an environment: no other has its value."""
    return change(offset or key, "c", key, value_of(key, target), connector="mariadb", name="shop")


def value_of(key: int, target: str) -> int:
    return 100 * [*PREFIXES].index(target) + key


def undecodable(offset: int) -> str:
    found = json.loads(sent(offset, "dev"))
    event = json.loads(found["value"])
    event["after"]["v"] = "much"
    return json.dumps(found | {"value": json.dumps(event)})


def everything(lake: Lake) -> dict[str, list[int]]:
    """The snapshots of each table of the lake."""
    catalog = lake.catalog
    names = [
        ".".join(name) for (space,) in catalog.list_namespaces() for name in tables(lake, space)
    ]
    return {name: [s.snapshot_id for s in catalog.load_table(name).snapshots()] for name in names}


def tables(lake: Lake, namespace: str) -> list[tuple[str, ...]]:
    return [*lake.catalog.list_tables(namespace)]


@pytest.fixture
def shop(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Environments:
    return Environments(lake, monkeypatch)


@pytest.fixture
def call(
    shop: Environments, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    """What a command returns and says of the environment that is meant."""

    def run(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        with monkeypatch.context() as patched:
            patched.chdir(shop.folder)
            patched.setattr(sys, "argv", ["lakemirror", *arguments, "--target", shop.target])
            code = cli.main()
        return code, "".join(capsys.readouterr())

    return run


def test_environments_of_one_lake_never_meet(
    lake: Lake, shop: Environments, call: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    for target in PREFIXES:
        shop.build(target)
    shop.at("dev").land(undecodable(9))
    shop.merge()
    schemas = {f"{prefix}{layer}" for prefix in PREFIXES.values() for layer in LAYERS}
    assert {name for (name,) in lake.catalog.list_namespaces()} >= schemas

    for target, keys in KEYS.items():
        shop.at(target)
        assert shop.values() == {key: value_of(key, target) for key in keys}
        days = sorted((str(row["ds"]), row["id"]) for row in shop.read("daily.shop__t"))
        assert days == [(day, key) for day in ("2026-01-01", "2026-01-02") for key in keys]
        assert len(shop.read("ops.quarantine")) == (target == "dev")
        look(shop, call, tmp_path / f"{target}.html")
    care(lake, shop, call)


def look(shop: Environments, call: Callable[..., tuple[int, str]], page: Path) -> None:
    """Each command tells of the environment that is meant, and of no other."""
    count = len(KEYS[shop.target])
    found = json.loads(call("status", "--json")[1])
    assert [source["raw_tables"] for source in found["sources"]] == [1]
    told = [(each["table"], each["rows"]) for each in found["mirrors"]]
    assert told == [(shop.prefixed("mirror.shop__t"), count)]
    assert [each["table"] for each in found["daily"]] == [shop.prefixed("daily.shop__t")]
    assert found["quarantine"] == ({MODEL: 1} if shop.target == "dev" else {})
    assert (found["not_built"], found["not_mirrored"]) == ([], [])

    for name in (MODEL, shop.prefixed("raw.shop__t"), shop.prefixed("mirror.shop__t")):
        code, said = call("history", name, "--json")
        assert (code, sum(commit["rows_added"] for commit in json.loads(said)) >= count) == (
            0,
            True,
        )
    for key in (1, 3):
        said = call("show", "shop.t", "--key", str(key))[1]
        assert {*TABLE.findall(said)} <= own(shop), said
        assert ("Neither" in said) is (key > count), said
    code, said = call("audit", "--full", "--json")
    [audit] = json.loads(said)["audits"]
    assert (code, audit["keys"], audit["findings"]) == (0, count, 0)
    assert len(shop.read("ops.audits")) == 1
    assert call("report", "--output", str(page))[0] == 0
    reported = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
    assert [each["table"] for each in reported["mirrors"]] == [shop.prefixed("mirror.shop__t")]
    code, said = call("quarantine", "list", "--json")
    assert (code, len(json.loads(said))) == (0, int(shop.target == "dev"))
    code, said = call("generate", "--source", "shop", "--dry-run")
    assert (code, 'schema: "{{ target.schema_prefix }}raw"' in said) == (0, True), said
    assert f"columns of t: from {shop.prefixed('raw.schema_history')}" in said
    for command in (("doctor",), ("maintain", "--dry-run")):
        said = call(*command)[1]
        assert {*TABLE.findall(said)} <= own(shop), said


def own(shop: Environments) -> set[str]:
    """The names of the tables of the environment that is meant."""
    lake = shop.lake
    return {".".join(name) for layer in LAYERS for name in tables(lake, shop.prefixed(layer))}


def care(lake: Lake, shop: Environments, call: Callable[..., tuple[int, str]]) -> None:
    """Maintenance has the tables of one environment, whatever patterns name."""
    shop.at("dev")
    before, mine = everything(lake), own(shop)
    given = json.dumps({"maintenance_tables": {"*.*": {}}})
    shop.dbt("run-operation", "maintain", "--vars", given)
    assert {row["table_name"] for row in shop.read("ops.maintenance")} <= mine
    after = everything(lake)
    assert {name for name in before if after[name] != before[name]} <= mine


@whole_only
def test_a_target_reads_what_another_has_landed(
    lake: Lake,
    shop: Environments,
    call: Callable[..., tuple[int, str]],
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The columns, what has landed and what was erased are asked where the raw table is."""
    shop.write("models/ops/heard_shop.sql", HEARD)
    staging = shop.folder / "models/staging/stg_shop__t.sql"
    text = staging.read_text(encoding="utf-8")
    staging.write_text(text.replace("metadata_columns()", "metadata_columns(['_kfk_topic'])"))
    shop.build("prod")
    shop.at("reader").dbt("run", "--select", MODEL, "watermark_shop", "daily_shop__t", "heard_shop")
    assert shop.values() == {key: value_of(key, "prod") for key in KEYS["prod"]}
    assert shop.read("ops.heard_shop") == [{"records": len(KEYS["prod"])}]
    assert not any(name == ("reader_raw",) for name in lake.catalog.list_namespaces())
    found = json.loads(call("status", "--json")[1])
    assert [(each["source"], each["raw_tables"]) for each in found["sources"]] == [("shop", 1)]
    assert (found["not_built"], found["not_mirrored"]) == ([], [])
    code, said = call("show", "shop.t", "--key", "3")
    assert (code, "prod_raw.shop__t" in said or "reader_mirror.shop__t" in said) == (0, True), said

    shop.at("prod").land(sent(4, "prod"))
    shop.merge()
    shop.at("reader").merge()
    assert {*shop.values()} == {1, 2, 3, 4}
    refs = lake.catalog.load_table("prod_raw.shop__t").metadata.refs
    assert {"lakemirror_prod_mirror_shop__t", "lakemirror_reader_mirror_shop__t"} <= {*refs}

    erasure = json.dumps({"model": MODEL, "what": {"keys": [{"id": 4}]}, "apply": True})
    capsys.readouterr()
    shop.dbt("run-operation", "erase", "--args", erasure, fails=True)
    said = "prod_raw.shop__t, which mirror_shop__t is made of, is of another environment"
    assert said in capsys.readouterr().out
    shop.at("prod").dbt("run", "--select", "daily_shop__t")
    shop.dbt("run-operation", "erase", "--args", erasure)
    shop.land(sent(4, "prod", offset=40))
    shop.merge()
    assert {*shop.values()} == {1, 2, 3}
    shop.at("reader").merge("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert {*shop.values()} == {1, 2, 3}


def test_a_prefix_that_is_none(shop: Environments, call: Callable[..., tuple[int, str]]) -> None:
    expected = "schema_prefix: lower case letters, digits and underscores are expected, and not"
    assert expected in messages(shop.at("wrong").dbt("run", fails=True))
    code, said = call("status")
    assert (code, f"the target wrong: {expected} 'Dev-'" in said) == (1, True), said
