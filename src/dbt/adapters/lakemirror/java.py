"""What the objects of Spark and Iceberg say in the JVM: nothing is planned, and no job runs."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from dbt_common.exceptions import DbtRuntimeError
from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JJavaError

from lakemirror.state.table_metadata import TableMetadata

ICEBERG = "org.apache.iceberg"
CATALOG = f"{ICEBERG}.spark.SparkCatalog"


def java_class(session: Any, name: str) -> Any:
    """A class by its whole name; by ``session._jvm`` the JVM looks for each part of it in all of
    its jars."""
    return JavaClass(name, session._jvm._gateway_client)


def load(session: Any, relation: Any) -> Any:
    """Iceberg's table."""
    tables = java_class(session, f"{ICEBERG}.spark.Spark3Util")
    return tables.loadIcebergTable(session._jsparkSession, str(relation))


def errors() -> tuple[type[Exception], ...]:
    """What a call of the JVM may end with."""
    from pyspark.errors import PySparkException  # half a second, and what parses never needs it

    return Py4JJavaError, PySparkException


@contextmanager
def as_dbt_errors() -> Iterator[None]:
    """What calls of the JVM end with, as dbt tells an error."""
    try:
        yield
    except errors() as error:
        from dbt.adapters.lakemirror.session import error_text

        raise DbtRuntimeError(error_text(error)) from error


def metadata(session: Any, relation: Any) -> TableMetadata | None:
    """What a table says of itself; None where it cannot be read so, and a statement says why."""
    from pyspark.sql.types import StructType

    util = java_class(session, f"{ICEBERG}.spark.Spark3Util")
    schemas = java_class(session, f"{ICEBERG}.spark.SparkSchemaUtil")
    parser = java_class(session, f"{ICEBERG}.TableMetadataParser")
    try:
        found = load(session, relation).operations().refresh()
        text, schema = parser.toJson(found), schemas.convert(found.schema()).json()
        partitioning = [str(part) for part in util.toTransforms(found.spec())]
    except errors():
        return None
    columns = [
        (field.name, field.dataType.simpleString(), field.metadata.get("comment"))
        for field in StructType.fromJson(json.loads(schema)).fields
    ]
    return TableMetadata.read(text, columns, partitioning)


def catalog_of(session: Any) -> Any:
    """The session's catalog; None where it is none of Iceberg's own."""
    catalog = session._jsparkSession.sessionState().catalogManager().currentCatalog()
    return catalog if catalog.getClass().getName() == CATALOG else None


def schemas(catalog: Any) -> list[str]:
    """The schemas of a catalog."""
    return [namespace[0] for namespace in catalog.listNamespaces()]


def relations(session: Any, catalog: Any, schema: str) -> list[tuple[str, str]]:
    """Kind and name of each table and view of a schema; none where there is no such schema."""
    namespace = session._sc._gateway.new_array(java_class(session, "java.lang.String"), 1)
    namespace[0] = schema
    if not catalog.namespaceExists(namespace):
        return []
    tables = [("table", found.name()) for found in catalog.listTables(namespace)]
    return tables + [("view", found.name()) for found in catalog.listViews(namespace)]


def rewrite_manifests(session: Any, relation: Any) -> None:
    """Write all manifests of a table's data files into as few as fit, of live files alone. Spark's
    procedure leaves a single manifest as it is, with what it says of files that are gone."""
    functions = java_class(session, "com.google.common.base.Functions")  # Spark brings it
    table = load(session, relation)
    table.refresh()
    table.rewriteManifests().clusterBy(functions.constant("")).commit()


def delete_files(session: Any, relation: Any, paths: Sequence[str]) -> None:
    """Delete files by the table's own file system, if they are there."""
    files = load(session, relation).io()
    for path in paths:
        if files.newInputFile(path).exists():
            files.deleteFile(path)
