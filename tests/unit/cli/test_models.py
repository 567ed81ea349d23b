"""The models that a project's files and its manifest name."""

import json

import pytest

from lakemirror.cli.models import KnownModel, project_models

MANIFEST = {
    "nodes": {
        "model.p.stg": {"depends_on": {"nodes": ["source.p.landed"]}},
        "model.p.mirror_shop__orders": {
            "name": "mirror_shop__orders",
            "schema": "gold",
            "alias": "orders",
            "original_file_path": "models/mirror/mirror_shop__orders.sql",
            "config": {"materialized": "mirror", "unique_key": "id"},
            "depends_on": {"nodes": ["model.p.stg"]},
        },
        "model.p.gone": {
            "name": "mirror_shop__gone",
            "original_file_path": "models/mirror/mirror_shop__gone.sql",
            "config": {"materialized": "mirror"},
        },
    },
    "sources": {"source.p.landed": {"schema": "sink", "identifier": "shop_orders"}},
}


@pytest.fixture
def folder(tmp_path):
    for name in ("mirror_shop__orders", "daily_shop__orders", "stg_shop__orders", "fct_orders"):
        file = tmp_path / f"models/{name.partition('_')[0]}/{name}.sql"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("select 1")
    return tmp_path


def test_models_are_where_their_names_say(folder):
    assert project_models(folder, {}) == {
        "daily_shop__orders": KnownModel(
            "daily_shop__orders", "daily", "daily.shop__orders", "raw.shop__orders"
        ),
        "mirror_shop__orders": KnownModel(
            "mirror_shop__orders", "mirror", "mirror.shop__orders", "raw.shop__orders"
        ),
    }


@pytest.mark.parametrize("environment", [{}, {"DBT_TARGET_PATH": "elsewhere"}])
def test_or_where_the_manifest_says(folder, environment):
    target = folder / environment.get("DBT_TARGET_PATH", "target")
    target.mkdir()
    (target / "manifest.json").write_text(json.dumps(MANIFEST))
    found = project_models(folder, environment)
    assert {*found} == {"mirror_shop__orders", "daily_shop__orders"}
    assert found["mirror_shop__orders"] == KnownModel(
        "mirror_shop__orders", "mirror", "gold.orders", "sink.shop_orders", ("id",)
    )


def test_a_manifest_that_is_being_written_counts_for_nothing(folder):
    (folder / "target").mkdir()
    (folder / "target/manifest.json").write_text('{"nodes": {')
    assert {*project_models(folder, {})} == {"mirror_shop__orders", "daily_shop__orders"}


def test_no_project_has_no_models(tmp_path):
    assert project_models(tmp_path, {}) == {}


PROFILES = """
shop:
  target: dev
  outputs:
    dev: {schema: dev_marts, schema_prefix: dev_}
    prod: {schema: marts, schema_prefix: "{{ env_var('PREFIX', 'prod_') }}"}
    other: {schema: x, schema_prefix: "{{ env_var('NOT_THERE') }}"}
"""


def of_prod(schema, said, custom=None):
    """A manifest of the target prod, with the schema of a model and what YAML says of the raw's."""
    node = MANIFEST["nodes"]["model.p.mirror_shop__orders"]
    config = node["config"] | {"schema": custom}
    nodes = MANIFEST["nodes"] | {
        "model.p.mirror_shop__orders": node | {"schema": schema, "config": config}
    }
    landed = {"schema": "prod_raw", "identifier": "shop__orders", "unrendered_schema": said}
    return {"nodes": nodes, "sources": {"source.p.landed": landed}}


@pytest.mark.parametrize(
    ("schema", "custom", "table"),
    [
        ("prod_mirror", "mirror", "dev_mirror.orders"),
        ("marts", None, "dev_marts.orders"),
        # by a rule of the project's own
        ("gold_mirror", "mirror", "gold_mirror.orders"),
    ],
)
@pytest.mark.parametrize(
    ("said", "raw"),
    [
        ("{{ target.schema_prefix }}raw", "dev_raw"),
        ("prod_raw", "prod_raw"),
        ("{{ var('raw', target.name) }}", "prod_raw"),
    ],
)
def test_a_manifest_of_another_target(folder, schema, custom, table, said, raw):
    """What dbt has last run for does not say whose tables are meant."""
    (folder / "profiles.yml").write_text(PROFILES)
    (folder / "target").mkdir()
    manifest = of_prod(schema, said, custom)
    (folder / "target/manifest.json").write_text(json.dumps(manifest))
    found = project_models(folder, {})["mirror_shop__orders"]
    assert (found.table, found.raw) == (table, f"{raw}.shop__orders")


def test_a_prefix_is_in_the_names_of_what_is_not_built(folder):
    (folder / "profiles.yml").write_text(PROFILES)
    found = project_models(folder, {"DBT_TARGET": "prod"})["daily_shop__orders"]
    assert (found.table, found.raw) == ("prod_daily.shop__orders", "prod_raw.shop__orders")
