"""The jars that Spark needs for Iceberg and Kafka: the one place that names their versions."""

import fcntl
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

COORDINATES = (
    "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
    "org.xerial:sqlite-jdbc:3.50.3.0",
    "com.globalmentor:hadoop-bare-naked-local-fs:0.1.0",
    # Maven Central has neither for Spark 4.1.4
    "org.apache.spark:spark-sql-kafka-0-10_2.13:4.1.3",
    "org.apache.spark:spark-token-provider-kafka-0-10_2.13:4.1.1",
    "org.apache.kafka:kafka-clients:3.9.1",
    "org.apache.commons:commons-pool2:2.12.0",
)
S3 = "org.apache.iceberg:iceberg-aws-bundle:1.12.0"
COMET = "org.apache.datafusion:comet-spark-spark4.1_2.13:1.2.0"
FOLDER = Path(sys.prefix) / "share" / "lakemirror"
WAITS = (2, 10, 30)  # seconds before a download is tried again
COORDINATE = re.compile(r"[\w.-]+:[\w.-]+:(?!latest\b)[\w.-]+(?<!-SNAPSHOT)", re.ASCII)


class CoordinateError(Exception):
    """A jar is not named as it is expected, or is there in another version; says which."""


class JarsNotResolvedError(Exception):
    """Maven Central could not be reached, or does not have a pinned version."""


def jar_path(coordinate: str) -> Path:
    """The file that Ivy writes for ``group:artifact:version``."""
    group, artifact, version = coordinate.split(":")
    return FOLDER / "jars" / f"{group}_{artifact}-{version}.jar"


def joined(own: Sequence[str], more: Sequence[str]) -> tuple[str, ...]:
    """Own jars, and those that somebody wants beside them, each once.

    Raises:
        CoordinateError: one is no ``group:artifact:version``, its version is not one alone, or
            another version of it is there.

    >>> joined(("a:b:1",), ("a:b:1", "a:c:2"))
    ('a:b:1', 'a:c:2')
    """
    found: dict[str, str] = {}
    for coordinate in (*own, *more):
        if not COORDINATE.fullmatch(coordinate):
            raise CoordinateError(
                f"{coordinate!r} is not group:artifact:version, with one version and no range"
            )
        artifact, _, version = coordinate.rpartition(":")
        if found.setdefault(artifact, version) != version:
            raise CoordinateError(f"{coordinate}: {artifact} is there as {found[artifact]} already")
    return tuple(f"{artifact}:{version}" for artifact, version in found.items())


def class_path(coordinates: Sequence[str] = COORDINATES) -> str:
    """The resolved jars as a Java class path; they are resolved first where one is missing."""
    jars = ":".join(str(jar_path(coordinate)) for coordinate in coordinates)
    if missing(coordinates):
        with alone():
            fetch(coordinates, jars)
    return jars


def missing(coordinates: Sequence[str]) -> list[str]:
    return [coordinate for coordinate in coordinates if not jar_path(coordinate).exists()]


def fetch(coordinates: Sequence[str], jars: str) -> None:
    """Resolve what another thread or process has not resolved meanwhile."""
    lacking = missing(coordinates)
    if not lacking:
        return
    number = f"{len(lacking)} jar{'' if len(lacking) == 1 else 's'}"
    sys.stderr.write(f"fetching {number} from Maven Central, once; about a minute\n")
    resolve(lacking)
    with (FOLDER / "classes.log").open("ab") as log:  # Spark starts without it, only slower
        made = [sys.executable, "-m", "lakemirror.class_data", jars]
        subprocess.run(made, stdout=log, stderr=log)


@contextmanager
def alone() -> Iterator[None]:
    """One at a time, of all threads and processes that have this environment."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def resolve(coordinates: Sequence[str]) -> None:
    """Copy pinned jars from Maven Central into the virtual environment; what a network breaks off
    is tried again.

    Raises:
        JarsNotResolvedError: Ivy's last words, when a jar cannot be had.
    """
    for wait in WAITS:
        try:
            return copy_jars(coordinates)
        except JarsNotResolvedError as error:
            sys.stderr.write(f"{error}. The next try is in {wait} s.\n")
            time.sleep(wait)
    return copy_jars(coordinates)


def copy_jars(coordinates: Sequence[str]) -> None:
    """Let Spark's own Ivy download what it does not have; what is whole becomes a jar of FOLDER.

    Raises:
        JarsNotResolvedError: Ivy's last words, when a jar cannot be had.
    """
    from py4j.protocol import Py4JJavaError
    from pyspark import SparkConf
    from pyspark.java_gateway import launch_gateway

    log_path, ivy = FOLDER / "ivy.log", FOLDER / "ivy"
    (FOLDER / "jars").mkdir(parents=True, exist_ok=True)
    with log_path.open("ab") as log:
        gateway = launch_gateway(SparkConf(loadDefaults=False), {"stdout": log, "stderr": log})
    try:
        jvm = gateway.jvm
        maven, out = jvm.org.apache.spark.util.MavenUtils, jvm.java.lang.System.err
        nothing = jvm.scala.Option.empty()
        no_exclusions = jvm.scala.jdk.javaapi.CollectionConverters.asScala(
            jvm.java.util.ArrayList()
        ).toSeq()
        ivy_home = jvm.scala.Option.apply(str(ivy))
        settings = maven.buildIvySettings(nothing, ivy_home, True, out)
        maven.resolveMavenCoordinates(
            ",".join(coordinates), settings, nothing, False, no_exclusions, False, out
        )
    except Py4JJavaError as error:
        raise JarsNotResolvedError(
            f"cannot resolve {', '.join(coordinates)} from Maven Central: "
            f"{error.java_exception.getMessage()} (Ivy's log: {log_path})"
        ) from error
    finally:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=30)
    for coordinate in coordinates:
        jar = jar_path(coordinate)
        (ivy / "jars" / jar.name).replace(jar)


if __name__ == "__main__":
    class_path()
