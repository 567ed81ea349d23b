"""The targets that docs/guides/yarn-kubernetes.md shows are ones, by settings that Spark has."""

import re
import zipfile
from functools import cache
from pathlib import Path

import pytest
import yaml
from stack.yarn import JARS

from dbt.adapters.lakemirror.connections import LakemirrorCredentials

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "yarn-kubernetes.md"
# whose settings are constants of its classes; Hadoop's and Hive's own go through Spark
NAMES = ("spark-core_", "spark-sql_", "spark-catalyst_", "spark-yarn_", "spark-kubernetes_")
OTHERS = "spark.hadoop."


def shown() -> list[dict]:
    """The targets of the page; what it shows for Kerberos belongs to the first."""
    blocks = re.findall(r"```yaml\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    yarn, kerberos, kubernetes = (re.sub(r"\{\{.*?\}\}", "some", block) for block in blocks)
    return [yaml.safe_load(text)["cluster"] for text in (yarn + kerberos, kubernetes)]


@cache
def spark_code() -> bytes:
    """All classes of Spark that have settings."""
    found = []
    for path in (path for path in JARS.glob("*.jar") if path.name.startswith(NAMES)):
        with zipfile.ZipFile(path) as jar:
            found += [jar.read(name) for name in jar.namelist() if name.endswith(".class")]
    return b"".join(found)


@pytest.mark.parametrize("target", shown(), ids=["yarn", "kubernetes"])
def test_a_documented_target(target):
    """It is a target of another machine's executors, which are sent the jars."""
    given = {name: value for name, value in target.items() if name not in ("type", "threads")}
    found = LakemirrorCredentials(**given)
    assert found.starts_spark
    settings = found.jvm_conf()
    assert "iceberg-spark-runtime" in settings["spark.jars"]
    assert settings.get("spark.driver.bindAddress") != "127.0.0.1"
    for name in target["server_side_parameters"]:
        assert name.startswith(OTHERS) or name.encode() in spark_code(), name


def test_a_setting_that_spark_has_not():
    assert b"spark.kubernetes.nomespace" not in spark_code()
