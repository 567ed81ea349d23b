"""``python -m stack``: what make's targets stack-..., cluster-... and demo-live call."""

import argparse
import os
import sys
from pathlib import Path

from stack import connectors, packages, workload
from stack.cluster import WAREHOUSES, Cluster
from stack.demo import demo
from stack.services import Stack, StackError

CLUSTER_PORT = 23160
COMMANDS = ("install", "up", "down", "demo", "cluster-up", "cluster-down")


def main() -> int:
    """Do what the argument says; 1 where it cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m stack")
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("--seconds", type=int, default=60, help="how long the demo goes on")
    parser.add_argument(
        "--timeout",
        type=float,
        default=1800,
        help="seconds that the demo waits for one change (default 1800)",
    )
    given = parser.parse_args()
    try:
        if given.command == "install":
            packages.install()
            return 0
        if given.command.startswith("cluster-"):
            folder = Path(os.environ.get("LAKEMIRROR_CLUSTER", ".cache/cluster"))
            cluster = Cluster(folder, int(os.environ.get("LAKEMIRROR_CLUSTER_PORT", CLUSTER_PORT)))
            cluster.down() if given.command == "cluster-down" else cluster_up(cluster)
            return 0
        stack = Stack.of_environment()
        if given.command == "down":
            stack.down()
        elif given.command == "up":
            up(stack)
        else:
            demo(stack, given.seconds, given.timeout)
    except (packages.NotInstalledError, StackError) as problem:
        sys.stderr.write(f"{problem}.\n")
        return 1
    return 0


def up(stack: Stack) -> None:
    """Start all services; what was there before is there again."""
    is_new = not stack.mariadb.folder.joinpath("data").exists()
    for service in (stack.mariadb, stack.postgresql, stack.kafka):
        service.start()
        sys.stdout.write(f"{service.name} listens on port {service.port}\n")
    if is_new:
        workload.prepare(stack)
    stack.connect.start(connectors.all_of(stack))
    memory = ", ".join(f"{name} {megabytes}" for name, megabytes in stack.memory().items())
    sys.stdout.write(f"connect listens on port {stack.connect.port}\nMegabytes: {memory}\n")
    sys.stdout.write(
        f"\nexport LAKEMIRROR_KAFKA_BOOTSTRAP_SERVERS={stack.kafka.address}\n"
        f"export LAKEMIRROR_TOPICS='{connectors.TOPICS}'\n"
    )


def cluster_up(cluster: Cluster) -> None:
    """Start what does not run, and write what a shell has to know of each catalog."""
    cluster.up()
    for service in cluster.services:
        sys.stdout.write(f"{service.name} listens on port {service.port}\n")
    for kind in WAREHOUSES:
        file = cluster.folder / f"{kind}.env"
        lines = [f"export {name}={value}\n" for name, value in cluster.environment(kind).items()]
        file.write_text("".join(lines), encoding="utf-8")
        sys.stdout.write(f"source {file}   # a catalog by {kind}\n")
    sys.stdout.write(f"Spark's page: http://127.0.0.1:{cluster.master.port + 1}\n")


if __name__ == "__main__":
    sys.exit(main())
