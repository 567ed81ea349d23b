"""When Comet can start, and with what memory."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.lakemirror.connections import LakemirrorCredentials, unresolved
from lakemirror import comet, lake
from lakemirror.comet import (
    GIB,
    PLUGIN,
    CometError,
    comet_conf,
    machine_problem,
    memory,
    off_heap_size,
    size,
)
from lakemirror.jars import COMET, JarsNotResolvedError


@pytest.mark.parametrize(
    ("system", "machine", "libc", "expected"),
    [
        ("Linux", "x86_64", "glibc", None),
        ("Linux", "aarch64", "glibc", None),
        ("Linux", "x86_64", "", "needs glibc"),
        ("Linux", "ppc64le", "glibc", "no native library for Linux on ppc64le"),
        ("Darwin", "arm64", "", "no native library for Darwin on arm64"),
        ("Windows", "AMD64", "", "no native library for Windows on AMD64"),
    ],
)
def test_a_machine(system, machine, libc, expected):
    found = machine_problem(system, machine, libc)
    assert (found is None) if expected is None else (expected in found)


def test_half_of_what_the_heap_leaves():
    assert off_heap_size(16 * GIB, 4 * GIB) == 6 * GIB
    with pytest.raises(CometError, match=r"needs 2 GiB beside spark\.driver\.memory \(2048 MiB\)"):
        off_heap_size(4 * GIB - 1, 2 * GIB)


def test_the_limit_of_a_container(tmp_path, monkeypatch):
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(comet, "CGROUP_LIMITS", (tmp_path / "none", limit))
    limit.write_text("max\n")
    unlimited = memory()
    limit.write_text(f"{unlimited // 2}\n")
    assert memory() == unlimited // 2


def test_what_is_given_is_not_chosen(monkeypatch):
    """A machine with too little memory may be told how much Comet gets."""
    monkeypatch.setattr(comet, "memory", lambda: GIB)
    monkeypatch.setattr(comet, "machine_problem", lambda *machine: None)
    assert comet_conf({"spark.memory.offHeap.size": "512m"})["spark.memory.offHeap.size"] == "512m"
    with pytest.raises(CometError, match="this machine has 1024 MiB"):
        comet_conf({})


@pytest.mark.parametrize("text", ["1.5g", "", "much", "4 x", "-1g"])
def test_what_is_no_size(text):
    with pytest.raises(CometError, match=r"spark\.driver\.memory: a size such as 4g"):
        size(text)
    assert size("1P") == 1 << 50


def test_a_jar_that_cannot_be_had():
    """Who has asked for Comet reads which line of the profile it is."""
    error = JarsNotResolvedError("cannot resolve x from Maven Central: offline")
    assert unresolved(error, "comet") == (
        "accelerate: cannot resolve x from Maven Central: offline. "
        "Leave it out here, or run again where Maven Central is reached."
    )
    assert unresolved(error, None) == str(error)


def credentials(**given):
    return LakemirrorCredentials(schema="marts", **given)


def test_an_accelerator_is_one_that_there_is():
    with pytest.raises(DbtRuntimeError, match="comet is expected, and not gluten"):
        credentials(lake="lake", accelerate="gluten")
    with pytest.raises(DbtRuntimeError, match="a server loads Comet by its own settings"):
        credentials(accelerate="comet")


def test_the_profile_wins(monkeypatch):
    monkeypatch.setattr(comet, "machine_problem", lambda *machine: None)
    monkeypatch.setattr(lake, "class_path", ":".join)
    given = {"spark.comet.exec.window.enabled": "true", "spark.memory.offHeap.size": "2g"}
    settings = given | {"spark.plugins": "org.example.Plugin"}
    made = credentials(lake="lake", accelerate="comet", server_side_parameters=settings).jvm_conf()
    assert given.items() <= made.items()
    assert made["spark.plugins"] == f"org.example.Plugin,{PLUGIN}"
    assert COMET in made["spark.driver.extraClassPath"]
    plain = credentials(lake="lake", accelerate="").jvm_conf()
    assert "spark.plugins" not in plain
    assert COMET not in plain["spark.driver.extraClassPath"]
