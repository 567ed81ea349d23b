"""Which lake a command reads, and what it says of one that cannot be read."""

import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from lakemirror.cli.errors import CommandError
from lakemirror.cli.init import make_project, project_files
from lakemirror.cli.lakes import lake_properties, open_lake
from lakemirror.cli.main import main
from lakemirror.layers import layers_of_catalog
from support.small_lake import small_lake

PROFILES = """
config: {send_anonymous_usage_stats: false}
other: {target: dev, outputs: {dev: {lake: /other}}}
shop:
  target: "{{ env_var('TARGET', 'dev') }}"
  outputs:
    dev: {lake: "{{ env_var('OWN_LAKE', './dev') }}"}
    prod: {lake: /prod}
    cluster: {schema: marts}
    open: {lake: "{{ env_var('SECRET') }}"}
    odd: {lake: "{{ nothing }}"}
"""


def lake_of(folder, environment):
    """The folder of an embedded lake, seen from this one."""
    made = Path(lake_properties(folder, environment)["warehouse"]).parent
    return made.relative_to(Path.cwd()) if made.is_relative_to(Path.cwd()) else made


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "profiles.yml").write_text(PROFILES)
    (tmp_path / "dbt_project.yml").write_text("{name: shop, profile: shop}")
    return tmp_path


def test_a_new_project(tmp_path):
    assert str(lake_of(tmp_path, {})) == "lake"
    make_project(tmp_path, project_files("shop", "/data/lake"))
    assert str(lake_of(tmp_path, {})) == "/data/lake"
    assert str(lake_of(tmp_path, {"LAKEMIRROR_LAKE": "other"})) == "other"


@pytest.mark.parametrize(
    ("environment", "lake"),
    [
        ({}, "dev"),
        ({"OWN_LAKE": "/own"}, "/own"),
        ({"DBT_TARGET": "prod"}, "/prod"),
        ({"TARGET": "prod"}, "/prod"),
        ({"DBT_TARGET": "cluster", "LAKEMIRROR_LAKE": "x"}, "x"),
        ({"DBT_PROFILES_DIR": "elsewhere"}, "lake"),
    ],
)
def test_the_lake_is_the_profiles(folder, environment, lake):
    assert str(lake_of(folder, environment)) == lake


def test_a_catalog_has_the_prefix_of_the_target(folder):
    (folder / "profiles.yml").write_text("""
shop:
  target: plain
  outputs:
    plain: {lake: ./lake, schema: "{{ env_var('ONLY_DBT_KNOWS') }}"}
    dev: {lake: ./lake, schema_prefix: "{{ env_var('WHOSE', 'dev') }}_"}
    wrong: {lake: ./lake, schema_prefix: Dev_}
""")
    small_lake(folder, {})
    own = {"LAKEMIRROR_LAKE": str(folder / "lake")}
    found = {
        whose: layers_of_catalog(open_lake(folder, own | given))
        for whose, given in {
            "plain": {},
            "dev": {"DBT_TARGET": "dev"},
            "mine": {"DBT_TARGET": "dev", "WHOSE": "me"},
        }.items()
    }
    assert [found[whose].ops for whose in ("plain", "dev", "mine")] == ["ops", "dev_ops", "me_ops"]
    with pytest.raises(CommandError, match=r"the target wrong: schema_prefix: .*, and not 'Dev_'"):
        open_lake(folder, {"DBT_TARGET": "wrong"})


def test_profiles_may_be_elsewhere(folder, tmp_path):
    (tmp_path / "profiles").mkdir()
    (folder / "profiles.yml").rename(tmp_path / "profiles/profiles.yml")
    for place in ("profiles", str(tmp_path / "profiles")):
        assert str(lake_of(folder, {"DBT_PROFILES_DIR": place, "OWN_LAKE": "/own"})) == "/own"


@pytest.mark.parametrize(
    ("target", "problem"),
    [
        ("cluster", "the target cluster of the profile shop in .* has no lake and no catalog"),
        ("prd", "the target prd of the profile shop in .* has no lake and no catalog"),
        ("open", "the profile needs SECRET in the environment"),
        ("odd", "cannot be read: 'nothing' is undefined"),
    ],
)
def test_a_target_without_a_lake(folder, target, problem):
    with pytest.raises(CommandError, match=problem):
        lake_of(folder, {"DBT_TARGET": target})


@pytest.mark.parametrize("text", ["shop: 1", "shop: {outputs: 3}", "shop: {outputs: {dev: x}}", ""])
def test_a_profile_of_another_shape(folder, text):
    (folder / "profiles.yml").write_text(text)
    with pytest.raises(CommandError, match="has no lake and no catalog"):
        lake_of(folder, {})


@pytest.mark.parametrize("keep", [0, 100, 5000])
@pytest.mark.parametrize("part", ["*.metadata.json", "snap-*.avro", "*-m0.avro", "*.parquet"])
def test_a_damaged_file_is_named_by_its_table(tmp_path, monkeypatch, capsys, part, keep):
    """Cut off anywhere, it is one sentence, and no stack; what else is in the lake is shown."""
    monkeypatch.chdir(tmp_path)
    heard = pa.array([datetime(2026, 1, 31, tzinfo=UTC)])
    cafe = pa.table({"shard": [""], "complete_until": heard, "proof": ["heartbeats"]})
    shop = pa.table({"shard": ["x" * 9000]})
    small_lake(tmp_path, {"ops.watermark_cafe": cafe, "ops.watermark_shop": shop})
    files = sorted(tmp_path.glob(f"lake/warehouse/**/{part}"))
    files[-1].write_bytes(files[-1].read_bytes()[:keep][:-1])
    monkeypatch.setattr(sys, "argv", ["lakemirror", "status"])
    code = main()
    out, error = capsys.readouterr()
    assert (code, error) == (1, "")
    assert [line.split()[:3] for line in out.splitlines()[1:3]] == [
        ["cafe", "0", "2026-01-31"],
        ["shop", "0", "unknown"],
    ]
    told = [line for line in out.splitlines() if line.startswith("The table")]
    assert len(told) == 1
    assert told[0].startswith("The table ops.watermark_shop cannot be read: ")


def test_a_lake_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(CommandError, match=r"There is no lake in .*/lake. Run it"):
        open_lake(tmp_path, {})


def test_a_catalog_that_does_not_answer(folder, monkeypatch, capsys):
    """One sentence, and no stack."""
    catalog = "{type: rest, uri: 'http://127.0.0.1:9'}"
    (folder / "profiles.yml").write_text(f"shop: {{outputs: {{default: {{catalog: {catalog}}}}}}}")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "argv", ["lakemirror", "status"])
    assert main() == 1
    assert capsys.readouterr().err.startswith("The lake cannot be read: HTTPConnectionPool(")
