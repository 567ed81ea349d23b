"""The adapter: a table keeps its identity, a session its settings, an error its cause."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any

import pytest
from pyspark.sql import SparkSession

from lakemirror import java
from support.lake import Lake, messages
from support.small_project import Project

UNLISTABLE_TABLES = (
    """
    insert into iceberg_tables
    select catalog_name, table_namespace, '', metadata_location, null, 'TABLE' from iceberg_tables
    """,
    "delete from iceberg_tables where table_name = ''",
)
UNLISTABLE_SCHEMAS = (
    "insert into iceberg_namespace_properties values ('lake', 'a' || char(0), 'exists', 'true')",
    "delete from iceberg_namespace_properties where namespace like 'a%'",
)


@pytest.fixture
def project(lake: Lake) -> Project:
    return Project(lake)


@contextmanager
def damaged(lake: Lake, damage: str, repair: str) -> Iterator[None]:
    """The catalog with a row that no listing can read; the tables themselves are sound."""
    catalog = sqlite3.connect(lake.folder / "catalog.db", isolation_level=None)
    catalog.execute(damage)
    yield
    catalog.execute(repair)
    catalog.close()


def results(result: Any) -> dict[str, str]:
    """What a run said about each of its nodes but hooks."""
    found = result.result.results
    return {r.node.name: r.message for r in found if r.node.resource_type != "operation"}


def test_a_failed_listing_is_an_error_and_never_absence(project: Project) -> None:
    """F39: a table that cannot be listed is there all the same, and is not built anew."""
    project.write(
        "models/grown.sql",
        "{{ config(materialized='incremental', incremental_strategy='append') }} select 1 as n",
    )
    project.dbt("run")
    before = project.identity("grown")
    for unlistable, cause in [
        (UNLISTABLE_TABLES, "Invalid table name"),
        (UNLISTABLE_SCHEMAS, "null-byte"),
    ]:
        with damaged(project.lake, *unlistable):
            refused = project.dbt("run", fails=True)
        assert cause in messages(refused)
        assert project.identity("grown") == before
    project.dbt("run")
    uuid, snapshots = project.identity("grown")
    assert (uuid, snapshots[:-1]) == before
    assert project.rows("grown") == [{"n": 1}, {"n": 1}]


def test_a_table_is_replaced_and_never_dropped(project: Project) -> None:
    """F39, F40: by a rerun and by --full-refresh, from SQL and from Python."""
    append = "materialized='incremental', incremental_strategy='append'"
    project.write("models/plain.sql", "select 1 as n")
    project.write("models/grown.sql", f"{{{{ config({append}) }}}} select 1 as n")
    for name, config in {"plain_frame": "materialized='table'", "grown_frame": append}.items():
        project.write(
            f"models/{name}.py",
            f"""
            def model(dbt, session):
                dbt.config({config})
                return session.sql("select 1 as n")
            """,
        )
    names = ("plain", "plain_frame", "grown", "grown_frame")
    uuids: dict[str, set[str]] = {name: set() for name in names}
    before: dict[str, list[int]] = {name: [] for name in names}
    for arguments, grown in [((), 1), ((), 2), (("--full-refresh",), 1)]:
        project.dbt("run", *arguments)
        for name in names:
            uuid, snapshots = project.identity(name)
            assert snapshots[:-1] == before[name], name
            uuids[name].add(uuid)
            before[name] = snapshots
            assert len(project.rows(name)) == (grown if "grown" in name else 1), name
    assert {name: len(found) for name, found in uuids.items()} == dict.fromkeys(names, 1)


def test_two_first_runs_at_once(project: Project) -> None:
    """W6: what another run has written meanwhile stays. Of a query, the later run says so."""
    append = "materialized='incremental', incremental_strategy='append'"
    project.write(
        "models/grown_frame.py",
        f"""
        def model(dbt, session):
            dbt.config({append})
            if not dbt.is_incremental:
                session.sql("create table marts.grown_frame using iceberg as select 1 as m, 1 as n")
            return session.sql("select 2 as n, 2 as m")
        """,
    )
    project.dbt("run")
    assert sorted(row["m"] for row in project.rows("grown_frame")) == [1, 2]
    assert all(row["m"] == row["n"] for row in project.rows("grown_frame"))
    other = "create table {{ this }} using iceberg as select 1 as n"
    project.write(
        "models/grown.sql", f'{{{{ config({append}, pre_hook="{other}") }}}} select 2 as n'
    )
    refused = project.dbt("run", "--select", "grown", fails=True)
    assert "already exists" in messages(refused)
    assert project.rows("grown") == [{"n": 1}]


def test_a_seed_is_replaced_and_never_dropped(project: Project) -> None:
    """F40: who reads a seed's table while it is loaded again finds a table, and its history."""
    project.write("seeds/rates.csv", "currency,rate\neur,1.5\n")
    project.dbt("seed")
    uuid, snapshots = project.identity("rates")
    project.write("seeds/rates.csv", "currency,rate\neur,1.5\nusd,2.5\n")
    project.dbt("seed")
    assert [row["currency"] for row in project.rows("rates")] == ["eur", "usd"]
    again, grown = project.identity("rates")
    assert again == uuid
    assert grown[: len(snapshots)] == snapshots


def test_a_view_does_not_take_the_name_of_a_table(project: Project) -> None:
    """F40: a model whose materialization is edited does not drop what it has built."""
    project.write("models/numbers.sql", "select 1 as n")
    project.dbt("run")
    before = project.identity("numbers")
    project.write("models/numbers.sql", "{{ config(materialized='view') }} select 1 as n")
    refused = project.dbt("run", fails=True)
    assert "marts.numbers is a table" in messages(refused)
    assert project.identity("numbers") == before


def test_a_table_takes_the_name_of_a_view(project: Project) -> None:
    """Iceberg's views are built, read, listed, and give way to the table of the same model."""
    project.write("models/numbers.sql", "{{ config(materialized='view') }} select 1 as n")
    project.write("models/doubled.sql", "select 2 * n as n from {{ ref('numbers') }}")
    for materialized in ("view", "table"):
        project.write(
            "models/numbers.sql",
            f"{{{{ config(materialized='{materialized}') }}}} select 1 as n",
        )
        project.dbt("run")
        assert project.rows("doubled") == [{"n": 2}]
        project.dbt("--write-json", "docs", "generate")
        nodes = project.artifact("catalog.json")["nodes"]
        assert nodes["model.small.numbers"]["metadata"]["type"] == materialized
    assert project.rows("numbers") == [{"n": 1}]


@pytest.mark.parametrize("threads", [1, 4])
def test_settings_and_temporary_views_stay_in_their_model(project: Project, threads: int) -> None:
    """F41: neither a model beside nor one that gets the same session later sees them."""
    owned = ("first", "second", "third")
    for name in owned:
        project.write(
            f"models/{name}.sql",
            f"""
            {{{{ config(pre_hook=[
                "set `spark.sql.iceberg.snapshot-property.owner` = `{name}`",
                "create temporary view mine as select '{name}' as owner",
            ]) }}}}
            select owner from mine
            """,
        )
    after = "\n".join(f"-- depends_on: {{{{ ref('{name}') }}}}" for name in owned)
    project.write("models/beside.sql", "select 1 as n")
    project.write("models/after.sql", f"select 1 as n {after}")
    project.write(
        "models/after_frame.py",
        """
        def model(dbt, session):
            dbt.ref("third")
            key = "spark.sql.iceberg.snapshot-property.owner"
            seen = [(session.conf.get(key, None), session.catalog.tableExists("mine"))]
            return session.createDataFrame(seen, "setting string, has_view boolean")
        """,
    )
    project.dbt("run", "--threads", str(threads))
    everything = (*owned, "beside", "after", "after_frame")
    owners = {n: project.table(n).current_snapshot().summary["owner"] for n in everything}
    assert owners == {n: n if n in owned else None for n in everything}
    assert {n: project.rows(n) for n in owned} == {n: [{"owner": n}] for n in owned}
    assert project.rows("after_frame") == [{"setting": None, "has_view": False}]


def test_variables_functions_and_the_schema_stay_in_their_model(project: Project) -> None:
    """F41: what else a session can hold, seen from the model that gets the session next."""
    project.write(
        "models/first.sql",
        """
        {{ config(pre_hook=[
            "declare variable mine string default 'first'",
            "create temporary function mine() returns string return 'first'",
            "use marts",
        ]) }}
        select mine as variable, mine() as function, current_schema() as schema
        """,
    )
    project.write(
        "models/second.py",
        """
        def found(session, expression):
            try:
                return session.sql(f"select {expression}").first()[0]
            except Exception:
                return None

        def model(dbt, session):
            dbt.ref("first")
            seen = [found(session, name) for name in ("mine", "mine()", "current_schema()")]
            return session.createDataFrame(
                [seen], "variable string, function string, schema string"
            )
        """,
    )
    project.dbt("run", "--threads", "1")
    assert project.rows("first") == [{"variable": "first", "function": "first", "schema": "marts"}]
    assert project.rows("second") == [{"variable": None, "function": None, "schema": ""}]


def test_a_python_model_has_partitions_and_properties(project: Project) -> None:
    """A Python model's table is made as a SQL model's is."""
    project.write(
        "models/frame.py",
        """
        def model(dbt, session):
            dbt.config(
                partition_by=["bucket(4, n)", "day"],
                tblproperties={"write.format.default": "orc", "format-version": "3"},
            )
            return session.sql("select 7 as n, date '2026-01-30' as day")
        """,
    )
    project.dbt("run")
    table = project.table("frame")
    fields = [
        (str(f.transform), table.schema().find_column_name(f.source_id))
        for f in table.spec().fields
    ]
    assert fields == [("bucket[4]", "n"), ("identity", "day")]
    assert table.properties["write.format.default"] == "orc"
    assert table.metadata.format_version == 3
    [task] = table.scan().plan_files()
    assert task.file.file_path.endswith(".orc")


def test_an_error_is_its_cause_in_a_few_lines(project: Project) -> None:
    """Whatever of Spark fails, from SQL and from Python, in a query and in a fetch."""
    project.write("models/misspelt.sql", "selekt 1 as n")
    project.write("models/unknown_column.sql", "select nope from range(3)")
    project.write("models/in_a_task.sql", "select 1 / (id - 5) as n from range(9)")
    project.write("tests/in_a_fetch.sql", "select id from range(9) where 1 / (id - 5) > 0")
    for name, query in {
        "frame_query": "select nope from range(3)",
        "frame_code": "1' + 1 + '",
    }.items():
        project.write(
            f"models/{name}.py",
            f"def model(dbt, session):\n    return session.sql('{query}')\n",
        )
    causes = {
        "misspelt": "Syntax error at or near 'selekt'",
        "unknown_column": "`nope` cannot be resolved",
        "in_a_task": "Division by zero",
        "in_a_fetch": "Division by zero",
        "frame_query": "`nope` cannot be resolved",
        "frame_code": "TypeError: can only concatenate str",
    }
    said = results(project.dbt("build", fails=True))
    assert said.keys() == causes.keys()
    for name, cause in causes.items():
        assert cause in said[name]
        assert len(said[name].splitlines()) <= 7, said[name]
        assert not re.search(r"\bat [\w.$]+\(|stacktrace|Py4J|Caused by", said[name]), said[name]


def test_an_error_in_a_python_function_names_its_cause(project: Project) -> None:
    """The cause is the last line of the worker's traceback, and Spark's words come first."""
    project.write(
        "models/frame.py",
        """
        from pyspark.sql.functions import udf

        def price(n):
            raise ValueError(f"no price for {n}")

        def model(dbt, session):
            return session.range(3, 4).select(udf(price)("id").alias("price"))
        """,
    )
    said = results(project.dbt("run", fails=True))["frame"]
    assert "ValueError: no price for 3" in said
    assert len(said.splitlines()) <= 7, said


def test_the_catalog_has_types_and_comments(project: Project) -> None:
    """DDL types as Spark writes them, whole, and descriptions with every sign that SQL could
    mistake."""
    wide = ", ".join(f"'c{n}', {n}" for n in range(30))
    comment = r"""The shop's "prices", in C:\new."""
    project.write(
        "models/prices.sql",
        f"""
        {{{{ config(persist_docs={{'relation': true}}) }}}}
        select
            named_struct({wide}) as wide,
            cast(1.5 as decimal(10, 2)) as price,
            named_struct('id', 1L, 'tags', array('a')) as product,
            map('a', timestamp_ntz '2026-01-30 00:00:00') as times
        """,
    )
    project.write(
        "models/price_view.sql",
        """
        {{ config(materialized='view', persist_docs={'relation': true, 'columns': true}) }}
        select price from {{ ref('prices') }}
        """,
    )
    project.write(
        "models/models.yml",
        f"""
        models:
          - name: prices
            description: {json.dumps(comment)}
          - name: price_view
            description: {json.dumps(comment)}
            columns: [{{name: price, description: The price.}}]
        """,
    )
    project.dbt("run")
    project.dbt("--write-json", "docs", "generate")
    catalog = project.artifact("catalog.json")
    assert catalog["errors"] is None
    prices, view = (catalog["nodes"][f"model.small.{n}"] for n in ("prices", "price_view"))
    assert {name: c["type"] for name, c in prices["columns"].items()} == {
        "price": "decimal(10,2)",
        "product": "struct<id:bigint,tags:array<string>>",
        "times": "map<string,timestamp_ntz>",
        "wide": f"struct<{','.join(f'c{n}:int' for n in range(30))}>",
    }
    assert [c["index"] for c in prices["columns"].values()] == [0, 1, 2, 3]
    assert prices["metadata"]["comment"] == view["metadata"]["comment"] == comment
    assert prices["stats"]["rows"]["value"] == 1
    assert view["columns"]["price"]["comment"] == "The price."


def test_column_comments_are_written(project: Project) -> None:
    """persist_docs of columns: of a table, of one that grows, and of a Python model."""
    comment = r"""The shop's "id", as \d+."""
    docs = "persist_docs={'columns': true}"
    project.write("models/plain.sql", f"{{{{ config({docs}) }}}} select 1 as `the id`")
    project.write(
        "models/grown.sql",
        f"{{{{ config({docs}, materialized='incremental') }}}} select 1 as `the id`",
    )
    project.write(
        "models/frame.py",
        f"""
        def model(dbt, session):
            dbt.config({docs.replace("true", "True")})
            return session.sql("select 1 as `the id`")
        """,
    )
    names = ("plain", "grown", "frame")
    columns = f"columns: [{{name: the id, description: {json.dumps(comment)}}}]"
    models = "\n".join(f"  - {{name: {name}, {columns}}}" for name in names)
    project.write("models/models.yml", f"models:\n{models}\n")
    project.dbt("run")
    project.dbt("--write-json", "docs", "generate")
    nodes = project.artifact("catalog.json")["nodes"]
    for name in names:
        assert project.table(name).schema().find_field("the id").doc == comment, name
        assert nodes[f"model.small.{name}"]["columns"]["the id"]["comment"] == comment, name


def test_core_seconds_are_those_of_a_thread(spark: SparkSession) -> None:
    """Of all its tasks, and of no other thread's that runs meanwhile."""
    naps = spark.range(0, 4, 1, 2).where("java_method('java.lang.Thread', 'sleep', 500L) = 'null'")
    found: dict[str, float | None] = {}

    def nap() -> None:
        with java.as_group(spark) as group:
            assert naps.count() == 4
        found["naps"] = java.core_seconds(spark, group)

    with java.as_group(spark) as group:
        other = Thread(target=nap)
        other.start()
        other.join()
    assert java.core_seconds(spark, group) == 0
    assert found["naps"] is not None
    assert found["naps"] >= 2
    assert spark.sparkContext.getLocalProperty(java.JOB_GROUP) is None
