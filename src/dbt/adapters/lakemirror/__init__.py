"""dbt-spark for open-source Spark with an Iceberg catalog: what it lacks there, and no more."""

from pathlib import Path

from dbt.adapters.base import AdapterPlugin

from dbt.adapters.lakemirror.connections import LakemirrorCredentials
from dbt.adapters.lakemirror.impl import LakemirrorAdapter

_here = Path(__file__).resolve()
# The repository's macros, where this is one: an editable install would keep old copies of them.
_repository, _wheel = _here.parents[4] / "macros", _here.parents[2] / "include" / "lakemirror"

Plugin = AdapterPlugin(
    adapter=LakemirrorAdapter,  # type: ignore[arg-type]
    credentials=LakemirrorCredentials,
    include_path=str(_repository if (_repository / "dbt_project.yml").exists() else _wheel),
    dependencies=["spark"],
    project_name="lakemirror",
)
