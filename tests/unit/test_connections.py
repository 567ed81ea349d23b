"""What a profile may say of Spark, and what of it Spark is told."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.lakemirror.connections import LakemirrorCredentials


def credentials(**given):
    return LakemirrorCredentials(schema="marts", **given)


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
