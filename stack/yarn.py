"""YARN on loopback: a resource manager and a node manager, for programs of Spark."""

import os
from pathlib import Path
from typing import Any

from stack.cluster import SPARK
from stack.packages import YARN_JARS, copy_dependencies, require
from stack.services import HOST, JAVA, Service

JARS = SPARK / "jars"
# Hadoop 3.4 asks classes of Java 17 for what they keep to themselves
OPENED = [f"--add-opens=java.base/java.{name}=ALL-UNNAMED" for name in ("lang", "util")]
SERVER = "org.apache.hadoop.yarn.server"
MEMORY, CORES = 6144, 4  # of the node, in MB: containers are of 1 GB at the least


class Daemon(Service):
    """A process of YARN's.

    Args:
        folder: what it shares with the others: the configuration is in ``conf``.
    """

    main: str
    memory: str

    def start(self) -> None:
        conf = self.folder.parent / "conf"
        path = [conf, f"{YARN_JARS}/*", f"{JARS}/*"]
        java = ["java", f"-Xmx{self.memory}", *JAVA, *OPENED]
        self.launch(
            [*java, "-cp", ":".join(map(str, path)), f"{SERVER}.{self.main}"],
            cwd=self.folder,
            env=os.environ | {"HADOOP_CONF_DIR": str(conf)},
        )


class ResourceManager(Daemon):
    name, main, memory = "resource-manager", "resourcemanager.ResourceManager", "300m"


class NodeManager(Daemon):
    name, main, memory = "node-manager", "nodemanager.NodeManager", "300m"


class Yarn:
    """Both, on ports from ``port`` on."""

    PORTS = 8

    def __init__(self, folder: Path, port: int) -> None:
        require()
        if not YARN_JARS.exists():
            copy_dependencies("yarn.xml", YARN_JARS)
        self.folder, self.port = folder.resolve() / "yarn", port
        self.daemons = (ResourceManager(self.folder, port), NodeManager(self.folder, port + 5))

    @property
    def environment(self) -> dict[str, str]:
        """What a program finds it by."""
        return {"HADOOP_CONF_DIR": str(self.folder / "conf")}

    def up(self) -> None:
        conf = self.folder / "conf"
        conf.mkdir(exist_ok=True)
        local = {"fs.defaultFS": "file:///", "hadoop.tmp.dir": self.folder / "tmp"}
        (conf / "core-site.xml").write_text(xml(local), encoding="utf-8")
        (conf / "yarn-site.xml").write_text(xml(self.site()), encoding="utf-8")
        for daemon in self.daemons:
            daemon.start()

    def down(self) -> None:
        for daemon in reversed(self.daemons):
            daemon.stop()

    def site(self) -> dict[str, Any]:
        """What both read of each other, and how much a node has."""
        manager, node = "yarn.resourcemanager", "yarn.nodemanager"
        places = [f"{manager}.{name}address" for name in ("", "scheduler.", "resource-tracker.")]
        places += [f"{manager}.admin.address", f"{manager}.webapp.address"]
        places += [f"{node}.{name}address" for name in ("", "localizer.", "webapp.")]
        scheduler = f"{SERVER}.resourcemanager.scheduler.fifo.FifoScheduler"
        return {
            **{name: f"{HOST}:{self.port + n}" for n, name in enumerate(places)},
            f"{manager}.scheduler.class": scheduler,
            f"{node}.resource.memory-mb": MEMORY,
            f"{node}.resource.cpu-vcores": CORES,
            f"{node}.vmem-check-enabled": "false",
            f"{node}.local-dirs": self.folder / "local",
            f"{node}.log-dirs": self.folder / "logs",
            # a disk that is nearly full is no reason here
            f"{node}.disk-health-checker.max-disk-utilization-per-disk-percentage": 99,
        }


def xml(properties: dict[str, Any]) -> str:
    """Hadoop's file of properties."""
    lines = [
        f"<property><name>{name}</name><value>{value}</value></property>"
        for name, value in properties.items()
    ]
    return "\n".join(["<configuration>", *lines, "</configuration>", ""])
