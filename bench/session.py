"""Spark as all systems have it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def open_session(
    lake: Path,
    memory: str,
    jars: tuple[str, ...] = (),
    extension: str = "",
    settings: Mapping[str, str] | None = None,
) -> Any:
    """A session on a lake of its own, alike for all systems but for what one needs.

    Args:
        lake: the folder of the lake.
        memory: of the JVM.
        jars: what it has beside Iceberg's.
        extension: what extends Spark's sessions beside Iceberg's.
        settings: what it sets beside those of all.
    """
    from dbt.adapters.lakemirror.connections import LakemirrorCredentials
    from lakemirror.jars import class_path

    credentials = LakemirrorCredentials(
        schema="bench", lake=str(lake), server_side_parameters={"spark.master": "local[2]"}
    )
    own = credentials.jvm_conf()
    path, extensions = "spark.driver.extraClassPath", "spark.sql.extensions"
    if jars:
        own[path] += ":" + class_path(jars)
    if extension:
        own[extensions] += "," + extension
    return session_of(credentials, {**own, **(settings or {})}, memory, lake)


def session_of(credentials: Any, conf: Mapping[str, str], memory: str, folder: Path) -> Any:
    """A session of a profile's target, by its settings and those that all have."""
    from dbt.adapters.lakemirror.session import SessionHandle

    conf = {
        **conf,
        "spark.sql.parquet.compression.codec": "zstd",
        "spark.driver.memory": memory,
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.ansi.enabled": "true",
        "spark.log.level": "ERROR",
    }
    return SessionHandle(credentials.pool, conf, {}, folder / "spark.log").session
