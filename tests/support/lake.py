"""A lake of a test's own, the recordings that it lands, and dbt on both."""

import os
import shutil
from pathlib import Path
from typing import Any

import yaml

from dbt.adapters.lakemirror.connections import LakemirrorCredentials
from lakemirror.lake import pyiceberg_catalog
from support.manifests import invoke

PROJECT = Path(__file__).parents[2]
DEMO = PROJECT / "demo"
PROFILES = yaml.safe_load((PROJECT / "profiles" / "profiles.yml").read_text(encoding="utf-8"))
PROFILE = PROFILES["lakemirror"]["outputs"]["local"]
# a process runs for half an hour: with Java's own size of the new objects' space, it collects much
# more often, and takes a sixth more of the CPU (docs/performance.md)
JAVA_OPTIONS = PROFILE["server_side_parameters"]["spark.driver.extraJavaOptions"] + " -Xmn600m"


class Lake:
    """A lake, the recordings that it lands, and dbt on both."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.recordings = folder / "recordings"
        self.recordings.mkdir(parents=True)

    @property
    def catalog(self) -> Any:
        return pyiceberg_catalog(self.folder)

    def spark_conf(self) -> dict[str, str]:
        """Spark's settings, for a JVM that a test starts before dbt does: those of the profile."""
        credentials = LakemirrorCredentials(
            schema="marts",
            lake=str(self.folder),
            accelerate=os.environ.get("LAKEMIRROR_ACCELERATE"),
            server_side_parameters=PROFILE["server_side_parameters"]
            | {"spark.master": "local[*]", "spark.driver.extraJavaOptions": JAVA_OPTIONS},
        )
        return credentials.jvm_conf()

    def land_demo(self) -> None:
        for file in DEMO.glob("*.jsonl.gz"):
            shutil.copy(file, self.recordings)

    def dbt(self, *arguments: str, fails: bool | None = False) -> Any:
        """Run dbt; the run must succeed, or fail where ``fails`` is set; None lets it do either."""
        paths = ["--target-path", str(self.folder / "target"), "--log-path", str(self.folder)]
        result = invoke([*arguments, *paths])
        assert fails is None or result.success is not fails, messages(result)
        return result

    def snapshots(self, relation: str) -> list[int]:
        """The ids of a table's snapshots."""
        return [s.snapshot_id for s in self.catalog.load_table(relation).snapshots()]


def messages(result: Any) -> str:
    """What a run said, node by node, or why there was none."""
    rows = getattr(result.result, "results", None) or []
    return "\n".join(f"{r.node.name}: {r.status} {r.message}" for r in rows) or str(
        result.exception
    )
