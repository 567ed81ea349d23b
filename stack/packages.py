"""The programs of the stack: Debian's packages, pinned jars from Maven Central, and Moto."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

DEBIAN = ("mariadb-server", "postgresql", "maven")
FOLDER = Path(__file__).parent
DEBEZIUM = "3.5.0.Final"  # the newest that has both connectors
PLUGINS = ("debezium-connector-mariadb", "debezium-connector-postgres")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "lakemirror" / "stack"
KAFKA_JARS = CACHE / "kafka"
PLUGIN_FOLDER = CACHE / f"debezium-{DEBEZIUM}"
APICURIO = "2.6.13.Final"  # the newest whose converter Maven Central has whole
REGISTRY = CACHE / f"apicurio-registry-{APICURIO}"
CONVERTER = PLUGIN_FOLDER / "apicurio-converter"
SINK = PLUGIN_FOLDER / "iceberg-sink"
REST_JARS = CACHE / "rest-catalog"
YARN_JARS = CACHE / "yarn"  # which the first YARN fetches
MOTO = CACHE / "moto"  # a virtual environment


class NotInstalledError(Exception):
    """A program of the stack is missing; says which, and how to get it."""


def missing() -> list[str]:
    """What is not on this machine yet."""
    programs = [] if shutil.which("mariadbd") else ["mariadbd"]
    programs += [] if postgres_programs() else ["postgres"]
    folders = [KAFKA_JARS, *(PLUGIN_FOLDER / name for name in PLUGINS), REGISTRY, CONVERTER, SINK]
    folders += [REST_JARS, MOTO]
    return programs + [folder.name for folder in folders if not folder.exists()]


def require() -> None:
    """Raises NotInstalledError unless all is there."""
    lacking = missing()
    if lacking:
        raise NotInstalledError(f"not installed: {', '.join(lacking)}; run make stack-install")


def postgres_programs() -> Path | None:
    """The folder of PostgreSQL's server programs, the newest version's."""
    found = shutil.which("initdb")
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda p: int(p.parent.name))
    return Path(found).parent if found else folders[-1] if folders else None


def install() -> None:
    """Fetch what is missing; Debian's packages only where apt-get and root are there."""
    if not (shutil.which("mariadbd") and postgres_programs() and shutil.which("mvn")):
        if not shutil.which("apt-get") or os.geteuid():
            raise NotInstalledError(f"install MariaDB, PostgreSQL and Maven first ({DEBIAN})")
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        subprocess.run(["apt-get", "update", "-qq"], check=True, env=quiet)
        subprocess.run(
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *DEBIAN],
            check=True,
            env=quiet,
            stdout=subprocess.DEVNULL,
        )
    for name in PLUGINS:
        if not (PLUGIN_FOLDER / name).exists():
            unpack("io.debezium", name, DEBEZIUM, "plugin", PLUGIN_FOLDER / name)
    if not REGISTRY.exists():
        unpack("io.apicurio", "apicurio-registry-app", APICURIO, "all", REGISTRY)
    poms = {"kafka.xml": KAFKA_JARS, "converter.xml": CONVERTER, "sink.xml": SINK}
    poms["rest-catalog.xml"] = REST_JARS
    for pom, folder in poms.items():
        if not folder.exists():
            copy_dependencies(pom, folder)
    if not MOTO.exists():
        install_moto()


def install_moto() -> None:
    """Moto's server in a virtual environment of its own: its packages are none of the project's.
    The folder is there whole or not, and programs in it go by its last name."""
    new = Path(f"{MOTO}.new")
    uv = Path(sys.executable).with_name("uv")
    subprocess.run([sys.executable, "-m", "venv", "--clear", "--without-pip", new], check=True)
    locked = ["--require-hashes", "--no-deps", "-r", FOLDER / "moto.lock"]
    subprocess.run([uv, "pip", "install", "--quiet", "--python", new, *locked], check=True)
    new.rename(MOTO)


def copy_dependencies(pom: str, folder: Path) -> None:
    """The jars that a POM of this folder names, with theirs; the folder is there whole or not."""
    given = [f"-DoutputDirectory={folder}.new", "-DincludeScope=runtime"]
    maven("-f", FOLDER / pom, "dependency:copy-dependencies", *given)
    Path(f"{folder}.new").rename(folder)


def unpack(group: str, name: str, version: str, classifier: str, folder: Path) -> None:
    """An archive of Maven Central, unpacked; what it has is there whole or not."""
    artifact = f"{group}:{name}:{version}:tar.gz:{classifier}"
    maven("dependency:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={CACHE}")
    file, new = CACHE / f"{name}-{version}-{classifier}.tar.gz", Path(f"{folder}.new")
    with tarfile.open(file) as archive:
        archive.extractall(new, filter="data")
    file.unlink()
    new.rename(folder)


def maven(*arguments: str | Path) -> None:
    subprocess.run(["mvn", "-q", "-B", *arguments], check=True)
