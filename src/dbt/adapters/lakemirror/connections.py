"""Credentials and connections: a Spark session of its own for every dbt connection."""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.spark.connections import (
    SparkConnectionManager,
    SparkConnectionMethod,
    SparkCredentials,
)
from dbt_common.exceptions import DbtRuntimeError

from lakemirror.comet import PLUGINS, CometError, comet_conf
from lakemirror.jars import COMET, CoordinateError, JarsNotResolvedError, joined
from lakemirror.lake import (
    CatalogError,
    catalog_of,
    catalog_settings,
    embedded,
    is_on_this_machine,
    jars_of,
    jvm_settings,
)
from lakemirror.layers import PROPERTY, Layers, PrefixError, layers_with
from lakemirror.storage import hadoop_s3

# of each session, of whatever engine: with others, values and errors would be others
REQUIRED = {"spark.sql.session.timeZone": "UTC", "spark.sql.ansi.enabled": "true"}


@dataclass
class LakemirrorCredentials(SparkCredentials):
    """dbt-spark's credentials, with ``lake``: the folder of an embedded lake; or ``catalog``: the
    properties of another Iceberg catalog, by Iceberg's own names.

    ``server_side_parameters`` are Spark's settings when the JVM starts, ``session_parameters``
    those of each session, ``spark_log`` takes what the JVM prints. ``accelerate: comet`` lets
    an embedded lake's Spark run natively what Comet can. ``jars`` are more of them for driver and
    executors, each ``group:artifact:version``. ``schema_prefix`` begins the names of the schemas:
    see lakemirror.layers. REQUIRED is not a choice.

    Raises:
        DbtRuntimeError: something in the profile cannot be, or would lose records.
    """

    host: str | None = "embedded"
    method: SparkConnectionMethod = SparkConnectionMethod.SESSION  # type: ignore[assignment]
    lake: str | None = None
    catalog: dict[str, Any] = field(default_factory=dict)
    spark_log: str = "logs/spark.log"
    accelerate: str | None = None
    schema_prefix: str | None = None
    jars: list[str] = field(default_factory=list)
    session_parameters: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.method != SparkConnectionMethod.SESSION:
            raise DbtRuntimeError(
                f"method: session is expected, and not {self.method}; a server is reached by Spark "
                "Connect (SPARK_REMOTE)"
            )
        super().__post_init__()  # it turns ANSI off
        try:
            self.schema_prefix = layers_with(self.schema_prefix).prefix
        except PrefixError as error:
            raise DbtRuntimeError(str(error)) from error
        self.server_side_parameters.update(REQUIRED)
        self.session_parameters = {k: str(v) for k, v in self.session_parameters.items()}
        for name, value in REQUIRED.items():
            if self.session_parameters.setdefault(name, value) != value:
                raise DbtRuntimeError(
                    f"session_parameters: {name} is {value} in lakemirror, and not "
                    f"{self.session_parameters[name]}. Leave it out."
                )
        if self.lake and self.catalog:
            raise DbtRuntimeError("lake and catalog: a target has one of them")
        try:
            self.catalog = catalog_of(self.catalog, os.environ) if self.catalog else {}
        except CatalogError as error:
            raise DbtRuntimeError(str(error)) from error
        self.check_lake()
        if self.accelerate not in (None, "", "comet"):
            raise DbtRuntimeError(f"accelerate: comet is expected, and not {self.accelerate}")
        if self.accelerate and not self.starts_spark:
            raise DbtRuntimeError(
                "accelerate: it is for a Spark that dbt starts (lake: ..., or catalog: ...); "
                "a server loads Comet by its own settings"
            )
        self.check_jars()

    @property
    def layers(self) -> Layers:
        """The schemas of the target."""
        return layers_with(self.schema_prefix)

    @property
    def starts_spark(self) -> bool:
        """Whether dbt starts Spark, and gives it a catalog and jars."""
        return bool(self.properties) and not self.server

    def check_jars(self) -> None:
        """What is empty is left out; a jar that cannot be is an error before one is fetched."""
        self.jars = [jar for jar in self.jars if jar]
        if self.jars and not self.starts_spark:
            raise DbtRuntimeError(
                "jars: they are for a Spark that dbt starts (lake: ..., or catalog: ...); "
                "a server has its own"
            )
        try:
            joined((), self.jars)
        except CoordinateError as error:
            raise DbtRuntimeError(f"jars: {error}") from error

    @property
    def master(self) -> str:
        return str(self.server_side_parameters.get("spark.master") or "local[*]")

    @property
    def server(self) -> str:
        """The Connect server's address, without a token; empty where Spark is dbt's own."""
        return os.environ.get("SPARK_REMOTE", "").partition("/;")[0]

    def check_lake(self) -> None:
        """A folder of this machine is nothing for executors of another: each would write its files
        to its own disk, and their records would be lost."""
        if not self.lake or (is_on_this_machine(self.master) and not self.server):
            return
        where = (
            f"SPARK_REMOTE is {self.server}" if self.server else f"spark.master is {self.master}"
        )
        raise DbtRuntimeError(
            f"lake: {self.lake} is a folder of this machine, and {where}: executors of another "
            "machine would write to their own disks, and records would be lost. Leave lake out, "
            "and name a catalog and a warehouse that all of them reach (catalog: ...)."
        )

    @property
    def type(self) -> str:
        return "lakemirror"

    def _connection_keys(self) -> tuple[str, ...]:
        return ("method", "host", "lake", "schema", "schema_prefix", "accelerate", "spark_log")

    @property
    def properties(self) -> dict[str, str]:
        """Iceberg's properties of the catalog; empty where only a server's settings have them."""
        return self.catalog or (embedded(Path(self.lake)) if self.lake else {})

    @property
    def pool(self) -> str:
        """What sessions of one catalog have in common; it has secrets, and is shown nowhere."""
        if self.lake:
            return str(Path(self.lake).resolve())
        return str(sorted(self.catalog.items()))

    def jvm_conf(self) -> dict[str, str]:
        """Spark's settings when the JVM starts; those of the profile win. Of a Connect server,
        those that its sessions can be told.

        Raises:
            CometError: Comet cannot start on this machine.
            CoordinateError: one of ``jars`` is there in another version.
            JarsNotResolvedError: a jar cannot be had.
        """
        own, properties = self.server_side_parameters, self.properties
        if not properties:
            return {**own}
        if self.server:
            return {**catalog_settings(properties), **own}
        comet = comet_conf(own) if self.accelerate else {}
        jars = jars_of(properties, *([COMET] if comet else []), *self.jars)
        settings = {**catalog_settings(properties), **jvm_settings(jars, self.master)}
        settings |= hadoop_s3(jars, os.environ)
        if self.lake:
            settings["spark.sql.warehouse.dir"] = str(Path(self.lake).resolve() / "spark-warehouse")
        # the profile's plugins are in Comet's
        return {**settings, **comet, **own, **({PLUGINS: comet[PLUGINS]} if comet else {})}


def unresolved(error: JarsNotResolvedError, accelerate: str | None) -> str:
    """What an error of jars means to who has configured a connection."""
    if not accelerate:
        return str(error)
    return f"accelerate: {error}. Leave it out here, or run again where Maven Central is reached."


class LakemirrorConnectionManager(SparkConnectionManager):
    TYPE = "lakemirror"

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        credentials: Any = connection.credentials
        if connection.state != ConnectionState.OPEN:
            # PySpark takes half a second to import, and `dbt parse` never needs it
            from dbt.adapters.lakemirror.session import SessionConnection, SessionHandle

            if credentials.lake:
                Path(credentials.lake).mkdir(parents=True, exist_ok=True)
            try:
                conf = credentials.jvm_conf()
            except CometError as error:
                raise DbtRuntimeError(str(error)) from error
            except CoordinateError as error:
                raise DbtRuntimeError(f"jars: {error}") from error
            except JarsNotResolvedError as error:
                raise DbtRuntimeError(unresolved(error, credentials.accelerate)) from error
            connection.handle = SessionConnection(
                SessionHandle(  # type: ignore[arg-type]
                    credentials.pool,
                    conf,
                    {**credentials.session_parameters, PROPERTY: credentials.layers.prefix},
                    Path(credentials.spark_log),
                )
            )
            connection.state = ConnectionState.OPEN
        return connection
