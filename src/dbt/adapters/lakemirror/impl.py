"""The adapter: listings that never lie, types and comments in the catalog, Python models."""

from collections.abc import Iterable, Iterator
from typing import Any

from dbt.adapters.base.impl import FreshnessResponse
from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import SparkAdapter
from dbt.context.exceptions_jinja import warn
from dbt_common.exceptions import DbtRuntimeError, EventCompilationError

from dbt.adapters.lakemirror import catalog
from dbt.adapters.lakemirror.connections import LakemirrorConnectionManager
from dbt.adapters.lakemirror.runs import ModelRun, as_dbt_errors, operate
from dbt.adapters.lakemirror.sources import (
    UNREAD,
    SourceOfModel,
    SourcesOfProject,
    known_schemas,
    open_records,
)
from dbt.adapters.lakemirror.warned import Warned
from lakemirror import java, notices
from lakemirror.layers import Layers
from lakemirror.runs.mirror_plan import SOFT_COLUMNS
from lakemirror.source import evolution
from lakemirror.source.masked import masked_columns
from lakemirror.state.erasures import ERASED_COLUMNS, ERASED_KEYS
from lakemirror.state.table_metadata import TableMetadata


class LakemirrorAdapter(SparkAdapter):
    ConnectionManager = LakemirrorConnectionManager
    _cut: dict[str, int] | None = None
    _open: dict[str, dict[str | None, int]] | None = None

    def __init__(self, config: Any, mp_context: Any) -> None:
        super().__init__(config, mp_context)
        self.warned = Warned()
        self._freshness: dict[str, tuple[AdapterResponse | None, FreshnessResponse]] = {}
        # by the schema of the raw tables, and by the schema ops that has the erasures
        self._schemas: dict[str, dict[str, list[dict[str, Any]]]] = {}
        self._erased: dict[str, set[str]] = {}
        self._erased_columns: dict[str, dict[str, set[str]]] = {}

    # -- what macros call --------------------------------------------------------------------

    @available.parse_none
    def begin(self, context: Any) -> ModelRun:
        """The run of a model of a materialization of lakemirror's: see lakemirror.runs.

        Args:
            context: dbt's own, of the materialization.
        """
        return ModelRun(self, context)

    @available.parse_none
    def operate(self, name: str, context: Any, **arguments: Any) -> None:
        """Run an operation, or a hook of a run: see lakemirror.runs.

        Args:
            context: dbt's own, of the macro.
        """
        operate(self, name, context, arguments)

    @available.parse_none
    def days_as_branches(self, daily: Any, mirror: Any) -> dict[str, Any]:
        """The days that a daily model has published as branches of its mirror, and the columns."""
        soft = {column["name"] for column in SOFT_COLUMNS}
        names = [column.name for column in self.get_columns_in_relation(mirror)]
        query = f"select cast(ds as string) as ds, branch from {daily} order by ds"
        return {"names": [n for n in names if n not in soft], "days": self.rows(query)}

    @classmethod
    def quote(cls, identifier: str) -> str:
        return evolution.quoted(identifier)

    # -- relations ---------------------------------------------------------------------------

    def list_relations_without_caching(self, schema_relation: Any) -> list[Any]:
        """Tables and views of a schema. A failure is an error, never an empty list (F39)."""
        schema = schema_relation.schema
        catalog = self.catalog
        rows: Any
        if catalog is not None:
            with as_dbt_errors():
                rows = java.relations(self.jvm_session, catalog, schema)
        elif self.check_schema_exists(None, schema):
            rows = self.execute_macro("lakemirror_list_relations", kwargs={"schema": schema})
        else:
            rows = ()
        return [
            self.Relation.create(
                schema=schema,
                identifier=name,
                type=kind,
                is_iceberg=kind == "table",
                is_delta=False,
                is_hudi=False,
            )
            for kind, name in rows
        ]

    def check_schema_exists(self, database: str | None, schema: str) -> bool:
        return schema in self.list_schemas(database)

    def list_schemas(self, database: Any) -> list[str]:
        catalog = self.catalog
        if catalog is None:
            return [*super().list_schemas(database)]
        with as_dbt_errors():
            return java.schemas(catalog)

    def _get_columns_for_catalog(self, relation: Any) -> Iterator[dict[str, Any]]:
        """A row per column with its DDL type and comment, and the table's size where known."""
        described = self.rows(f"describe extended {relation}")
        yield from catalog.rows_of(relation, [tuple(row) for row in described])

    def parse_describe_extended(self, relation: Any, raw_rows: Any) -> list[SparkColumn]:
        """A table's columns; dbt-spark would take one whose name begins with # for a comment."""
        rows = catalog.columns_of([tuple(row) for row in raw_rows])
        return [SparkColumn(column=name, dtype=data_type) for name, data_type, _ in rows]

    # -- Iceberg's tables --------------------------------------------------------------------

    def metadata(self, relation: Any) -> TableMetadata | None:
        """What a table's metadata says; None where only statements can ask for it."""
        session = self.jvm_session
        return None if session is None else java.metadata(session, relation)

    def rows(self, query: str) -> Any:
        return self.execute(query, fetch=True)[1].rows

    @available.parse(lambda *_: {})
    def cut_snapshots(self, relation: Any) -> dict[str, int]:
        """The snapshot of each mirror at the newest cut: one cut for all models of a run.

        Args:
            relation: ops.consistent_cut.
        """
        if self._cut is None:
            rows = self.rows(f"select mirror, snapshot_id from {relation}")
            self._cut = {mirror: int(snapshot) for mirror, snapshot in rows}
        return self._cut

    # -- how fresh sources are ---------------------------------------------------------------

    @available
    def relation_of(self, model: str) -> Any:
        """The relation of a model of the project, for what has no ref(): a source's queries."""
        nodes = self.sources.manifest.nodes.values()
        found = {node.name: node for node in nodes if node.resource_type == "model"}
        if model not in found:
            raise DbtRuntimeError(f"{model} is no model of this project")
        return self.Relation.create_from(self.config, found[model])

    def calculate_freshness_from_custom_sql(
        self, source: Any, sql: str, macro_resolver: Any = None
    ) -> tuple[AdapterResponse | None, FreshnessResponse]:
        """The tables of a source are judged by one query, which an invocation asks once."""
        if sql not in self._freshness:
            self._freshness[sql] = super().calculate_freshness_from_custom_sql(
                source, sql, macro_resolver
            )
        return self._freshness[sql]

    # -- environments ------------------------------------------------------------------------

    @property
    def layers(self) -> Layers:
        """The schemas of the target."""
        return self.config.credentials.layers

    @available.parse(lambda changes, own: own)
    def landing_of(self, changes: Any, own: Any) -> Any:
        """See SourcesOfProject.landing_of_model."""
        return self.sources.landing_of_model(changes, own)

    def tables_in(self, schema: str) -> set[str]:
        """The names of a schema's tables and views."""
        there = self.list_relations_without_caching(self.Relation.create(schema=schema))
        return {relation.identifier for relation in there}

    # -- what the project declares -----------------------------------------------------------

    @property
    def sources(self) -> SourcesOfProject:
        return SourcesOfProject(self)

    @available.parse(lambda raw, clause="": str(raw))
    def records_sql(self, raw: Any, clause: str = "") -> str:
        """See SourcesOfProject."""
        return self.sources.records_sql(raw, clause)

    @available.parse(lambda raw: UNREAD)
    def source_of(self, raw: Any) -> SourceOfModel:
        """What the project declares of a raw table."""
        return SourceOfModel(self.sources, raw)

    @available.parse_list
    def unlike_source(self, relation: Any, there: Any) -> list[str]:
        """See SourcesOfProject.unlike."""
        return self.sources.unlike(relation, there)

    @available.parse_list
    def masked_columns(self, mirror: Any, view: Any) -> list[dict[str, Any]]:
        """A mirror's columns in a masked view: see lakemirror.source.masked. A tag of the view's
        YAML goes over that of the mirror's."""
        there = self.get_columns_in_relation(mirror)
        columns = [{"name": column.name, "data_type": column.dtype} for column in there]
        return masked_columns(columns, self.sources.pii(mirror) | self.sources.pii(view))

    @available.parse(lambda relation: "")
    def model_of(self, relation: Any) -> str:
        """See SourcesOfProject."""
        return self.sources.model_of(relation).name

    def schema_versions(self, schema: str) -> dict[str, list[dict[str, Any]]]:
        """The versions of each raw table of a schema that the history beside it knows.

        It is read once, and again after a Python model has run: landing may have added to it.
        """
        known = self._schemas
        if schema not in known:
            known[schema] = known_schemas(self, schema)
        return known[schema]

    def open_records(self) -> dict[str, dict[str | None, int]]:
        """How many open records ops.quarantine has, by model and what has judged them; read once an
        invocation: only its own model adds to a model's."""
        if self._open is None:
            self._open = open_records(self)
        return self._open

    def erased(self, ops: str) -> set[str]:
        """The raw tables of which keys are erased, and kept out, as a schema ops has them; read
        once an invocation."""
        if ops not in self._erased:
            query = f"select distinct raw_table from {ops}.{ERASED_KEYS.name}"
            has_keys = ERASED_KEYS.name in self.tables_in(ops)
            self._erased[ops] = {row[0] for row in self.rows(query)} if has_keys else set()
        return self._erased[ops]

    def erased_columns(self, ops: str) -> dict[str, set[str]]:
        """By raw table the columns that are erased, and kept out, in lower case, as a schema ops
        has them; read once an invocation."""
        if ops not in self._erased_columns:
            name = ERASED_COLUMNS.name
            query = f"select raw_table, column_name from {ops}.{name} where is_kept_out"
            found: dict[str, set[str]] = {}
            for raw, column in self.rows(query) if name in self.tables_in(ops) else ():
                found.setdefault(raw, set()).add(column)
            self._erased_columns[ops] = found
        return self._erased_columns[ops]

    def kept_out_sql(self, table: str, raw_name: str, erased_keys: str) -> str:
        """The records of a raw table, of which those of erased keys are as if empty."""
        arguments = {"table": table, "raw_name": raw_name, "erased_keys": erased_keys}
        return str(self.execute_macro("kept_out_sql", kwargs=arguments)).strip()

    # -- sessions ----------------------------------------------------------------------------

    @property
    def session(self) -> Any:
        """The Spark session of the thread's connection."""
        handle = self.connections.get_thread_connection().handle
        return getattr(getattr(handle, "handle", None), "session", None)

    @property
    def jvm_session(self) -> Any:
        """The same where its JVM can be asked; None behind a Connect server."""
        session = self.session
        return session if hasattr(session, "_jsparkSession") else None

    @property
    def catalog(self) -> Any:
        """The session's catalog in the JVM; None where it cannot be asked, or is not Iceberg's."""
        session = self.jvm_session
        return None if session is None else java.catalog_of(session)

    # -- Python models -----------------------------------------------------------------------

    @property
    def default_python_submission_method(self) -> str:
        return "session"

    def submit_python_job(self, parsed_model: dict, compiled_code: str) -> AdapterResponse:
        """Run a Python model's code in the connection's own Spark session."""
        method = parsed_model["config"].get("submission_method") or "session"
        if method != "session":
            raise DbtRuntimeError("Python models run in a Spark session: use a `method: session`")
        from dbt.adapters.lakemirror.session import error_text

        lines: list[str] = []
        scope = {
            "spark": self.session,
            "tell_warnings": lambda: self.warn(parsed_model["unique_id"], lines),
            "__name__": f"dbt_model_{parsed_model['name']}",
        }
        try:
            with notices.collected(lines):
                exec(compile(compiled_code, parsed_model["original_file_path"], "exec"), scope)
        except EventCompilationError:
            raise
        except Exception as error:
            raise DbtRuntimeError(f"{type(error).__name__}: {error_text(error)}") from error
        finally:
            self._schemas = {}
        return AdapterResponse(_message="OK")

    def warn(self, unique_id: str, lines: Iterable[str]) -> None:
        """Tell the warnings of a model, and keep them for the run's end; with --warn-error the
        first is an error."""
        for line in lines:
            warn(line)
            self.warned.add(unique_id, line)

    def generate_python_submission_response(self, submission_result: Any) -> AdapterResponse:
        return submission_result
