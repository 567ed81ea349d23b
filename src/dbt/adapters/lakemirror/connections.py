"""Credentials and connections: a Spark session of its own for every dbt connection."""

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
from lakemirror.jars import COMET, JarsNotResolvedError
from lakemirror.lake import spark_conf

TIME_ZONE, ANSI = "spark.sql.session.timeZone", "spark.sql.ansi.enabled"


@dataclass
class LakemirrorCredentials(SparkCredentials):
    """dbt-spark's credentials, with ``lake``: the folder of an embedded lake.

    ``server_side_parameters`` are Spark's settings when the JVM starts, ``session_parameters``
    those of each session, ``spark_log`` takes what the JVM prints. ``accelerate: comet`` lets
    an embedded lake's Spark run natively what Comet can. UTC and ANSI are not a choice.
    """

    host: str | None = "embedded"
    method: SparkConnectionMethod = SparkConnectionMethod.SESSION  # type: ignore[assignment]
    lake: str | None = None
    spark_log: str = "logs/spark.log"
    accelerate: str | None = None
    session_parameters: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()  # it turns ANSI off
        self.server_side_parameters.update({ANSI: "true", TIME_ZONE: "UTC"})
        if self.accelerate not in (None, "", "comet"):
            raise DbtRuntimeError(f"accelerate: comet is expected, and not {self.accelerate}")
        if self.accelerate and not self.lake:
            raise DbtRuntimeError(
                "accelerate: it is for Spark in dbt's own process (lake: ...); "
                "a server loads Comet by its own settings"
            )
        self.session_parameters = {k: str(v) for k, v in self.session_parameters.items()}

    @property
    def type(self) -> str:
        return "lakemirror"

    def _connection_keys(self) -> tuple[str, ...]:
        return ("method", "host", "lake", "schema", "accelerate", "spark_log")

    def jvm_conf(self) -> dict[str, str]:
        """Spark's settings when the JVM starts; those of the profile win.

        Raises:
            CometError: Comet cannot start on this machine.
            JarsNotResolvedError: a jar cannot be had.
        """
        own = self.server_side_parameters
        if not self.lake:
            return {**own}
        if not self.accelerate:
            return {**spark_conf(Path(self.lake)), **own}
        comet = comet_conf(own)
        return {
            **spark_conf(Path(self.lake), COMET),
            **comet,
            **own,
            PLUGINS: comet[PLUGINS],  # with the profile's
        }


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
        if credentials.method != SparkConnectionMethod.SESSION:
            return super().open(connection)
        if connection.state != ConnectionState.OPEN:
            # PySpark takes half a second to import, and a Thrift connection never needs it
            from dbt.adapters.lakemirror.session import SessionConnection, SessionHandle

            if credentials.lake:
                Path(credentials.lake).mkdir(parents=True, exist_ok=True)
            try:
                conf = credentials.jvm_conf()
            except CometError as error:
                raise DbtRuntimeError(str(error)) from error
            except JarsNotResolvedError as error:
                raise DbtRuntimeError(unresolved(error, credentials.accelerate)) from error
            connection.handle = SessionConnection(
                SessionHandle(  # type: ignore[arg-type]
                    str(Path(credentials.lake or "").resolve()),
                    conf,
                    credentials.session_parameters,
                    Path(credentials.spark_log),
                )
            )
            connection.state = ConnectionState.OPEN
        return connection
