"""What a profile may say of Spark, and what of it Spark is told."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.lakemirror.connections import LakemirrorCredentials
from dbt.adapters.lakemirror.session import error_text


def credentials(**given):
    return LakemirrorCredentials(schema="marts", **given)


def test_the_prefix_of_the_schemas_is_the_targets():
    """Jinja has it, and what dbt has parsed with another counts no more."""
    assert credentials().layers.ops == "ops"
    made = credentials(schema_prefix="dev_")
    assert made.layers.ops == "dev_ops"
    assert dict(made.connection_info())["schema_prefix"] == "dev_"
    assert dict(credentials().connection_info())["schema_prefix"] == ""
    with pytest.raises(DbtRuntimeError, match=r"schema_prefix: lower case letters, .* not 'Dev_'"):
        credentials(schema_prefix="Dev_")


def master(value):
    return {"server_side_parameters": {"spark.master": value}}


@pytest.mark.parametrize("method", ["thrift", "http", "odbc"])
def test_another_method(method):
    with pytest.raises(DbtRuntimeError, match=f"method: session is expected, and not {method}"):
        credentials(method=method, host="localhost")


@pytest.mark.parametrize(
    ("name", "value"),
    [("spark.sql.session.timeZone", "America/New_York"), ("spark.sql.ansi.enabled", False)],
)
def test_a_setting_that_is_no_choice(name, value):
    """W1: of no profile, however Spark is started."""
    with pytest.raises(DbtRuntimeError, match=f"session_parameters: {name} is .* and not {value}"):
        credentials(session_parameters={name: value})
    made = credentials(server_side_parameters={name: str(value)})
    told = [made.session_parameters, made.jvm_conf()]
    assert [settings["spark.sql.session.timeZone"] for settings in told] == ["UTC"] * 2
    assert [settings["spark.sql.ansi.enabled"] for settings in told] == ["true"] * 2


@pytest.mark.parametrize(
    "other", ["spark://10.0.0.7:7077", "spark://127.0.0.1:7077,10.0.0.7:7077", "yarn", "k8s://x"]
)
def test_a_folder_that_executors_do_not_share(other):
    """W2: refused before a byte is read."""
    with pytest.raises(
        DbtRuntimeError, match=r"lake: \./lake is a folder .* records would be lost"
    ):
        credentials(lake="./lake", **master(other))
    assert credentials(**master(other)).jvm_conf()["spark.master"] == other


def test_a_folder_that_a_server_does_not_share(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://spark.shop:15002")
    with pytest.raises(DbtRuntimeError, match=r"SPARK_REMOTE is sc://spark\.shop:15002"):
        credentials(lake="./lake")


def test_a_secret_in_the_servers_address(monkeypatch):
    monkeypatch.setenv("SPARK_REMOTE", "sc://spark.shop:15002/;token=hush")
    with pytest.raises(DbtRuntimeError) as refused:
        credentials(lake="./lake")
    assert "hush" not in str(refused.value)


@pytest.mark.parametrize(
    ("here", "has_jars"),
    [
        ("local", False),
        ("local[2]", False),
        ("local-cluster[2,1,1024]", True),
        ("spark://localhost:7077", True),
        ("spark://127.0.0.1:7077", True),
    ],
)
def test_executors_of_this_machine(here, has_jars):
    """Those that are other processes get the jars."""
    conf = credentials(lake="./lake", **master(here)).jvm_conf()
    assert ("iceberg" in conf.get("spark.jars", "")) is has_jars
    assert conf["spark.driver.host"] == "127.0.0.1"


REST = {"type": "rest", "uri": "https://lake.shop", "credential": "id:hush", "warehouse": ""}


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"lake": "./lake", "catalog": REST}, "lake and catalog: a target has one of them"),
        (
            {"catalog": {"uri": "x"}},
            "catalog: type is not given, and may be rest, hive, glue, jdbc",
        ),
        ({"catalog": {"type": "nessie"}}, "catalog: type is nessie, and may be rest"),
        ({"catalog": {"type": "rest", "uri": ""}}, "catalog: uri is not given, and type is rest"),
    ],
)
def test_a_catalog_that_cannot_be(given, problem):
    with pytest.raises(DbtRuntimeError, match=problem):
        credentials(**given)


def test_a_catalog_for_spark():
    """By Iceberg's names; what is empty is left out. A cluster gets the jars, and is not bound."""
    made = credentials(catalog=REST, **master("yarn"))
    conf = made.jvm_conf()
    assert {k: v for k, v in conf.items() if k.startswith("spark.sql.catalog.lake.")} == {
        "spark.sql.catalog.lake.type": "rest",
        "spark.sql.catalog.lake.uri": "https://lake.shop",
        "spark.sql.catalog.lake.credential": "id:hush",
        "spark.sql.catalog.lake.cache-enabled": "false",
    }
    assert "iceberg" in conf["spark.jars"]
    assert "spark.driver.host" not in conf
    assert "hush" not in str([getattr(made, name) for name in made._connection_keys()])


def test_a_catalog_for_a_connect_server(monkeypatch):
    """Its sessions are told of it; its jars are its own."""
    monkeypatch.setenv("SPARK_REMOTE", "sc://spark.shop:15002")
    conf = credentials(catalog=REST).jvm_conf()
    assert conf["spark.sql.catalog.lake.uri"] == "https://lake.shop"
    assert not {"spark.jars", "spark.driver.extraClassPath"} & {*conf}


def test_a_lake_on_s3(monkeypatch):
    """Driver and executors have the place, the keys and Iceberg's jar for it."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hush")
    made = credentials(catalog=REST | {"warehouse": "s3://bucket/lake"}, **master("yarn"))
    conf = made.jvm_conf()
    assert conf["spark.sql.catalog.lake.s3.secret-access-key"] == "hush"
    for jars in ("spark.jars", "spark.driver.extraClassPath"):
        assert "iceberg-aws-bundle" in conf[jars]
    assert "hush" not in str([getattr(made, name) for name in made._connection_keys()])


def test_more_jars():
    given = "org.postgresql:postgresql:42.7.8"
    conf = credentials(catalog=REST, jars=["", given], **master("yarn")).jvm_conf()
    for jars in ("spark.jars", "spark.driver.extraClassPath"):
        assert "postgresql-42.7.8.jar" in conf[jars]


def test_jars_that_cannot_be(monkeypatch):
    with pytest.raises(DbtRuntimeError, match=r"jars: 'a:b' is not group:artifact:version"):
        credentials(catalog=REST, jars=["a:b"])
    monkeypatch.setenv("SPARK_REMOTE", "sc://spark.shop:15002")
    with pytest.raises(DbtRuntimeError, match=r"jars: .* a server has its own"):
        credentials(catalog=REST, jars=["a:b:1"])


def test_an_error_whose_remedy_is_known_says_it():
    told = "Invalid update timestamp 5: before last snapshot log entry at 9"
    assert error_text(ValueError(told)).splitlines() == [
        told,
        "The clocks of the machines that write this lake are more than a minute apart, which "
        "Iceberg refuses. Nothing was written: set them right, and run again.",
    ]
    assert error_text(ValueError("another")) == "another"
