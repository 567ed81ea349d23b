"""The files of a generated source, and what may be written over."""

from pathlib import Path

import pytest
import yaml

from lakemirror.cli import generate
from lakemirror.cli.generate import GenerateError
from lakemirror.cli.templates import Plan, files

PROJECT = Path(__file__).parents[3]
HOSTILE = "a`; drop table x; -- '{"


def plan(name="orders", key=("id",), **more):
    more = {"topic": f"shop.shop.{name}"} | more
    return Plan(source="shop", name=name, connector="mariadb", key=[*key], **more)


def made(*plans, has_days=True):
    return files("shop", "mariadb", {"decimal.handling.mode": "string"}, plans, has_days)


@pytest.mark.parametrize("name", ["customers", "products"])
def test_models_are_as_the_projects_own(name):
    """To the letter, but for the daily model's source, which dbt_project.yml says there."""
    key = {"customers": "id", "products": "sku"}[name]
    texts = made(plan(name, [key]))
    for path in (f"staging/shop/stg_shop__{name}.sql", f"mirror/shop/mirror_shop__{name}.sql"):
        assert texts[f"models/{path}"] == (PROJECT / "models" / path).read_text(encoding="utf-8")
    path = f"models/daily/shop/daily_shop__{name}.sql"
    own = (PROJECT / path).read_text(encoding="utf-8")
    assert texts[path].replace("        source_name='shop',\n", "") == own


@pytest.mark.parametrize(
    "path", ["staging/shop/_shop__sources.yml", "staging/shop/_shop__models.yml"]
)
def test_yaml_is_as_the_projects_own(path):
    """The shop's own files say no more than what is generated of them, and no less."""
    own = (PROJECT / "models" / path).read_text(encoding="utf-8")
    declared = generate.declared_source(PROJECT, "shop")
    tables = {table["name"]: table for table in declared["tables"]}
    found = made(*(plan(name, declared=table) for name, table in tables.items()))
    assert yaml.safe_load(found[f"models/{path}"]) == yaml.safe_load(own)


def test_a_key_of_several_columns_is_tested_as_one():
    texts = made(plan("order_items", ["order_id", "line_no"]))
    [model] = yaml.safe_load(texts["models/mirror/shop/_shop__mirrors.yml"])["models"]
    columns = {"columns": ["order_id", "line_no"]}
    combination = {"unique_combination": {"arguments": columns}}
    assert model["data_tests"] == ["columns_of_source", combination]
    assert [c["data_tests"] for c in model["columns"][:2]] == [["not_null"]] * 2


def test_hostile_names_and_comments_stay_data():
    """Case 65: one string of Jinja, one of YAML, and dbt renders nothing of a comment."""
    comment = "{{ run_query('drop table x') }} {% raw %}: # \"\n"
    texts = made(plan(key=[HOSTILE, "Order"], comment=comment, column_comments={"n": comment}))
    sql = texts["models/mirror/shop/mirror_shop__orders.sql"]
    assert "unique_key=[\"a`; drop table x; -- '{\", 'Order']," in sql
    for path in (p for p in texts if p.endswith(".yml")):
        assert "{{ run" not in texts[path]
        assert "{%" not in texts[path]
    [model] = yaml.safe_load(texts["models/mirror/shop/_shop__mirrors.yml"])["models"]
    assert "{ { run_query('drop table x') }} { % raw %}: # \"" in model["description"]
    assert [(c["name"], c.get("quote")) for c in model["columns"][:3]] == [
        (HOSTILE, True),
        ("Order", True),
        ("n", None),
    ]


def test_a_large_table_has_buckets():
    sql = made(plan(is_large=True))["models/mirror/shop/mirror_shop__orders.sql"]
    assert "        unique_key=['id'],\n        buckets=16,\n" in sql


@pytest.mark.parametrize(
    ("table", "names", "key", "problem"),
    [
        ("or-ders", ["id"], ["id"], "is not a model's"),
        ("orders", ["id", "{{ x }}"], ["id"], "has a name that dbt would render"),
        ("orders", ["a\\"], ["a\\"], "has a name that no configuration can"),
        ("orders", ["'\""], ["'\""], "has a name that no configuration can"),
        ("orders", ["id"], ["id", "n"], "its key has n, which are not among its columns"),
    ],
)
def test_names_that_cannot_be_written(table, names, key, problem):
    with pytest.raises(GenerateError, match=problem):
        generate.check_names(table, names, key)


@pytest.mark.parametrize(
    ("chosen", "left_out", "is_chosen"),
    [([], [], True), (["ord*"], [], True), (["x*"], [], False), (["*"], ["*rs"], False)],
)
def test_patterns(chosen, left_out, is_chosen):
    assert generate.is_chosen("orders", chosen, left_out) is is_chosen


class TestWriting:
    """What is written a second time, by a file's state."""

    @pytest.fixture
    def folder(self, tmp_path):
        generate.write(tmp_path, self.report(tmp_path, plan()).files)
        return tmp_path

    def report(self, folder, *plans, force=False, settings=None):
        return generate.report(folder, "shop", "mariadb", settings or {}, plans, force)

    def edit(self, folder, path, old, new):
        file = folder / "models" / path
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    def test_the_same_again_writes_nothing(self, folder):
        again = self.report(folder, plan())
        assert (again.files, again.kept, again.refused) == ({}, [], [])

    def test_another_table_is_added(self, folder):
        """And daily models, once the source has a watermark."""
        generate.write(folder, {"models/ops/watermarks.sql": "select 'shop' as source_name\n"})
        again = self.report(folder, plan(), plan("products"))
        assert (again.kept, again.refused) == ([], [])
        assert {Path(path).name for path in again.files} == {
            *("_shop__sources.yml", "_shop__models.yml", "_shop__mirrors.yml", "_shop__daily.yml"),
            *("stg_shop__products.sql", "mirror_shop__products.sql", "daily_shop__products.sql"),
            "daily_shop__orders.sql",
        }

    def test_a_setting_is_changed(self, folder):
        again = self.report(folder, plan(), settings={"decimal.handling.mode": "string"})
        assert [Path(path).name for path in again.files] == ["_shop__sources.yml"]
        assert again.refused == []

    def test_an_edited_file_stays(self, folder):
        self.edit(folder, "mirror/shop/mirror_shop__orders.sql", "['id']", "['id'],\n    buckets=4")
        self.edit(folder, "mirror/shop/_shop__mirrors.yml", "One row per row", "One order")
        again = self.report(folder, plan())
        assert (again.files, again.refused) == ({}, [])
        assert sorted(Path(path).name for path in again.kept) == [
            "_shop__mirrors.yml",
            "mirror_shop__orders.sql",
        ]
        assert {*self.report(folder, plan(), force=True).files} == {*again.kept}

    @pytest.mark.parametrize(
        "path", ["staging/shop/_shop__sources.yml", "mirror/shop/_shop__mirrors.yml"]
    )
    def test_an_edited_file_that_lacks_a_table_is_refused(self, folder, path):
        self.edit(folder, path, "description: ", "description:  ")
        again = self.report(folder, plan(), plan("products"))
        assert again.refused == [f"models/{path}"]

    def test_what_is_described_is_not_taken_out(self, folder):
        """A table whose raw table is gone: only --force takes it out."""
        again = self.report(folder, plan("products"))
        assert len(again.refused) == 3
