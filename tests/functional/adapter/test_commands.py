"""Every command of dbt does its work on a small project, with one thread and with four."""

from typing import Any

import pytest
from dbt.cli.main import dbtRunner

from support.depth import whole_only
from support.lake import Lake
from support.small_project import Project

FILES = {
    "seeds/readings.csv": "sensor,degrees,read_at\na,20.5,2020-01-30 00:00:00\n",
    "models/sensors.sql": """
        select sensor, max_by(degrees, read_at) as degrees
        from {{ ref('readings') }}
        group by sensor
        """,
    "models/sensor_names.sql": """
        {{ config(materialized='view') }}
        select sensor from {{ ref('sensors') }}
        """,
    "models/warm_sensors.py": """
        def model(dbt, session):
            return dbt.ref("sensors").where("degrees > 20")
        """,
    "models/models.yml": """
        sources:
          - name: lab
            schema: marts
            config:
              loaded_at_field: read_at
              freshness: {warn_after: {count: 1, period: day}}
            tables: [{name: readings}]
        models:
          - name: sensors
            columns: [{name: sensor, data_tests: [unique, not_null]}]
        unit_tests:
          - name: test_sensors
            model: sensors
            given:
              - input: ref('readings')
                rows:
                  - {sensor: a, degrees: 2.5, read_at: 2020-01-02 00:00:00}
                  - {sensor: a, degrees: 1.5, read_at: 2020-01-01 00:00:00}
            expect: {rows: [{sensor: a, degrees: 2.5}]}
        """,
    "snapshots/snap_sensors.yml": """
        snapshots:
          - name: snap_sensors
            relation: ref('sensors')
            config: {file_format: iceberg, unique_key: sensor, strategy: check, check_cols: all}
        """,
    "macros/forget_sensor.sql": """
        {% macro forget_sensor(sensor) %}
            {% do run_query("delete from marts.sensors where sensor = '" ~ sensor ~ "'") %}
        {% endmacro %}
        """,
}
MODELS = {"sensors", "sensor_names", "warm_sensors"}


@pytest.fixture
def project(lake: Lake) -> Project:
    made = Project(lake)
    for path, text in FILES.items():
        made.write(path, text)
    return made


def nodes(result: Any) -> set[str]:
    """The names of what a command ran."""
    nodes = (r.node for r in result.result.results)
    return {node.name for node in nodes if node.resource_type != "operation"}  # a hook


@pytest.mark.parametrize("threads", [pytest.param("1", marks=whole_only), "4"])
def test_every_command_does_its_work(project: Project, threads: str) -> None:
    """F41: retry after a model is mended, and each command on what the others have built."""

    def dbt(*arguments: str, fails: bool = False) -> Any:
        return project.dbt("--write-json", *arguments, "--threads", threads, fails=fails)

    assert dbtRunner().invoke(["debug", "--project-dir", str(project.folder)]).success
    dbt("parse")
    dbt("seed")
    assert len(project.rows("readings")) == 1
    [compiled] = dbt("compile", "--select", "sensor_names").result.results
    assert compiled.node.compiled_code.strip() == "select sensor from marts.sensors"

    project.write("models/sensors.sql", "select 1 / 0 as sensor")
    assert nodes(dbt("run", fails=True)) == MODELS
    project.write("models/sensors.sql", FILES["models/sensors.sql"])
    assert nodes(dbt("retry")) == MODELS
    assert project.rows("warm_sensors") == [{"sensor": "a", "degrees": 20.5}]

    assert nodes(dbt("test")) == {
        "unique_sensors_sensor",
        "not_null_sensors_sensor",
        "test_sensors",
    }
    dbt("snapshot")
    project.write(
        "seeds/readings.csv",
        "sensor,degrees,read_at\na,21.5,2020-01-31 00:00:00\nb,19.5,2020-01-31 00:00:00\n",
    )
    assert nodes(dbt("build")) > {*MODELS, "readings", "snap_sensors", "test_sensors"}
    history = [(r["sensor"], r["degrees"], r["dbt_valid_to"]) for r in project.rows("snap_sensors")]
    assert sorted(h[:2] for h in history) == [("a", 20.5), ("a", 21.5), ("b", 19.5)]
    assert [h[:2] for h in history if h[2]] == [("a", 20.5)]

    [shown] = dbt(
        "show", "--inline", "select * from {{ ref('sensor_names') }} order by 1"
    ).result.results
    assert [tuple(row) for row in shown.agate_table.rows] == [("a",), ("b",)]
    dbt("run-operation", "forget_sensor", "--args", "{sensor: a}")
    assert project.rows("sensors") == [{"sensor": "b", "degrees": 19.5}]
    judged = dbt("source", "freshness").result.results
    [fresh] = [r for r in judged if r.node.resource_type != "operation"]  # a hook
    assert (fresh.status, fresh.max_loaded_at.isoformat()) == ("warn", "2020-01-31T00:00:00+00:00")
    dbt("docs", "generate")
    catalog = project.artifact("catalog.json")
    names = {unique_id.split(".")[-1] for unique_id in catalog["nodes"]}
    assert (catalog["errors"], names) == (None, {*MODELS, "readings", "snap_sensors"})
