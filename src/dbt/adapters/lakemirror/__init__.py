"""dbt-spark for open-source Spark with an Iceberg catalog: what it lacks there, and no more."""

from pathlib import Path

from dbt.adapters.base import AdapterPlugin

from dbt.adapters.lakemirror.connections import LakemirrorCredentials
from dbt.adapters.lakemirror.impl import LakemirrorAdapter

Plugin = AdapterPlugin(
    adapter=LakemirrorAdapter,  # type: ignore[arg-type]
    credentials=LakemirrorCredentials,
    include_path=str(Path(__file__).parent / "include"),
    dependencies=["spark"],
    project_name="dbt_lakemirror",
)
