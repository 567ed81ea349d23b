"""One Spark JVM per process, one Spark session per dbt connection."""

import atexit
import logging
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dbt.adapters.spark.session import Cursor, SessionConnectionWrapper
from dbt_common.exceptions import DbtDatabaseError
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession
from pyspark.sql.types import TimestampType

from dbt.adapters.lakemirror.connections import REQUIRED
from lakemirror import class_data, java
from lakemirror.class_data import JAVA_OPTIONS, QUICK
from lakemirror.comet import PLUGIN, PLUGINS
from lakemirror.landing import raw

SPARK_CONNECT = bool(os.environ.get("SPARK_REMOTE"))
DEFAULTS = {
    "spark.master": "local[*]",
    "spark.app.name": "lakemirror",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # what Spark's user interface shows of each statement: the plan without its sections, whose text
    # takes a seventh of a small statement's time
    "spark.sql.ui.explainMode": "simple",
    # the fields of a type that `describe` shows: with Spark's 25, a larger struct is cut short in
    # dbt's columns and docs; the runs of lakemirror's own have fewer, see PLAN_FIELDS
    "spark.sql.debug.maxToStringFields": "1000",
    # compiled code, for queries that come again: with Spark's 100, a loop over ten mirrors compiles
    # all of its queries in each round
    "spark.sql.codegen.cache.maxEntries": "1000",
    # a landing's consumers have a group of their own, and what they have fetched is of no use to
    # another: with Spark's 64, and five minutes, they would keep a large part of a small heap
    "spark.kafka.consumer.cache.capacity": "8",
    "spark.kafka.consumer.fetchedData.cache.timeout": "10s",
    "spark.kafka.consumer.fetchedData.cache.evictorThreadRunInterval": "10s",
    # what Spark's own pattern does not hide in its user interface and event log: OAuth2 of REST
    "spark.redaction.regex": "(?i)secret|password|passwd|token|credential|access[.-]?key",
}
# what starts the JVM, as arguments that each user of this machine sees; it is told all else
# when it runs
LAUNCHING = (
    "spark.archives",
    "spark.driver.",
    "spark.files",
    "spark.jars",
    "spark.kerberos.",
    "spark.master",
    "spark.submit.",
    "spark.yarn.",
)
OF_CATALOGS = "spark.sql.catalog."
# of a Connect server, which has them already or not at all
STATIC = ("spark.sql.extensions", "spark.sql.warehouse.dir", "spark.sql.codegen.cache.maxEntries")
ERROR_LINES = 3
# what is to be done, by what an error says
NO_FILES = "Name Hadoop's file system for it in the profile's jars (docs/guides/engines.md)."
HINTS = {
    "S3AFileSystem not found": NO_FILES,
    "No FileSystem for scheme": NO_FILES,
    "before last snapshot log entry": (
        "The clocks of the machines that write this lake are more than a minute apart, which "
        "Iceberg refuses. Nothing was written: set them right, and run again."
    ),
}
OPENING_TRIES = 5

logging.getLogger("SQLQueryContextLogger").disabled = True  # it prints every error a second time

# set, before there is a JVM, where the process runs for long: then Java's optimizing compiler pays
resident = threading.Event()
_lock = threading.Lock()
_idle: dict[str, list[SparkSession]] = {}  # by lake: a session keeps the catalog it has opened


def root_session(conf: dict[str, str], log_path: Path) -> SparkSession:
    """The process's first Spark session; all that the JVM prints goes to ``log_path``.

    Raises:
        DbtDatabaseError: the settings have Comet, and this process's Spark runs without it.
    """
    with _lock:
        if SparkContext._active_spark_context is None:
            # a catalog's password is its sessions' alone: YARN keeps what a program begins with
            own = {name: value for name, value in conf.items() if not name.startswith(OF_CATALOGS)}
            start_jvm(
                SparkConf(loadDefaults=False).setAll(list({**DEFAULTS, **own}.items())), log_path
            )
        root = SparkSession.builder.getOrCreate()
        if has_comet(conf) and not comet_is_loaded(root.sparkContext):
            raise DbtDatabaseError(
                "accelerate: another target has started this process's Spark without Comet. "
                "Run this one in a process of its own."
            )
        return root


def server_session() -> SparkSession:
    """A new session of the Connect server, which ends with this process."""
    with _lock:
        session = SparkSession.builder.create()
    atexit.register(session.stop)  # or the server keeps it for an hour
    return session


def start_jvm(conf: SparkConf, log_path: Path) -> None:
    """Start Spark in a JVM that is silent on the console."""
    log_path.parent.mkdir(parents=True, exist_ok=True)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # of Spark's Python workers
    if resident.is_set():
        given = (conf.get(JAVA_OPTIONS) or "").split(" ")
        conf.set(JAVA_OPTIONS, " ".join(each for each in given if each != QUICK))
    launching = [(name, value) for name, value in conf.getAll() if name.startswith(LAUNCHING)]
    arguments = SparkConf(loadDefaults=False).setAll(launching)
    classes = class_data.java_option(conf.get("spark.driver.extraClassPath", ""))
    arguments.set(JAVA_OPTIONS, f"{classes} {conf.get(JAVA_OPTIONS, '')}")
    with log_path.open("ab") as log:
        gateway = launch_gateway(arguments, {"stdout": log, "stderr": log})
    context = SparkContext(conf=conf, gateway=gateway)
    if has_comet(dict(conf.getAll())) and not comet_is_loaded(context):
        stop_jvm(context)
        raise DbtDatabaseError(
            f"accelerate: Comet's native library has not loaded; see {log_path}. Leave it out here."
        )


def stop_jvm(context: SparkContext) -> None:
    """Let the next connection begin anew, and not go on with this Spark."""
    gateway: Any = context._gateway
    context.stop()
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    gateway.proc.stdin.close()  # its end is the JVM's


def has_comet(conf: Mapping[str, str]) -> bool:
    """Whether Spark's settings have Comet."""
    return PLUGIN in conf.get(PLUGINS, "")


def comet_is_loaded(context: SparkContext) -> bool:
    """Whether Comet runs. Where its library cannot be loaded, it tells the log and goes on without;
    who asks then is given the error again."""
    jvm: Any = context._jvm
    if not has_comet(dict(context.getConf().getAll())):
        return False
    try:
        return bool(jvm.org.apache.comet.NativeBase.isLoaded())
    except java.errors():
        return False


def check_settings(session: SparkSession) -> None:
    """Ask the engine itself what it has been told.

    Raises:
        DbtDatabaseError: it goes by another setting, with which values would be wrong.
    """
    for name, value in REQUIRED.items():
        found = session.conf.get(name)
        if found != value:
            raise DbtDatabaseError(
                f"Spark's {name} is {found}, and not {value}: values would be wrong. The server "
                "does not let its sessions set it."
            )


def drop_views(session: SparkSession) -> None:
    """Drop the temporary views of a session on a Connect server."""
    for view in session.sql("show views in spark_catalog.default").collect():
        if view["isTemporary"]:
            session.catalog.dropTempView(view["viewName"])


def open_catalog(session: SparkSession) -> None:
    """Open a session's catalog, one at a time: two that make a new catalog's tables collide."""
    with _lock:
        for attempt in range(OPENING_TRIES):
            try:
                session.sql("show namespaces").collect()
                return
            except Exception as error:  # another process may be making them now
                if "SQL schema" not in str(error) or attempt == OPENING_TRIES - 1:
                    raise DbtDatabaseError(error_text(error)) from error
                time.sleep(1)


def error_text(error: Exception) -> str:
    """The first lines of a Spark error and of its cause, without Java's stacks; and what is to be
    done, where that is known."""
    java = getattr(error, "java_exception", None) or getattr(error, "_origin", None)
    text = java.toString() if java is not None else str(error)
    _, traceback, frames = text.rpartition("Traceback (most recent call last):")
    cause: Any = java
    while cause is not None and cause.getCause() is not None:
        cause = cause.getCause()
    if traceback:  # of a Python worker: the cause follows its frames
        text = "\n".join(line for line in frames.splitlines() if not line.startswith(" "))
    elif cause is not java and cause.toString() not in text:
        text = f"{text.splitlines()[0]}\nCaused by: {cause.toString()}"
    lines = [
        line
        for line in text.splitlines()
        if line.strip() and not line.lstrip().startswith(("at ", "JVM stacktrace"))
    ]
    hints = [hint for sign, hint in HINTS.items() if sign in text]
    return "\n".join([*lines[:ERROR_LINES], *hints])


class LakemirrorCursor(Cursor):
    """A cursor on a session that belongs to one connection."""

    def __init__(self, session: SparkSession) -> None:
        super().__init__()
        self.session = session

    def execute(self, sql: str, *parameters: Any) -> None:
        try:
            self._df = self.session.sql(sql % parameters if parameters else sql)
        except Exception as error:
            raise DbtDatabaseError(error_text(error)) from error

    def fetchall(self) -> list[Any] | None:
        """The rows; a timestamp is the session's (UTC), whatever zone this machine is in."""
        try:
            rows = super().fetchall()
        except Exception as error:
            raise DbtDatabaseError(error_text(error)) from error
        if not rows or self._df is None:
            return rows
        fields = enumerate(self._df.schema.fields)
        times = {n for n, field in fields if isinstance(field.dataType, TimestampType)}
        return [
            tuple(
                raw.utc(value).replace(tzinfo=None) if value and n in times else value
                for n, value in enumerate(row)
            )
            for row in rows
        ]


class SessionHandle:
    """What dbt calls a connection's handle: a session that no other connection uses meanwhile.

    Sessions are pooled: each holds a catalog of its own whose connections Spark never closes.
    """

    def __init__(
        self, lake: str, conf: dict[str, str], session_parameters: dict[str, str], log_path: Path
    ) -> None:
        self.lake = lake
        # asked for a pooled session too: it refuses what another target's Spark has not
        new = server_session if SPARK_CONNECT else root_session(conf, log_path).newSession
        with _lock:
            pooled = _idle[lake].pop() if _idle.get(lake) else None
        self.session: SparkSession | None = pooled or new()
        # a Connect server has settings of its own: no JVM has been started with these
        kinds = "spark.sql." if SPARK_CONNECT else OF_CATALOGS
        own = {k: v for k, v in conf.items() if k.startswith(kinds) and k not in STATIC}
        for key, value in {**own, **session_parameters}.items():
            self.session.conf.set(key, value)
        if pooled is None:
            check_settings(self.session)
            open_catalog(self.session)
        if not SPARK_CONNECT:  # names in a Python model would else resolve by Spark's defaults
            java.activate(self.session)

    def cursor(self) -> LakemirrorCursor:
        if self.session is None:
            raise DbtDatabaseError("the connection's Spark session is closed")
        return LakemirrorCursor(self.session)

    def close(self) -> None:
        """Forget all that models have set, then leave the session to the next connection."""
        session, self.session = self.session, None
        if session is None:
            return
        session.sql("reset")
        if SPARK_CONNECT:
            drop_views(session)
        else:
            self.forget(session)
        with _lock:
            _idle.setdefault(self.lake, []).append(session)

    @staticmethod
    def forget(session: SparkSession) -> None:
        """What `reset` leaves, of a session in this process's JVM."""
        state = session._jsparkSession.sessionState()
        views = state.catalog().listLocalTempViews("*")
        for n in range(views.size()):  # the end of an iterator is an exception, which takes long
            session.catalog.dropTempView(views.apply(n).table())  # and what it has cached
        state.catalogManager().tempVariableManager().clear()
        functions = state.catalog().listTemporaryFunctions()
        for n in range(functions.size()):
            state.catalog().dropTempFunction(functions.apply(n).funcName(), True)
        if len(state.catalogManager().currentNamespace()):  # only another catalog forgets `use`
            for catalog in ("spark_catalog", str(session.conf.get("spark.sql.defaultCatalog"))):
                session.catalog.setCurrentCatalog(catalog)


class SessionConnection(SessionConnectionWrapper):
    """dbt-spark's wrapper, which only lacks the two endings of a session."""

    handle: Any

    def close(self) -> None:
        super().close()
        self.handle.close()

    def cancel(self) -> None:
        if self.handle.session is not None and not SPARK_CONNECT:
            self.handle.session.sparkContext.cancelAllJobs()
