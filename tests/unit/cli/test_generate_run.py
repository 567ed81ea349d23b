"""The whole command, on a lake that PyIceberg alone has written."""

import json
import re

import pyarrow as pa
import pytest
import yaml

from lakemirror.cli import doctor, evidence, generate
from lakemirror.cli.declared import declared_source
from lakemirror.cli.errors import RIGHT, WRONG, CommandError
from lakemirror.cli.source_tables import tables_of
from lakemirror.landing.topics import TOPIC_PROPERTY
from lakemirror.source.database import DatabaseColumn, DatabaseTable
from lakemirror.source.lake_types import LakeTypes
from support.small_lake import add_table, small_lake

BLOCK = {"connector": "mariadb", "name": "shop", "db": "shop", "file": "b.1", "pos": 4, "row": 0}


def event(table, op="c", key="id", **row):
    """A record: its key and its value."""
    before, after = (row, None) if op == "d" else (None, row)
    value = {"op": op, "before": before, "after": after, "source": {**BLOCK, "table": table}}
    names = {name: row[name] for name in key.split()} if key else None
    return json.dumps(names) if names else None, json.dumps(value)


class Project:
    """A project with a source whose columns its YAML declares."""

    def __init__(self, folder):
        self.folder = folder
        self.catalog = small_lake(folder, {})
        (folder / "dbt_project.yml").write_text("name: shop\nprofile: shop\n", encoding="utf-8")
        self.tables, self.progress = [], []

    def land(self, name, *records, **types):
        """A raw table of some records, and its columns as YAML declares them."""
        count = len(records)
        rows = pa.table(
            {
                "key": pa.array([key for key, _ in records], pa.string()),
                "value": pa.array([value for _, value in records], pa.string()),
                "_kfk_offset": pa.array(range(count), pa.int64()),
                "_src_ts": pa.array([1] * count, pa.timestamp("us", "UTC")),
                "_landed_at": pa.array([1] * count, pa.timestamp("us", "UTC")),
            }
        )
        table = add_table(self.catalog, f"raw.shop__{name}", rows)
        with table.transaction() as transaction:
            transaction.set_properties({TOPIC_PROPERTY: f"shop.shop.{name}"})
        columns = [{"name": column, "data_type": kind} for column, kind in types.items()]
        self.declare({"name": name, "columns": columns} if columns else None)

    def declare(self, table=None, **source):
        self.tables += [table] if table else []
        content = {"sources": [{"name": "shop", "tables": self.tables, **source}]}
        self.write("models/staging/shop/_shop__sources.yml", yaml.safe_dump(content))

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def generate(self, **asked):
        request = generate.Request("shop", **{"is_forced": True, **asked})
        environment = {"LAKEMIRROR_LAKE": str(self.folder / "lake")}
        done = generate.run(self.folder, environment, request, self.progress.append)
        return done.code, "\n".join(done.lines)

    def has(self, model):
        return any((self.folder / "models").rglob(f"{model}.sql"))


@pytest.fixture
def project(tmp_path):
    return Project(tmp_path)


def test_a_table_without_a_mirror_is_wrong(project):
    """B10: the others are written."""
    project.land("orders", event("orders", id=1), id="int")
    assert project.generate()[0] == RIGHT
    project.land("strange", event("strange", id=1), id="what")
    code, said = project.generate()
    assert code == WRONG
    assert "no mirror of strange: column id: the type what" in said
    assert "1 of 2 tables have their models. --exclude leaves out" in said
    assert (project.has("mirror_shop__orders"), project.has("mirror_shop__strange")) == (
        True,
        False,
    )


def test_a_table_with_a_column_ds_has_no_daily_table(project):
    """B9: it is said, with what mends it, and a build does not meet it."""
    project.land("calendar", event("calendar", id=1, ds=20484), id="int", ds="date")
    project.land("orders", event("orders", id=1), id="int")
    code, said = project.generate()
    assert code == RIGHT
    assert "no daily table of calendar: it has a column ds, and so is called the day" in said
    assert project.has("mirror_shop__calendar")
    assert [project.has(f"daily_shop__{name}") for name in ("calendar", "orders")] == [False, True]


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"tables": [{"identifier": "x"}]}, "a table of the source shop has no name: {'identifier"),
        (
            {"tables": [{"name": "orders", "columns": ["id"]}]},
            "a column of orders has no name: 'id' is to be a mapping with `name`",
        ),
        (
            {"config": {"meta": {"debezium": "mariadb"}}},
            "config.meta.debezium is 'mariadb', and has the connector and its settings by their",
        ),
        (
            {"config": {"meta": {"lake_types": {"'x'": "string"}}}},
            "config.meta.lake_types: 'x' is the name of no type",
        ),
    ],
)
def test_yaml_that_cannot_be_meant_so(project, declared, problem):
    """B13: one sentence, and nothing is written."""
    project.land("orders", event("orders", id=1))
    project.declare(**declared)
    with pytest.raises(CommandError, match=re.escape(problem)) as raised:
        project.generate()
    assert raised.value.code == WRONG
    assert not project.has("stg_shop__orders")


def test_the_doctor_says_what_the_yaml_of_a_source_cannot_mean(project):
    """B13: a source without a readable connector is not left out in silence."""
    project.land("orders", event("orders", id=1), id="int")
    project.declare(config={"meta": {"debezium": "mariadb"}})
    found = [str(finding) for finding in doctor.check_lake(project.catalog, project.folder)]
    assert any("source shop: config.meta.debezium is 'mariadb'" in text for text in found), found


def test_a_model_that_is_no_utf_8(project):
    """B13."""
    project.land("orders", event("orders", id=1), id="int")
    project.generate()
    model = project.folder / "models/mirror/shop/mirror_shop__orders.sql"
    model.write_bytes(b"-- \xe9\n")
    with pytest.raises(CommandError, match=r"mirror_shop__orders.sql cannot be read: 'utf-8' .*"):
        project.generate()


def test_a_file_where_a_folder_is_due(project):
    """B13."""
    project.land("orders", event("orders", id=1), id="int")
    project.write("models/mirror", "")
    with pytest.raises(CommandError, match=r"cannot be written: .*\. 1 of 9 files are; run it"):
        project.generate()


def test_a_list_of_models_without_a_name(project):
    """B13: nothing can be added to it."""
    project.land("orders", event("orders", id=1), id="int")
    project.write("models/mirror/shop/_shop__mirrors.yml", "models:\n  - description: x\n")
    code, said = project.generate(is_forced=False)
    assert (code, "_shop__mirrors.yml: edited, and without" in said) == (WRONG, True)


def planned(project, name, database):
    """The plan of a table that has landed, of which its database says this; and what is said."""
    declared = declared_source(project.folder, "shop")
    table = tables_of(project.catalog, "shop", declared)[name]
    table.describe(database, lambda line: None)
    found, problems = generate.plans([table], "mariadb", {}, LakeTypes())
    return found, problems, "\n".join(generate.about_columns([table], "mariadb", {}))


@pytest.mark.parametrize("key", [["id"], []])
def test_keys_that_nobody_can_read(project, key):
    """B17: the database says the key; that there is none must be said by somebody, too."""
    _, value = event("orders", id=1)
    project.land("orders", ("Struct{id=1}", value), id="int")
    code, said = project.generate()
    assert (code, project.has("log_shop__orders")) == (WRONG, False)
    assert "no mirror of orders: the keys of its records are no JSON, such as 'Struct{id" in said
    database = DatabaseTable([DatabaseColumn("id", "int")], key)
    [plan], problems, said = planned(project, "orders", database)
    assert (plan.key, problems) == (key, {})
    assert ("shop.orders has the database's key (id): the keys of" in said) == bool(key)


def test_a_history_and_records_with_another_key(project):
    """B18."""
    project.land("orders", event("orders", key="code", id=1, code=2), id="int", code="int")
    table = tables_of(project.catalog, "shop", {})["orders"]
    for key, is_told in (["id"], True), (["CODE"], False), (["code", "id"], True):
        table.__dict__["schema"] = {"key": key}
        told = [*generate.about_key(table)]
        assert bool(told) is is_told
    assert "(code, id) in raw.schema_history, and its records have (code): an upd" in told[0]


def test_a_column_that_is_left_out_though_the_history_knows_it(project):
    """A technical name refuses a table, and `ds` its days, until its YAML leaves the column out."""
    project.land("orders", event("orders", id=1, ds=2, _op=3), id="int")
    columns = [{"name": name, "data_type": "int", "comment": None} for name in ("id", "ds", "_op")]
    for left_out, has_day in (([], []), (["_op"], [True]), (["_op", "ds"], [False])):
        declared = {"name": "orders", "config": {"meta": {"ignored_columns": left_out}}}
        table = tables_of(project.catalog, "shop", {"tables": [declared]})["orders"]
        table.__dict__["schema"] = {"key": ["id"], "columns": columns}
        found, problems = generate.plans([table], "mariadb", {}, LakeTypes())
        assert [plan.has_day for plan in found] == has_day
        assert ("ignored_columns of its YAML" in str(problems)) == (not left_out)


def test_the_key_of_the_records_goes_before_the_databases(project):
    project.land("orders", event("orders", key="code", id=1, code=2), id="int", code="int")
    database = DatabaseTable([DatabaseColumn(name, "int") for name in ("id", "code")], ["id"])
    [plan], _, said = planned(project, "orders", database)
    assert plan.key == ["code"]
    assert "has the key (id) in the database, and its records have (code)" in said


def beats(table, op, *keys):
    return [event(table, op, id=key, n=place) for place, key in enumerate(keys)]


@pytest.mark.parametrize(
    ("records", "is_taken"),
    [
        (beats("heartbeat", "c", 1), True),
        (beats("heartbeat", "u", 1, 1, 1), True),
        (beats("heartbeat", "u", 1, 2, 1, 2), True),
        (beats("heartbeat", "c", 1, 2, 3), False),
        (beats("heartbeat", "u", *range(40), *range(40)), False),
    ],
)
def test_a_table_of_heartbeats_has_few_rows_that_are_overwritten(project, records, is_taken):
    """B15: its name alone does not make an application's table one."""
    project.land("orders", event("orders", id=1), event("orders", id=2), id="int")
    project.land("device_heartbeats", *records, id="int", n="int")
    _, said = project.generate()
    assert project.has("daily_shop__device_heartbeats") is not is_taken
    assert ("by the heartbeats of device_heartbeats, which has no daily table" in said) is is_taken
    assert ("device_heartbeats: not taken for heartbeats" in said) is not is_taken
    watermark = (project.folder / "models/ops/shop/watermark_shop.sql").read_text("utf-8")
    assert ("'heartbeats' as proof" in watermark) is is_taken


def test_heartbeats_that_land_later(project):
    """B15: they are offered; what is deleted is written anew, with what its staging needs."""
    project.land("orders", event("orders", id=1), event("orders", id=2), id="int")
    project.generate()
    project.land("heartbeat", *beats("heartbeat", "u", 1, 1), id="int", n="int")
    watermark = project.folder / "models/ops/shop/watermark_shop.sql"
    staging = project.folder / "models/staging/shop/stg_shop__heartbeat.sql"
    for _ in range(2):
        _, said = project.generate()
        assert "heartbeat has heartbeats since: to go by them, delete models/ops/shop/water" in said
        assert "newest event" in watermark.read_text("utf-8")
        assert "_src_read_ts" not in staging.read_text("utf-8")
    watermark.unlink()
    code, said = project.generate(is_forced=False)
    assert (code, "kept" in said) == (RIGHT, False)
    assert "'heartbeats' as proof" in watermark.read_text("utf-8")
    assert "_src_read_ts" in staging.read_text("utf-8")
    assert "by the heartbeats of heartbeat" in said


@pytest.mark.parametrize(("pause", "is_shown"), [(-1, True), (3600, False)])
def test_long_work_says_how_far_it_is(project, monkeypatch, pause, is_shown):
    """A line after each pause, while values are looked for that tell a setting."""
    for name, value in {"FIRST": 1, "BATCH": 1, "ROUND": 1, "PAUSE": pause}.items():
        monkeypatch.setattr(evidence, name, value)
    records = [event("orders", id=n, paid=value) for n, value in enumerate(["1234", "1234", "150"])]
    project.land("orders", *records, id="int", paid="decimal(9,0)")
    code, said = project.generate()
    assert code == RIGHT
    assert "decimal.handling.mode=string: from shop.orders.paid, '150'" in said
    lines = "".join(project.progress).splitlines()
    shown = "looking for values of shop.orders: paid; 3 records read"
    assert (lines[-1:] == [shown]) is is_shown
    assert bool(lines) is is_shown
