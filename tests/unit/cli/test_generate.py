"""The files of a generated source, and what may be written over."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from lakemirror.cli import generate, generated_files
from lakemirror.cli.declared import declared_connector, declared_source
from lakemirror.cli.errors import CallError, GenerateError
from lakemirror.cli.source_tables import SourceTable
from lakemirror.cli.templates import Plan, files
from lakemirror.source.database import DatabaseColumn, DatabaseTable
from support.small_lake import raw_record, raw_table

PAID = [DatabaseColumn(n, t, True, None, None) for n, t in (("id", "int"), ("paid", "money"))]
SOURCE_YAML = "sources:\n  - name: shop\n    config: {{meta: {{debezium: {}}}}}\n    tables: []\n"
PROJECT = Path(__file__).parents[3]
HOSTILE = "a`; drop table x; -- '{"


def plan(name="orders", key=("id",), **more):
    more = {"topic": f"shop.shop.{name}"} | more
    return Plan(source="shop", name=name, connector="mariadb", key=[*key], **more)


def made(*plans, heartbeat=None):
    settings = {"decimal.handling.mode": "string"}
    return files("shop", "mariadb", settings, plans, heartbeat or plans[0], bool(heartbeat))


@pytest.mark.parametrize("name", ["customers", "products"])
def test_models_are_as_the_projects_own(name):
    key = {"customers": "id", "products": "sku"}[name]
    beating = plan("heartbeat")
    texts = made(plan(name, [key]), beating, heartbeat=beating)
    for path in (
        *(f"staging/shop/stg_shop__{name}.sql", f"mirror/shop/mirror_shop__{name}.sql"),
        *(f"daily/shop/daily_shop__{name}.sql", "ops/shop/watermark_shop.sql"),
        *("ops/shop/_shop__ops.yml", "staging/shop/stg_shop__heartbeat.sql"),
    ):
        assert texts[f"models/{path}"] == (PROJECT / "models" / path).read_text(encoding="utf-8")
    assert "models/daily/shop/daily_shop__heartbeat.sql" not in texts


def test_a_masked_view_shows_what_is_said_to_be_free():
    free = {"name": "id", "config": {"meta": {"pii": False}}}
    table = plan(columns=["id", "name"], declared={"columns": [free, {"name": "name"}]})
    texts = files("shop", "mariadb", {}, [table], table, False, is_masked=True)
    view = texts["models/masked/shop/masked_shop__orders.sql"]
    assert "materialized='view'" in view
    assert "masked(ref('mirror_shop__orders'))" in view
    [model] = yaml.safe_load(texts["models/masked/shop/_shop__masked.yml"])["models"]
    tags = {column["name"]: column["config"]["meta"]["pii"] for column in model["columns"]}
    assert tags == {"id": False, "name": True}
    assert not any("masked" in path for path in made(table))


def test_a_vitess_keyspace_is_heard_by_shard():
    beating = replace(plan("heartbeat"), source="commerce", connector="vitess")
    texts = files("commerce", "vitess", {}, [beating], beating, True)
    for path in ("ops/commerce/watermark", "staging/commerce/stg"):
        name = "" if path.startswith("ops") else "__heartbeat"
        file = f"models/{path}_commerce{name}.sql"
        assert texts[file] == (PROJECT / file).read_text(encoding="utf-8")


def test_the_name_of_the_databases_variable_is_kept():
    texts = files("shop", "mariadb", {}, [plan()], plan(), False, database_env="SHOP_URL")
    [source] = yaml.safe_load(texts["models/staging/shop/_shop__sources.yml"])["sources"]
    assert source["config"]["meta"]["database_env"] == "SHOP_URL"
    assert "database_env" not in made(plan())["models/staging/shop/_shop__sources.yml"]


def test_a_source_without_heartbeats_says_so(tmp_path):
    plans = [plan("orders", records=5), plan("receipts", records=9)]
    heard_by, is_heartbeat = generated_files.heartbeat_of(plans)
    assert (heard_by.name, is_heartbeat) == ("receipts", False)
    assert "'newest event' as proof" in made(*plans)["models/ops/shop/watermark_shop.sql"]
    watermark = tmp_path / "models/ops/shop/watermark_shop.sql"
    watermark.parent.mkdir(parents=True)
    watermark.write_text("select 'newest event' from {{ landed(ref('stg_shop__orders')) }}")
    kept = generated_files.heard_by_of(tmp_path, "shop", plans)
    assert (kept[0].name, kept[1]) == ("orders", False)
    beaten = [plan(name, is_beaten=True) for name in ("device_heartbeats", "heartbeat")]
    beating = generated_files.heartbeat_of([*plans, *beaten])
    assert (beating[0].name, beating[1]) == ("heartbeat", True)


@pytest.mark.parametrize(
    "path", ["staging/shop/_shop__sources.yml", "staging/shop/_shop__models.yml"]
)
def test_yaml_is_as_the_projects_own(path):
    """H13: the shop's own files say no more than what is generated of them, and no less."""
    own = (PROJECT / "models" / path).read_text(encoding="utf-8")
    declared = declared_source(PROJECT, "shop")
    tables = {table["name"]: table for table in declared["tables"]}
    found = made(*(plan(name, declared=table) for name, table in tables.items()))
    assert yaml.safe_load(found[f"models/{path}"]) == yaml.safe_load(own)


def test_a_key_of_several_columns_is_tested_as_one():
    texts = made(plan("order_items", ["order_id", "line_no"]))
    [model] = yaml.safe_load(texts["models/mirror/shop/_shop__mirrors.yml"])["models"]
    columns = {"columns": ["order_id", "line_no"]}
    combination = {"unique_combination": {"arguments": columns}}
    assert model["data_tests"] == ["columns_of_source", "no_open_quarantine", combination]
    assert [c["data_tests"] for c in model["columns"][:2]] == [["not_null"]] * 2


def test_hostile_names_and_comments_stay_data():
    """Case 65: one string of Jinja, one of YAML, and dbt renders nothing of a comment."""
    comment = "{{ run_query('drop table x') }} {% raw %}: # 🍕\u2028\x85\"\n"
    texts = made(plan(key=[HOSTILE, "Order"], comment=comment, column_comments={"n": comment}))
    sql = texts["models/mirror/shop/mirror_shop__orders.sql"]
    assert "unique_key=[\"a`; drop table x; -- '{\", 'Order']," in sql
    for path in (p for p in texts if p.endswith(".yml")):
        assert "{{ run" not in texts[path]
        assert "{%" not in texts[path]
    [model] = yaml.safe_load(texts["models/mirror/shop/_shop__mirrors.yml"])["models"]
    assert "{ { run_query('drop table x') }} { % raw %}: # 🍕\u2028\x85\"" in model["description"]
    assert model["columns"][2]["description"] == comment.replace("{{", "{ {").replace("{%", "{ %")
    assert [(c["name"], c.get("quote")) for c in model["columns"][:3]] == [
        (HOSTILE, True),
        ("Order", True),
        ("n", None),
    ]


def test_what_yaml_says_of_a_table_and_its_columns_stays():
    """Also what nobody here reads, where a file that nobody has edited is written anew."""
    column = {"name": "label", "data_type": "text", "data_tests": ["not_null"]}
    column["config"] = {"meta": {"renamed_from": "title", "default": "🍕"}}
    meta = {"known_ending": "2026-11-21T10:02:03.000Z", "ignored_columns": ["note"]}
    declared = {"name": "orders", "columns": [column], "tags": ["x"], "config": {"meta": meta}}
    text = made(plan(declared=declared, ignored=["note", "total"]))[
        "models/staging/shop/_shop__sources.yml"
    ]
    [table] = yaml.safe_load(text)["sources"][0]["tables"]
    assert table["columns"] == [column]
    assert table["tags"] == ["x"]
    assert table["config"] == {"meta": {**meta, "ignored_columns": ["note", "total"]}}


def test_a_large_table_has_buckets():
    sql = made(plan(rows=1_000_000))["models/mirror/shop/mirror_shop__orders.sql"]
    assert "        unique_key=['id'],\n        buckets=16,\n" in sql


def test_a_table_with_a_column_ds_has_no_daily_table():
    texts = made(plan("orders"), plan("calendar", has_day=True))
    assert "models/mirror/shop/mirror_shop__calendar.sql" in texts
    assert "models/daily/shop/daily_shop__calendar.sql" not in texts
    assert "calendar" not in texts["models/daily/shop/_shop__daily.yml"]
    assert "models/daily/shop/daily_shop__orders.sql" in texts


def test_a_table_without_a_key_has_a_log():
    texts = made(plan(), plan("visits", []))
    assert "materialized='log'" in texts["models/log/shop/log_shop__visits.sql"]
    assert "models/mirror/shop/mirror_shop__visits.sql" not in texts
    assert "models/daily/shop/daily_shop__visits.sql" not in texts
    [model] = yaml.safe_load(texts["models/log/shop/_shop__logs.yml"])["models"]
    assert model["name"] == "log_shop__visits"
    assert model["data_tests"] == ["columns_of_source", "no_open_quarantine"]
    alone = made(plan("visits", []))
    assert [path for path in alone if "mirror" in path or "daily" in path] == []


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        (["a"], "--setting a is not NAME=VALUE"),
        (["=a"], "--setting =a is not NAME=VALUE"),
        (["decimal.handling.mod=string"], "did you mean decimal.handling.mode?"),
        (["topic.prefix=x"], "there are bigint.unsigned.handling.mode, binary"),
    ],
)
def test_settings_that_cannot_be_given(settings, problem):
    with pytest.raises(CallError, match=re.escape(problem)):
        generate.given_settings(settings)


def test_settings_in_any_case_and_numbers_of_yaml(tmp_path):
    """Both are asked of the events as Debezium spells them."""
    debezium = {"connector": "postgresql", "money.fraction.digits": 2}
    source = {"name": "shop", "config": {"meta": {"debezium": debezium}}, "tables": []}
    given = generate.given_settings(["decimal.handling.mode=STRING"])
    found = SourceTable("shop", "orders", raw_table(tmp_path, [raw_record(1, id=1, paid="1.50")]))
    found.describe(DatabaseTable(PAID, ["id"], None, 1), print)
    settings = declared_connector(source) | given
    del settings["connector"]
    shown = generate.infer([found], "postgresql", settings, print)
    assert shown.settings == {"decimal.handling.mode": "string", "money.fraction.digits": "2"}


def test_a_source_edited_to_other_spellings_is_as_it_would_be():
    there = SOURCE_YAML.format("{connector: postgresql, money.fraction.digits: 2}")
    wanted = SOURCE_YAML.format('{connector: postgresql, money.fraction.digits: "2"}')
    assert generated_files.completed(there, wanted) == there


def test_patterns_that_match_nothing():
    tables = {name: SourceTable("shop", name, None) for name in ("orders", "lines")}
    with pytest.raises(
        GenerateError, match="--include ordres matches no table of the source shop; did"
    ):
        generate.chosen_tables("shop", tables, ["ordres"], [])
    with pytest.raises(
        GenerateError, match=r"--exclude x\* matches no table .*, which has orders, lines"
    ):
        generate.chosen_tables("shop", tables, [], ["x*"])
    with pytest.raises(GenerateError, match="the patterns leave no table"):
        generate.chosen_tables("shop", tables, ["orders"], ["o*"])
    with pytest.raises(
        GenerateError, match=r"source shp; did you mean shop[?] .* is of cafe, shop"
    ):
        generate.chosen_tables("shp", {}, [], [], ["shop", "cafe"])
    [chosen] = generate.chosen_tables("shop", tables, ["o*"], [])
    assert chosen.name == "orders"


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
        generated_files.write(tmp_path, self.report(tmp_path, plan()).files)
        return tmp_path

    def report(self, folder, *plans, force=False, settings=None):
        return generated_files.report(folder, "shop", "mariadb", settings or {}, plans, force)

    def edit(self, folder, path, old, new):
        file = folder / "models" / path
        file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")

    def test_the_same_again_writes_nothing(self, folder):
        again = self.report(folder, plan())
        assert (again.files, again.kept, again.refused) == ({}, [], [])

    def test_another_table_is_added(self, folder):
        again = self.report(folder, plan(), plan("products"))
        assert (again.kept, again.refused) == ([], [])
        assert {Path(path).name for path in again.files} == {
            *("_shop__sources.yml", "_shop__models.yml", "_shop__mirrors.yml", "_shop__daily.yml"),
            *("stg_shop__products.sql", "mirror_shop__products.sql", "daily_shop__products.sql"),
        }

    def test_a_setting_is_changed(self, folder):
        again = self.report(folder, plan(), settings={"decimal.handling.mode": "string"})
        assert [Path(path).name for path in again.files] == ["_shop__sources.yml"]
        assert again.refused == []

    def test_an_edited_file_stays(self, folder):
        edit = "['id'],\n        merge_mode='copy-on-write'"
        self.edit(folder, "mirror/shop/mirror_shop__orders.sql", "['id']", edit)
        self.edit(folder, "mirror/shop/_shop__mirrors.yml", "One row per row", "One order")
        again = self.report(folder, plan())
        assert (again.files, again.refused) == ({}, [])
        assert again.kept == ["models/mirror/shop/mirror_shop__orders.sql"]
        forced = {Path(path).name for path in self.report(folder, plan(), force=True).files}
        assert forced == {"_shop__mirrors.yml", "mirror_shop__orders.sql"}

    def test_a_deleted_model_stays_deleted(self, folder):
        """Nor does its description come back; a table that comes later has all of its models."""
        daily = "models/daily/shop/daily_shop__orders.sql"
        (folder / daily).unlink()
        (folder / "models/daily/shop/_shop__daily.yml").unlink()
        again = self.report(folder, plan())
        assert (again.files, again.deleted) == ({}, [daily])
        both = self.report(folder, plan(), plan("products"))
        assert "models/daily/shop/daily_shop__products.sql" in both.files
        assert "orders" not in both.files["models/daily/shop/_shop__daily.yml"]
        forced = self.report(folder, plan(), force=True)
        assert (daily in forced.files, forced.deleted) == (True, [])

    def test_a_table_whose_models_are_all_gone_is_new(self, folder):
        (folder / "models/staging/shop/stg_shop__orders.sql").unlink()
        (folder / "models/mirror/shop/mirror_shop__orders.sql").unlink()
        again = self.report(folder, plan())
        assert again.deleted == []
        assert {Path(path).name for path in again.files} == {
            *("stg_shop__orders.sql", "mirror_shop__orders.sql")
        }

    def test_a_table_that_gets_a_key_gets_its_mirror(self, tmp_path):
        generated_files.write(tmp_path, self.report(tmp_path, plan(key=())).files)
        again = self.report(tmp_path, plan())
        assert again.deleted == []
        assert "models/mirror/shop/mirror_shop__orders.sql" in again.files

    def test_buckets_stay(self, folder):
        """A table is rebucketed by its own operation, and a database is not always asked."""
        again = self.report(folder, plan(rows=1_000_000))
        assert (again.files, again.kept) == ({}, [])

    @pytest.mark.parametrize(
        "path", ["staging/shop/_shop__sources.yml", "mirror/shop/_shop__mirrors.yml"]
    )
    def test_a_table_is_added_to_an_edited_file(self, folder, path):
        self.edit(folder, path, "description: ", "description:  ")
        self.edit(folder, path, "models:\n", "models: # mine\n")
        there = (folder / "models" / path).read_text(encoding="utf-8")
        again = self.report(folder, plan(), plan("products"))
        assert (again.kept, again.refused) == ([], [])
        text = again.files[f"models/{path}"]
        assert text.startswith(there.rstrip("\n"))
        assert "products" in text
        assert not generated_files.is_unedited(text)

    def test_what_cannot_be_added_is_refused(self, folder):
        file = folder / "models/mirror/shop/_shop__mirrors.yml"
        content = yaml.safe_load(file.read_text(encoding="utf-8"))
        file.write_text(json.dumps(content), encoding="utf-8")
        again = self.report(folder, plan(), plan("products"))
        assert again.refused == ["models/mirror/shop/_shop__mirrors.yml"]

    @pytest.mark.parametrize(
        "wanted",
        [
            {"settings": {"decimal.handling.mode": "string"}},
            {"declared": {"columns": [{"name": "id", "data_type": "int"}]}},
            {"declared": {"columns": [{"name": "n", "config": {"meta": {"default": "5"}}}]}},
        ],
    )
    def test_an_edited_source_that_lacks_what_is_needed_is_refused(self, folder, wanted):
        path = "staging/shop/_shop__sources.yml"
        has_default = "config" in str(wanted)
        there = {"columns": [{"name": "n"}]} if has_default else {}
        generated_files.write(folder, self.report(folder, plan(declared=there), force=True).files)
        self.edit(folder, path, "description: ", "description:  ")
        wanted = {**wanted}
        settings = wanted.pop("settings", {})
        again = self.report(folder, plan(**wanted), settings=settings)
        assert again.refused == [f"models/{path}"]

    def test_what_is_described_is_not_taken_out(self, folder):
        """A table whose raw table is gone: only --force takes it out."""
        again = self.report(folder, plan("products"))
        assert again.refused == []
        lists = [text for path, text in again.files.items() if path.endswith(".yml")]
        assert len(lists) == 4
        for text in lists:
            assert ("orders" in text, "products" in text) == (True, True)
            assert generated_files.is_unedited(text)
