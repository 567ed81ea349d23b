"""The processes of the stack, each in a folder of its own and bound to the loopback address."""

import json
import os
import pwd
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from stack.packages import KAFKA_JARS, PLUGIN_FOLDER, REGISTRY, postgres_programs, require

HOST = "127.0.0.1"
PORT = 23060  # the first of those of make stack-up
SECONDS = 180  # until a process must be ready
JAVA = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
LOG4J = Path(__file__).with_name("log4j2.properties")
USER, PASSWORD = "debezium", "debezium"  # of databases that only this machine reaches
KAFKA = """
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{host}:{controller}
listeners=PLAINTEXT://{host}:{port},CONTROLLER://{host}:{controller}
advertised.listeners=PLAINTEXT://{host}:{port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder}/data
num.partitions=3
offsets.topic.num.partitions=1
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
num.network.threads=1
num.io.threads=2
background.threads=2
log.cleaner.dedupe.buffer.size=2097152
log.segment.bytes=16777216
"""
CONNECT = """
bootstrap.servers={broker}
listeners=http://{host}:{port}
key.converter=org.apache.kafka.connect.json.JsonConverter
value.converter=org.apache.kafka.connect.json.JsonConverter
offset.storage.file.filename={folder}/offsets
offset.flush.interval.ms=1000
plugin.path={plugins}
plugin.discovery=hybrid_warn
"""


def free_port(how_many: int = 1) -> int:
    """The first of so many ports in a row that nobody uses.

    They are below those that Linux gives to clients (32768 and up): a port of these may be taken
    by anyone's connection before its server listens, even by one that asks whether it listens.
    """
    while True:
        first = random.randrange(20_000, 32_000)
        if all(is_free(first + n) for n in range(how_many)):
            return first


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def listens(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex((HOST, port)) == 0


class StackError(Exception):
    """A process did not start; says where its log is."""


class Service:
    """A process that survives the one that starts it, and is found again by its pid."""

    name: str

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder / self.name
        self.port = port
        self.folder.mkdir(parents=True, exist_ok=True)

    @property
    def pid(self) -> int | None:
        """Of the running process; None when it does not run."""
        try:
            pid = int((self.folder / "pid").read_text())
            is_zombie = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
        except (FileNotFoundError, ValueError, ProcessLookupError):
            return None
        return None if is_zombie else pid

    def launch(self, command: Sequence[Any], **options: Any) -> None:
        """Start the process and wait until its port answers.

        Raises:
            StackError: it ends, or is not ready in time.
        """
        if self.pid:
            return
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [*map(str, command)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **options,
            )
        (self.folder / "pid").write_text(str(process.pid))
        end = time.monotonic() + SECONDS
        while not self.is_ready():
            if process.poll() is not None or time.monotonic() > end:
                raise self.error("did not start")
            time.sleep(0.1)

    def is_ready(self) -> bool:
        return listens(self.port)

    def stop(self, sign: int = signal.SIGTERM) -> None:
        """End the process, and wait until it has ended."""
        pid = self.pid
        if pid is None:
            return
        os.kill(pid, sign)
        end = time.monotonic() + SECONDS
        while self.pid:
            with suppress(ChildProcessError):  # only where this process has started it
                os.waitpid(pid, os.WNOHANG)
            if time.monotonic() > end:
                os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)

    def kill(self) -> None:
        """As a machine that loses its power does."""
        self.stop(signal.SIGKILL)

    def error(self, what: str) -> StackError:
        """Says where the log is, and its last lines."""
        log = self.folder / "log"
        end = log.read_text(errors="replace").splitlines()[-10:]
        return StackError("\n".join([f"{self.name} {what}: see {log}, which ends so:", *end]))

    def run(self, *command: Any, **options: Any) -> None:
        """A command that has to succeed; what it says goes to the log."""
        with (self.folder / "log").open("ab") as log:
            done = subprocess.run(
                [*map(str, command)], stdout=log, stderr=subprocess.STDOUT, **options
            )
        if done.returncode:
            raise self.error(f"cannot run {command[0]}")


class MariaDb(Service):
    """The database ``store``, with row images as a mirror needs them.

    Attributes:
        server_id: a replica needs another one.
    """

    name = "mariadb"
    server_id = 1

    def start(self) -> None:
        data = self.folder / "data"
        user = ["--user=root"] if os.geteuid() == 0 else []
        if not (data / "mysql").exists():
            self.run(
                *("mariadb-install-db", "--no-defaults", f"--datadir={data}", "--skip-test-db"),
                *("--auth-root-authentication-method=normal", *user),
            )
        self.launch(
            [
                *("mariadbd", "--no-defaults", f"--datadir={data}", *user),
                *(
                    f"--socket={self.folder}/socket",
                    f"--bind-address={HOST}",
                    f"--port={self.port}",
                ),
                *(
                    f"--server-id={self.server_id}",
                    f"--log-bin={self.folder}/binlog",
                    "--binlog-format=ROW",
                ),
                *("--binlog-row-image=FULL", "--binlog-row-metadata=FULL", "--gtid-strict-mode=1"),
                *("--innodb-buffer-pool-size=64M", "--innodb-flush-log-at-trx-commit=2"),
                *("--performance-schema=OFF", "--character-set-server=utf8mb4"),
                *("--collation-server=utf8mb4_bin", "--default-time-zone=+00:00"),
            ]
        )

    def replica(self, folder: Path, port: int) -> "MariaDb":
        """A server that follows this one from its beginning."""
        replica = MariaDb(folder, port)
        replica.server_id = 2
        replica.start()
        cursor = replica.connect("").cursor()
        primary = f"master_host = '{HOST}', master_port = {self.port}, master_user = 'root'"
        cursor.execute(f"change master to {primary}, master_use_gtid = slave_pos")
        cursor.execute("start slave")
        return replica

    def connect(self, database: str = "store") -> Any:
        """A connection that commits each statement."""
        import pymysql

        return pymysql.connect(
            host=HOST, port=self.port, user="root", database=database or None, autocommit=True
        )


class PostgreSql(Service):
    """The database ``shop``; its server refuses to run as root, and runs as its own user then.

    Attributes:
        settings: of the server, beside those that all have.
    """

    name = "postgresql"

    def __init__(self, folder: Path, port: int) -> None:
        super().__init__(folder, port)
        self.settings: dict[str, str] = {}

    def standby(self, folder: Path, port: int) -> "PostgreSql":
        """A replica, as the server is now, which stops for that."""
        self.stop()
        replica = PostgreSql(folder, port)
        shutil.rmtree(replica.folder)
        self.run("cp", "-a", self.folder, replica.folder)
        (replica.folder / "pid").unlink()
        (replica.folder / "data" / "standby.signal").touch()
        told = f"host={HOST} port={self.port} user=postgres"
        replica.settings = {"primary_conninfo": told}
        self.start()
        replica.start()
        return replica

    def start(self) -> None:
        data, programs = self.folder / "data", postgres_programs()
        assert programs is not None
        account = as_postgres() if os.geteuid() == 0 else {}
        if not data.exists():
            if account:
                os.chown(self.folder, account["user"], account["group"])
                if subprocess.run(["test", "-w", self.folder], **account).returncode:
                    raise StackError(
                        f"the user postgres cannot reach {self.folder}: set LAKEMIRROR_STACK to a "
                        "folder that it can, such as /var/tmp/lakemirror"
                    )
            given = ["--username=postgres", "--auth=trust", "--no-sync", "--encoding=UTF8"]
            given += ["--locale=C.UTF-8", f"--pgdata={data}"]
            self.run(programs / "initdb", *given, cwd="/", **account)
        settings = {
            "port": self.port,
            "listen_addresses": HOST,
            "unix_socket_directories": "",
            "wal_level": "logical",
            "fsync": "off",
            "timezone": "UTC",
            **self.settings,
        }
        options = [f"--{name}={value}" for name, value in settings.items()]
        self.launch([programs / "postgres", "-D", data, *options], cwd="/", **account)

    def stop(self, sign: int = signal.SIGINT) -> None:
        """A fast shutdown: it waits for no client."""
        super().stop(sign)

    def is_ready(self) -> bool:
        program = shutil.which("pg_isready") or f"{postgres_programs()}/pg_isready"
        asked = [program, "-q", "-h", HOST, "-p", str(self.port)]
        return subprocess.run(asked, stdout=subprocess.DEVNULL).returncode == 0

    def connect(self, database: str = "shop") -> Any:
        """A connection that commits each statement."""
        import psycopg

        return psycopg.connect(
            host=HOST, port=self.port, user="postgres", dbname=database, autocommit=True
        )


def as_postgres() -> dict[str, Any]:
    """Options of subprocess that run a program as the user postgres."""
    account = pwd.getpwnam("postgres")
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


class Kafka(Service):
    """One broker (KRaft) that is its own controller, on the next port."""

    name = "kafka"

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    def start(self) -> None:
        given = {"host": HOST, "port": self.port, "controller": self.port + 1}
        settings = self.folder / "server.properties"
        settings.write_text(KAFKA.format(folder=self.folder, **given))
        java = ["java", "-Xmx320m", "-Xms64m", *JAVA, f"-Dlog4j2.configurationFile={LOG4J}"]
        java += ["-cp", f"{KAFKA_JARS}/*"]
        if not (self.folder / "data").exists():
            cluster = "lakemirror-stack-0001w"  # any 16 bytes
            self.run(*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", settings)
        self.launch([*java, "kafka.Kafka", settings])


class Connect(Service):
    """Kafka Connect with Debezium; connectors keep their offsets over a restart."""

    name = "connect"

    def __init__(self, folder: Path, port: int, kafka: Kafka) -> None:
        super().__init__(folder, port)
        self.kafka = kafka

    def start(self, connectors: Mapping[str, Mapping[str, str]]) -> None:
        """Start with these connectors' configurations, by name."""
        settings = self.folder / "worker.properties"
        given = {"host": HOST, "port": self.port, "broker": self.kafka.address}
        settings.write_text(CONNECT.format(folder=self.folder, plugins=PLUGIN_FOLDER, **given))
        files = []
        for name, configuration in connectors.items():
            files.append(self.folder / f"{name}.json")
            files[-1].write_text(json.dumps({"name": name, "config": configuration}, indent=2))
        java = ["java", "-Xmx384m", "-Xms64m", *JAVA, f"-Dlog4j2.configurationFile={LOG4J}"]
        self.launch(
            [
                *(*java, "-cp", f"{KAFKA_JARS}/*"),
                *("org.apache.kafka.connect.cli.ConnectStandalone", settings, *files),
            ]
        )


class Registry(Service):
    """A schema registry, Apicurio's, which keeps its schemas in memory."""

    name = "registry"

    @property
    def address(self) -> str:
        """Of Apicurio's own API, which its converter speaks."""
        return f"http://{HOST}:{self.port}/apis/registry/v2"

    @property
    def url(self) -> str:
        """Of the API that Confluent's has too."""
        return f"http://{HOST}:{self.port}/apis/ccompat/v7"

    def start(self) -> None:
        runner = next(REGISTRY.glob("*-runner.jar"))
        given = [f"-Dquarkus.http.host={HOST}", f"-Dquarkus.http.port={self.port}"]
        self.launch(["java", "-Xmx256m", *JAVA, *given, "-jar", runner])


class Stack:
    """All services of a folder, on ports from ``port`` on."""

    def __init__(self, folder: Path, port: int) -> None:
        require()
        self.folder = folder.resolve()
        self.mariadb = MariaDb(self.folder, port)
        self.postgresql = PostgreSql(self.folder, port + 1)
        self.kafka = Kafka(self.folder, port + 2)
        self.connect = Connect(self.folder, port + 4, self.kafka)

    @classmethod
    def of_environment(cls) -> "Stack":
        """That of ``make stack-up``, wherever the environment has it."""
        folder = Path(os.environ.get("LAKEMIRROR_STACK", ".cache/stack"))
        return cls(folder, int(os.environ.get("LAKEMIRROR_STACK_PORT", PORT)))

    @property
    def services(self) -> tuple[Service, ...]:
        """In the order in which they are stopped: a worker that outlives its broker is lost."""
        return self.connect, self.kafka, self.postgresql, self.mariadb

    def down(self) -> None:
        for service in self.services:
            service.stop()

    def memory(self) -> dict[str, int]:
        """Resident megabytes of each process and its children, without shared pages twice."""
        return {
            service.name: sum(map(proportional, family(service.pid))) for service in self.services
        }


def family(pid: int | None) -> list[int]:
    """A process and its descendants."""
    if pid is None:
        return []
    return [pid, *(each for child in children(pid) for each in family(child))]


def children(pid: int) -> list[int]:
    """Of each thread of a process: a worker of Spark starts its executors by threads."""
    found: list[int] = []
    for file in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # a thread may have ended meanwhile
            found += map(int, file.read_text().split())
    return found


def proportional(pid: int) -> int:
    """Megabytes of a process, of shared pages its part."""
    text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    return int(text.split("Pss:")[1].split()[0]) // 1024
