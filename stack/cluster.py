"""A small cluster on loopback: Spark standalone, PostgreSQL, S3 and a REST catalog."""

import os
import shutil
import urllib.request
from pathlib import Path
from typing import Any

import pyspark

from stack.packages import MOTO, REST_JARS, require
from stack.services import HOST, JAVA, PostgreSql, Service

SPARK = Path(pyspark.__file__).parent
SERVER = Path(__file__).with_name("rest-server.xml")
BUCKET = "lake"
WAREHOUSES = {"jdbc": f"s3://{BUCKET}/jdbc", "rest": f"s3://{BUCKET}/rest"}
LOGIN = "lakemirror"  # of databases and a store that only this machine reaches
CORES = 1  # of each worker


def environment(**more: Any) -> dict[str, str]:
    """That of a service: without what a user has for AWS, which a cluster's machines lack too."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
    return own | {name: str(value) for name, value in more.items()}


class S3(Service):
    """Moto's server, which keeps objects in memory: they are gone when it ends."""

    name = "s3"

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """AWS's variables for its clients; it takes any keys."""
        return {
            "AWS_ENDPOINT_URL": self.address,
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": LOGIN,
            "AWS_SECRET_ACCESS_KEY": LOGIN,
        }

    def start(self) -> None:
        program = [MOTO / "bin" / "python", "-m", "moto.server", "-H", HOST, "-p", self.port]
        self.launch(program, env=environment(PYTHONDONTWRITEBYTECODE=1))
        asked = urllib.request.Request(f"{self.address}/{BUCKET}", method="PUT")
        urllib.request.urlopen(asked).close()


class RestCatalog(Service):
    """The reference servlet of Iceberg's tests over a catalog on PostgreSQL.

    Args:
        database: of PostgreSQL; the warehouse is called so, too.
    """

    def __init__(
        self, folder: Path, port: int, postgresql: PostgreSql, s3: S3, database: str = "rest"
    ) -> None:
        self.name = f"{database}-catalog"
        super().__init__(folder, port)
        self.postgresql, self.s3, self.database = postgresql, s3, database

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.port}"

    def start(self) -> None:
        told = {
            "host": HOST,
            "port": self.port,
            "uri": f"jdbc:postgresql://{HOST}:{self.postgresql.port}/{self.database}",
            "user": LOGIN,
            "warehouse": f"s3://{BUCKET}/{self.database}",
        }
        given = [f"-Drest.{name}={value}" for name, value in told.items()]
        java = ["java", "-Xmx256m", *JAVA, *given, "-cp", f"{REST_JARS}/*"]
        main = "org.eclipse.jetty.xml.XmlConfiguration"
        self.launch([*java, main, SERVER], env=environment(**self.s3.environment))


class Spark(Service):
    """A process of Spark standalone; its page is on the next port."""

    memory = "1g"

    def launch_class(self, name: str, *given: Any) -> None:
        own = {
            "SPARK_HOME": SPARK,
            "SPARK_CONF_DIR": self.folder,
            "SPARK_LOCAL_DIRS": self.folder / "local",
            "SPARK_LOCAL_IP": HOST,  # of its page, which would else listen to everybody
            "SPARK_DAEMON_MEMORY": "256m",
        }
        command = [SPARK / "bin" / "spark-class", f"org.apache.spark.deploy.{name}"]
        where = ["--host", HOST, "--port", self.port, "--webui-port", self.port + 1]
        self.launch([*command, *where, *given], cwd=self.folder, env=environment(**own))


class Master(Spark):
    name = "spark-master"

    @property
    def address(self) -> str:
        return f"spark://{HOST}:{self.port}"

    def start(self) -> None:
        self.launch_class("master.Master")


class Worker(Spark):
    """A worker of one core, which starts and ends the executors of each program."""

    def __init__(self, folder: Path, port: int, number: int, master: Master) -> None:
        self.name = f"spark-worker-{number}"
        super().__init__(folder, port)
        self.master = master

    def start(self) -> None:
        given = ["--cores", CORES, "--memory", self.memory, "--work-dir", self.folder / "work"]
        self.launch_class("worker.Worker", *given, self.master.address)


class Cluster:
    """All services of a folder, on ports from ``port`` on."""

    PORTS = 9

    def __init__(self, folder: Path, port: int) -> None:
        require()
        self.folder = folder.resolve()
        self.postgresql = PostgreSql(self.folder, port)
        self.s3 = S3(self.folder, port + 1)
        self.rest = RestCatalog(self.folder, port + 2, self.postgresql, self.s3)
        self.master = Master(self.folder, port + 3)
        self.workers = [Worker(self.folder, port + 5 + 2 * n, n + 1, self.master) for n in (0, 1)]

    @property
    def services(self) -> tuple[Service, ...]:
        """In the order in which they are stopped."""
        return *self.workers, self.master, self.rest, self.s3, self.postgresql

    def up(self, with_rest: bool = True) -> None:
        """Start what does not run."""
        is_new = not (self.postgresql.folder / "data").exists()
        self.postgresql.start()
        if is_new:
            with self.postgresql.connect("postgres") as connection:
                connection.execute(f"create role {LOGIN} login password '{LOGIN}'")
                for kind in WAREHOUSES:
                    connection.execute(f"create database {kind} owner {LOGIN}")
        self.s3.start()
        self.master.start()
        for worker in self.workers:
            worker.start()
        if with_rest:
            self.rest.start()

    def down(self) -> None:
        """Stop all, and remove what they hold: a catalog whose files are gone is of no use."""
        for service in self.services:
            service.stop()
        shutil.rmtree(self.folder)

    def environment(self, kind: str) -> dict[str, str]:
        """What the target ``cluster`` of a profile reads.

        Args:
            kind: ``jdbc`` or ``rest``.
        """
        by_kind = {
            "jdbc": {
                "LAKEMIRROR_CATALOG_URI": self.database("jdbc"),
                "LAKEMIRROR_CATALOG_USER": LOGIN,
                "LAKEMIRROR_CATALOG_PASSWORD": LOGIN,
            },
            "rest": {"LAKEMIRROR_CATALOG_URI": self.rest.address},
        }
        return {
            "LAKEMIRROR_SPARK_MASTER": self.master.address,
            "LAKEMIRROR_CATALOG_TYPE": kind,
            **by_kind[kind],
            "LAKEMIRROR_WAREHOUSE": WAREHOUSES[kind],
            **self.s3.environment,
        }

    def database(self, name: str) -> str:
        return f"jdbc:postgresql://{HOST}:{self.postgresql.port}/{name}"

    def make_catalog(self, name: str) -> dict[str, str]:
        """A new catalog on a database of its own, whose warehouse is called so, too; returns what
        names it in place of what ``environment`` has."""
        with self.postgresql.connect("postgres") as connection:
            connection.execute(f"create database {name} owner {LOGIN}")
        return {
            "LAKEMIRROR_CATALOG_URI": self.database(name),
            "LAKEMIRROR_WAREHOUSE": f"s3://{BUCKET}/{name}",
        }
