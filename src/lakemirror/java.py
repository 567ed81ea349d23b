"""What the objects of Spark and Iceberg say in the JVM: nothing is planned, and no job runs."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import uuid4

from py4j.java_gateway import JavaClass
from py4j.protocol import Py4JJavaError

from lakemirror.state.table_metadata import TableMetadata

ICEBERG = "org.apache.iceberg"
CATALOG = f"{ICEBERG}.spark.SparkCatalog"
SPARK = "org.apache.spark"
# of metadata that is kept for whoever reads the same file next: how many, and how long a text
MOST_KEPT, LARGEST_KEPT = 64, 200_000
JOB_GROUP = "spark.jobGroup.id"
LISTENERS_MS = 10_000  # until Spark has counted what it has run
_read: dict[tuple[str, str | None], TableMetadata] = {}


def java_class(session: Any, name: str) -> Any:
    """A class by its whole name; by ``session._jvm`` the JVM looks for each part of it in all of
    its jars."""
    return JavaClass(name, session._jvm._gateway_client)


def strings(session: Any, *texts: str) -> Any:
    """An array of Java's."""
    made = session._sc._gateway.new_array(java_class(session, "java.lang.String"), len(texts))
    for place, text in enumerate(texts):
        made[place] = text
    return made


def activate(session: Any) -> None:
    """Let names resolve by a session's settings in this thread, whoever asks the JVM."""
    sessions = java_class(session, f"{SPARK}.sql.classic.SparkSession")
    sessions.setActiveSession(session._jsparkSession)


def load(session: Any, relation: Any) -> Any:
    """Iceberg's table."""
    activate(session)
    tables = java_class(session, f"{ICEBERG}.spark.Spark3Util")
    return tables.loadIcebergTable(session._jsparkSession, str(relation))


def errors() -> tuple[type[Exception], ...]:
    """What a call of the JVM may end with."""
    from pyspark.errors import PySparkException  # half a second, and what parses never needs it

    return Py4JJavaError, PySparkException


@contextmanager
def as_group(session: Any) -> Iterator[str]:
    """What this thread runs is a group of jobs, whose name this is: see core_seconds."""
    context = session.sparkContext
    former, group = context.getLocalProperty(JOB_GROUP), str(uuid4())
    context.setLocalProperty(JOB_GROUP, group)
    try:
        yield group
    finally:
        context.setLocalProperty(JOB_GROUP, former)


def core_seconds(session: Any, group: str) -> float | None:
    """How long tasks have kept cores for a group of jobs, in seconds of a core; None where Spark
    has forgotten some of them (``spark.ui.retainedStages``)."""
    context = session.sparkContext._jsc
    store = context.sc().statusStore()
    try:
        context.sc().listenerBus().waitUntilEmpty(LISTENERS_MS)
        found = [store.job(n).stageIds() for n in context.statusTracker().getJobIdsForGroup(group)]
        stages = {ids.apply(place) for ids in found for place in range(ids.size())}
        took = [store.lastStageAttempt(stage).executorRunTime() for stage in stages]
    except errors():
        return None
    return sum(took) / 1000


def metadata(session: Any, relation: Any) -> TableMetadata | None:
    """What a table says of itself; None where it cannot be read so, and a statement says why.

    A file of metadata is written once: what has been read of it holds.
    """
    if not hasattr(session, "_jsparkSession"):  # behind a Connect server
        return None
    try:
        found = load(session, relation).operations().refresh()
        file = found.uuid(), found.metadataFileLocation()
        return _read.get(file) or read_metadata(session, found, file)
    except errors():
        return None


def read_metadata(session: Any, found: Any, file: tuple[str, str | None]) -> TableMetadata:
    """Iceberg's metadata of a table in Python, which is kept where it is small.

    Args:
        file: the table's id, and where the metadata is; None where no file has it.
    """
    from pyspark.sql.types import StructType

    util = java_class(session, f"{ICEBERG}.spark.Spark3Util")
    schemas = java_class(session, f"{ICEBERG}.spark.SparkSchemaUtil")
    parser = java_class(session, f"{ICEBERG}.TableMetadataParser")
    text, schema = parser.toJson(found), schemas.convert(found.schema()).json()
    partitioning = [str(part) for part in util.toTransforms(found.spec())]
    columns = [
        (field.name, field.dataType.simpleString(), field.metadata.get("comment"))
        for field in StructType.fromJson(json.loads(schema)).fields
    ]
    table = TableMetadata.read(text, columns, partitioning)
    if file[1] is not None and len(text) < LARGEST_KEPT:
        if len(_read) >= MOST_KEPT:
            _read.clear()
        _read[file] = table
    return table


def catalog_of(session: Any) -> Any:
    """The session's catalog; None where it is none of Iceberg's own."""
    catalog = session._jsparkSession.sessionState().catalogManager().currentCatalog()
    return catalog if catalog.getClass().getName() == CATALOG else None


def schemas(catalog: Any) -> list[str]:
    """The schemas of a catalog."""
    return [namespace[0] for namespace in catalog.listNamespaces()]


def relations(session: Any, catalog: Any, schema: str) -> list[tuple[str, str]]:
    """Kind and name of each table and view of a schema; none where there is no such schema."""
    namespace = strings(session, schema)
    if not catalog.namespaceExists(namespace):
        return []
    tables = [("table", found.name()) for found in catalog.listTables(namespace)]
    return tables + [("view", found.name()) for found in catalog.listViews(namespace)]


def drop_table(session: Any, catalog: Any, relation: Any) -> None:
    """Drop a table that only its run knows, if it is there, and delete its files: without the jobs
    in which Spark looks for them first. A file that cannot be deleted stays as an orphan."""
    identifiers = java_class(session, f"{ICEBERG}.catalog.TableIdentifier")
    name = identifiers.of(strings(session, relation.schema, relation.identifier))
    tables = catalog.icebergCatalog()
    if not tables.tableExists(name):
        return
    operations = tables.loadTable(name).operations()
    metadata = operations.current()
    if tables.dropTable(name, False):
        java_class(session, f"{ICEBERG}.CatalogUtil").dropTableData(operations.io(), metadata)


def publish(session: Any, relation: Any, branch: str) -> None:
    """Make a branch the table, and drop it, in one commit."""
    change = load(session, relation).manageSnapshots()
    change.fastForwardBranch("main", branch).removeBranch(branch).commit()


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


def kept_rows(session: Any, frame: Any, name: str) -> Any:
    """The rows of a query as a leaf of other plans: the first of these keeps them in memory, or on
    disk, until they are dropped, or nobody knows them any more."""
    relations = java_class(session, f"{SPARK}.sql.execution.columnar.InMemoryRelation$")
    level = java_class(session, f"{SPARK}.storage.StorageLevel").MEMORY_AND_DISK()
    option = java_class(session, "scala.Option").apply(name)
    return getattr(relations, "MODULE$").apply(level, frame._jdf.queryExecution(), option)


def create_view(session: Any, plan: Any, name: str) -> None:
    """A temporary view of a plan."""
    dataset = java_class(session, f"{SPARK}.sql.classic.Dataset")
    dataset.ofRows(session._jsparkSession, plan).createTempView(name)


def drop_rows(rows: Any) -> None:
    """Free what kept_rows keeps."""
    rows.cacheBuilder().clearCache(False)
