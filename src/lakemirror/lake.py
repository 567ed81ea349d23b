"""The embedded lake: an Iceberg catalog on SQLite and a warehouse folder, side by side."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from lakemirror.jars import COORDINATES, class_path

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

CATALOG = "lake"
LOOPBACK = "127.0.0.1"
# Spark's masters whose executors share this machine's files
ON_THIS_MACHINE = re.compile(
    r"local|local\[.*\]|local-cluster\[.*\]|spark://(localhost|127(\.\d+){3}|\[::1\])(:\d+)?"
)


def warehouse(lake: Path) -> str:
    """The folder of the tables' files, absolute: Iceberg's metadata keeps it."""
    return str(lake.resolve() / "warehouse")


def is_on_this_machine(master: str) -> bool:
    """Whether all executors of a Spark master see the folders of this machine.

    >>> is_on_this_machine("local[2]"), is_on_this_machine("spark://127.0.0.1:7077")
    (True, True)
    >>> is_on_this_machine("spark://10.0.0.7:7077"), is_on_this_machine("yarn")
    (False, False)
    """
    return bool(ON_THIS_MACHINE.fullmatch(master))


def spark_conf(lake: Path, *more_jars: str) -> dict[str, str]:
    """Spark's settings for an embedded lake in the folder ``lake``.

    Args:
        more_jars: ``group:artifact:version`` of jars beside those that every lake needs.
    """
    catalog = f"spark.sql.catalog.{CATALOG}"
    database = lake.resolve() / "catalog.db"
    return {
        "spark.driver.extraClassPath": class_path((*COORDINATES, *more_jars)),
        # nobody else's machine is listened to
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.host": LOOPBACK,
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        "spark.sql.defaultCatalog": CATALOG,
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        f"{catalog}.type": "jdbc",
        f"{catalog}.uri": f"jdbc:sqlite:{database}?busy_timeout=60000",
        f"{catalog}.jdbc.schema-version": "V1",
        f"{catalog}.warehouse": warehouse(lake),
        # the cache belongs to a session: with it, one session misses another's commits
        f"{catalog}.cache-enabled": "false",
        # without Hadoop's native library, its own local file system forks a chmod for every file
        "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
        "spark.sql.warehouse.dir": str(lake.resolve() / "spark-warehouse"),
    }


def pyiceberg_catalog(lake: Path) -> "Catalog":
    """The same catalog, read without Spark or a JVM."""
    from pyiceberg.catalog.sql import SqlCatalog

    return SqlCatalog(
        CATALOG,
        uri=f"sqlite:///{lake.resolve() / 'catalog.db'}",
        warehouse=warehouse(lake),
        init_catalog_tables="false",
    )
