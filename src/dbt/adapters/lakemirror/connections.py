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

from lakemirror.lake import spark_conf

TIME_ZONE, ANSI = "spark.sql.session.timeZone", "spark.sql.ansi.enabled"


@dataclass
class LakemirrorCredentials(SparkCredentials):
    """dbt-spark's credentials, with ``lake``: the folder of an embedded lake.

    ``server_side_parameters`` are Spark's settings when the JVM starts, ``session_parameters``
    those of each session, ``spark_log`` takes what the JVM prints. UTC and ANSI are not a choice.
    """

    host: str | None = "embedded"
    method: SparkConnectionMethod = SparkConnectionMethod.SESSION  # type: ignore[assignment]
    lake: str | None = None
    spark_log: str = "logs/spark.log"
    session_parameters: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()  # it turns ANSI off
        self.server_side_parameters.update({ANSI: "true", TIME_ZONE: "UTC"})
        self.session_parameters = {k: str(v) for k, v in self.session_parameters.items()}

    @property
    def type(self) -> str:
        return "lakemirror"

    def _connection_keys(self) -> tuple[str, ...]:
        return ("method", "host", "lake", "schema", "spark_log")

    def jvm_conf(self) -> dict[str, str]:
        """Spark's settings when the JVM starts; those of the profile win."""
        lake_conf = spark_conf(Path(self.lake)) if self.lake else {}
        return {**lake_conf, **self.server_side_parameters}


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
            connection.handle = SessionConnection(
                SessionHandle(  # type: ignore[arg-type]
                    str(Path(credentials.lake or "").resolve()),
                    credentials.jvm_conf(),
                    credentials.session_parameters,
                    Path(credentials.spark_log),
                )
            )
            connection.state = ConnectionState.OPEN
        return connection
