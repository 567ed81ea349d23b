"""The lake: one Iceberg catalog, as Spark and as PyIceberg open it.

Embedded, it is a catalog on SQLite and a warehouse folder, side by side.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from lakemirror.jars import COORDINATES, S3, class_path, joined
from lakemirror.storage import StorageError, is_s3, with_s3

if TYPE_CHECKING:
    from pyiceberg.catalog import Catalog

CATALOG = "lake"
LOOPBACK = "127.0.0.1"
# Spark's masters whose executors share this machine's files
ON_THIS_MACHINE = re.compile(
    r"local|local\[.*\]|local-cluster\[.*\]|spark://(localhost|127(\.\d+){3}|\[::1\])(:\d+)?"
)
# PyIceberg's names of catalogs, by Iceberg's own short ones and classes
KINDS = {
    "rest": "rest",
    "hive": "hive",
    "glue": "glue",
    "jdbc": "sql",
    "org.apache.iceberg.rest.RESTCatalog": "rest",
    "org.apache.iceberg.hive.HiveCatalog": "hive",
    "org.apache.iceberg.aws.glue.GlueCatalog": "glue",
    "org.apache.iceberg.jdbc.JdbcCatalog": "sql",
}
DIALECTS = {"postgresql": "postgresql+psycopg", "mysql": "mysql+pymysql"}
# Spark's, of JDBC catalogs that are no file
DRIVERS = {"jdbc:postgresql:": "org.postgresql:postgresql:42.7.8"}


class CatalogError(Exception):
    """A catalog's properties cannot be used; says which, and what is expected."""


def is_on_this_machine(master: str) -> bool:
    """Whether all executors of a Spark master see the folders of this machine.

    >>> is_on_this_machine("local[2]"), is_on_this_machine("spark://127.0.0.1:7077")
    (True, True)
    >>> is_on_this_machine("spark://10.0.0.7:7077"), is_on_this_machine("yarn")
    (False, False)
    """
    return bool(ON_THIS_MACHINE.fullmatch(master))


def warehouse(lake: Path) -> str:
    """The folder of the tables' files, absolute: Iceberg's metadata keeps it."""
    return str(lake.resolve() / "warehouse")


def embedded(lake: Path) -> dict[str, str]:
    """Iceberg's properties of the catalog of an embedded lake in the folder ``lake``."""
    return {
        "type": "jdbc",
        "uri": f"jdbc:sqlite:{lake.resolve() / 'catalog.db'}?busy_timeout=60000",
        "warehouse": warehouse(lake),
    }


def catalog_of(given: Mapping[str, object], environment: Mapping[str, str]) -> dict[str, str]:
    """What a profile says of a catalog, in Iceberg's own names; what is empty is left out.

    Args:
        environment: has what the profile does not say of S3, by AWS's own names.

    Raises:
        CatalogError: nothing says which catalog it is, or S3's keys are half a pair.
    """
    found = {name: str(value) for name, value in given.items() if str(value or "")}
    kind = kind_of(found)
    if not kind or (not found.get("catalog-impl") and kind not in KINDS):
        known = ", ".join(name for name in KINDS if "." not in name)
        raise CatalogError(f"catalog: type is {kind or 'not given'}, and may be {known}")
    if KINDS.get(kind) in ("rest", "sql") and "uri" not in found:
        raise CatalogError(f"catalog: uri is not given, and type is {kind}")
    try:
        return with_s3(found, environment)
    except StorageError as error:
        raise CatalogError(f"catalog: {error}") from error


def kind_of(properties: Mapping[str, str]) -> str:
    """Which catalog the properties are of: a class, or Iceberg's short name; empty without both."""
    return properties.get("catalog-impl") or properties.get("type", "")


def catalog_file(properties: Mapping[str, str]) -> Path | None:
    """The database of a catalog on SQLite; None of any other.

    >>> str(catalog_file(embedded(Path("/my #1 lake?"))))
    '/my #1 lake?/catalog.db'
    """
    found = re.fullmatch(r"jdbc:sqlite:(.*?)(\?[^/]*)?", properties.get("uri", ""))
    return Path(found[1]) if found else None


def catalog_settings(properties: Mapping[str, str]) -> dict[str, str]:
    """Spark's settings for a catalog of Iceberg's properties."""
    catalog = f"spark.sql.catalog.{CATALOG}"
    own = {"jdbc.schema-version": "V1"} if KINDS.get(kind_of(properties)) == "sql" else {}
    # the cache belongs to a session: with it, one session misses another's commits
    given = {**own, **properties, "cache-enabled": "false"}
    return {
        "spark.sql.extensions": (
            "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
        ),
        "spark.sql.defaultCatalog": CATALOG,
        catalog: "org.apache.iceberg.spark.SparkCatalog",
        **{f"{catalog}.{name}": value for name, value in given.items()},
    }


def jars_of(properties: Mapping[str, str], *more_jars: str) -> str:
    """The class path that a catalog needs.

    Args:
        more_jars: ``group:artifact:version`` of jars beside those that the lake needs.

    Raises:
        CoordinateError: one of them is no jar, or another version of what the lake needs.
        JarsNotResolvedError: a jar cannot be had.
    """
    uri = properties.get("uri", "")
    drivers = [jar for start, jar in DRIVERS.items() if uri.startswith(start)]
    own = (*COORDINATES, *drivers, *([S3] if is_s3(properties) else []))
    return class_path(joined(own, more_jars))


def jvm_settings(jars: str, master: str) -> dict[str, str]:
    """What Spark's processes need for a class path.

    Args:
        master: Spark's. Executors that are other processes get the jars; where all are of this
            machine, nobody else's is listened to.
    """
    settings = {
        "spark.driver.extraClassPath": jars,
        # without Hadoop's native library, its own local file system forks a chmod for every file
        "spark.hadoop.fs.file.impl": "com.globalmentor.apache.hadoop.fs.BareLocalFileSystem",
    }
    if not re.fullmatch(r"local(\[.*\])?", master):
        settings["spark.jars"] = jars.replace(":", ",")
    if is_on_this_machine(master):
        settings |= {"spark.driver.bindAddress": LOOPBACK, "spark.driver.host": LOOPBACK}
    return settings


def pyiceberg_catalog(lake: Path) -> "Catalog":
    """The catalog of an embedded lake, read without Spark or a JVM."""
    return load(embedded(lake))


def load(properties: Mapping[str, str]) -> "Catalog":
    """A catalog, read without Spark or a JVM.

    Raises:
        CatalogError: PyIceberg has no such catalog.
    """
    from pyiceberg.catalog import load_catalog

    return load_catalog(CATALOG, **pyiceberg_properties(properties))


def pyiceberg_properties(properties: Mapping[str, str]) -> dict[str, str]:
    """Iceberg's properties of a catalog as PyIceberg calls them.

    Raises:
        CatalogError: PyIceberg has no such catalog.
    """
    kind = kind_of(properties)
    if kind not in KINDS:
        raise CatalogError(f"catalog: without Spark, nothing reads one of {kind}")
    left = ("catalog-impl", "io-impl", "cache-enabled")
    named = {name: value for name, value in properties.items() if name not in left}
    named["type"] = KINDS[kind]
    if named["type"] == "sql":
        named |= {"uri": sqlalchemy_url(properties), "init_catalog_tables": "false"}
    return {name: value for name, value in named.items() if not name.startswith("jdbc.")}


def sqlalchemy_url(properties: Mapping[str, str]) -> str:
    """The JDBC URL of a catalog as SQLAlchemy's, with who logs in.

    Raises:
        CatalogError: it is of a database that PyIceberg does not read.

    >>> sqlalchemy_url({"uri": "jdbc:postgresql://host:5432/lake", "jdbc.user": "me"})
    'postgresql+psycopg://me:@host:5432/lake'
    """
    file = catalog_file(properties)
    if file:
        return f"sqlite:///{file}"
    found = urlsplit(properties["uri"].removeprefix("jdbc:"))
    if found.scheme not in DIALECTS:
        raise CatalogError(f"catalog: without Spark, nothing reads one on {found.scheme}")
    user, password = (quote(properties.get(f"jdbc.{n}", ""), safe="") for n in ("user", "password"))
    login = f"{user}:{password}@" if user else ""
    return found._replace(scheme=DIALECTS[found.scheme], netloc=login + found.netloc).geturl()
