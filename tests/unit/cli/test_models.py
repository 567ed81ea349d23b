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
