"""Apache DataFusion Comet: Spark's joins, aggregates and shuffles in native code."""

import os
import platform
import re
from collections.abc import Mapping
from pathlib import Path

from lakemirror.jars import COMET

GIB = 1 << 30
LEAST_OFF_HEAP = GIB  # bytes
SIZE_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": GIB, "t": 1 << 40, "p": 1 << 50}
PLUGINS, PLUGIN = "spark.plugins", "org.apache.spark.CometPlugin"
DRIVER_MEMORY, OFF_HEAP = "spark.driver.memory", "spark.memory.offHeap.size"
CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


class CometError(Exception):
    """Comet cannot start: one sentence that says why, and what helps."""


def comet_conf(given: Mapping[str, str]) -> dict[str, str]:
    """Spark's settings for Comet, beside its jar.

    Its own scan of Iceberg's tables is off: where a column ``is distinct from`` a literal, it
    leaves out the rows that have a null there, and says nothing. Iceberg's scan reads, and what
    follows is native. The window operator is off: `lag` over a struct fails in it ("Cannot cast
    nullable struct field"), and the fold orders changes by one. So are lpad and rpad, which fail
    where all their arguments are constants ("Unsupported arguments"): the range of a shard is such
    a one. And so is `any_value`, which fails over a struct that has a constant ("column types must
    match schema types"): a log keeps one row of a record by it.

    Args:
        given: the profile's settings of Spark, of which those of memory are read, and the plugins,
            which Comet's goes beside.

    Raises:
        CometError: the machine has no native library of Comet's, or too little memory, or what is
            given is no size.
    """
    problem = machine_problem(platform.system(), platform.machine(), platform.libc_ver()[0])
    if problem:
        raise CometError(problem)
    driver_memory = size(given.get(DRIVER_MEMORY, "1g"))
    others = [name for name in given.get(PLUGINS, "").split(",") if name]
    off_heap = given.get(OFF_HEAP) or str(off_heap_size(memory(), driver_memory))
    return {
        PLUGINS: ",".join(dict.fromkeys([*others, PLUGIN])),
        "spark.shuffle.manager": (
            "org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager"
        ),
        "spark.memory.offHeap.enabled": "true",
        OFF_HEAP: off_heap,
        "spark.comet.scan.icebergNative.enabled": "false",
        "spark.comet.exec.window.enabled": "false",
        "spark.comet.expression.StringLPad.enabled": "false",
        "spark.comet.expression.StringRPad.enabled": "false",
        "spark.comet.expression.First.enabled": "false",
    }


def machine_problem(system: str, machine: str, libc: str) -> str | None:
    """Why Comet has no native library for a machine; None where it has one.

    >>> machine_problem("Linux", "x86_64", "glibc")
    >>> machine_problem("Linux", "x86_64", "")
    'accelerate: comet needs glibc, and this machine has another C library. Leave it out here.'
    """
    leave = "Leave it out here."
    if system != "Linux" or machine not in ("x86_64", "amd64", "aarch64"):
        return f"accelerate: {COMET} has no native library for {system} on {machine}. {leave}"
    if libc != "glibc":
        return f"accelerate: comet needs glibc, and this machine has another C library. {leave}"
    return None


def off_heap_size(total: int, driver_memory: int) -> int:
    """How many bytes Comet gets: half of what Spark's heap leaves, and at least 1 GiB.

    Raises:
        CometError: there is not as much.
    """
    left = total - driver_memory
    if left < 2 * LEAST_OFF_HEAP:
        raise CometError(
            f"accelerate: comet needs 2 GiB beside {DRIVER_MEMORY} ({driver_memory >> 20} MiB), "
            f"and this machine has {total >> 20} MiB. Leave it out here, or set {OFF_HEAP}."
        )
    return left // 2


def memory() -> int:
    """The bytes of memory that this process may use: its container's, or the machine's."""
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limits = [path.read_text().strip() for path in CGROUP_LIMITS if path.exists()]
    return min([total, *(int(limit) for limit in limits if limit.isdigit())])


def size(text: str) -> int:
    """The bytes of a size as Spark writes it.

    >>> size("1536m") == 1536 << 20, size("2g"), size("4096")
    (True, 2147483648, 4096)

    Raises:
        CometError: it is none.
    """
    found = re.fullmatch(r"(\d+)([kmgtp]?)b?", text.strip().lower())
    if found is None:
        raise CometError(f"{DRIVER_MEMORY}: a size such as 4g or 1536m is expected, and not {text}")
    return int(found[1]) * SIZE_UNITS[found[2]]
