"""The adapter: listings that never lie, types and comments in the catalog, Python models."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import takewhile
from typing import Any

from dbt.adapters.base.impl import FreshnessResponse
from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import SparkAdapter
from dbt.context.exceptions_jinja import warn
from dbt_common.exceptions import DbtRuntimeError, EventCompilationError

from dbt.adapters.lakemirror import java
from dbt.adapters.lakemirror.connections import LakemirrorConnectionManager
from dbt.adapters.lakemirror.runs import ModelRun, operate
from dbt.adapters.lakemirror.sources import SourcesOfProject, known_schemas
from dbt.adapters.lakemirror.warned import Warned
from lakemirror import notices
from lakemirror.runs.mirror import SOFT_COLUMNS
from lakemirror.source import evolution
from lakemirror.state import window
from lakemirror.state.table_metadata import TableMetadata

logger = AdapterLogger("Lakemirror")


class LakemirrorAdapter(SparkAdapter):
    ConnectionManager = LakemirrorConnectionManager
    _schemas: dict[str, list[dict[str, Any]]] | None = None
    _cut: dict[str, int] | None = None
    _open: dict[str, dict[str | None, int]] | None = None

    def __init__(self, config: Any, mp_context: Any) -> None:
        super().__init__(config, mp_context)
        self.warned = Warned()
        self._freshness: dict[str, tuple[AdapterResponse | None, FreshnessResponse]] = {}

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
        rows = [tuple(row) for row in described]
        columns = described_columns(rows)
        details = {row[0]: row[1] for row in rows[len(columns) :]}
        table = {
            "table_database": None,
            "table_schema": relation.schema,
            "table_name": relation.name,
            "table_type": relation.type,
            "table_owner": details.get("Owner"),
            "table_comment": details.get("Comment"),
            **table_statistics(details.get("Statistics") or ""),
        }
        for index, (name, data_type, comment) in enumerate(columns):
            yield {
                **table,
                "column_name": name,
                "column_type": data_type,
                "column_index": index,
                "column_comment": comment,
            }

    def parse_describe_extended(self, relation: Any, raw_rows: Any) -> list[SparkColumn]:
        """A table's columns; dbt-spark would take one whose name begins with # for a comment."""
        rows = described_columns([tuple(row) for row in raw_rows])
        return [SparkColumn(column=name, dtype=data_type) for name, data_type, _ in rows]

    # -- Iceberg's tables --------------------------------------------------------------------

    def metadata(self, relation: Any) -> TableMetadata | None:
        """What a table's metadata says; None where only statements can ask for it."""
        session = self.jvm_session
        return None if session is None else java.metadata(session, relation)

    def snapshots(self, relation: Any) -> tuple[list[window.Snapshot], int | None]:
        """All snapshots of an Iceberg table, and the id of the main branch's newest."""
        with as_dbt_errors():
            return window.history_of(str(relation), self.rows)

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

    # -- what the project declares -----------------------------------------------------------

    @property
    def sources(self) -> SourcesOfProject:
        return SourcesOfProject(self)

    @available.parse(lambda raw, clause="": str(raw))
    def records_sql(self, raw: Any, clause: str = "") -> str:
        """See SourcesOfProject."""
        return self.sources.records_sql(raw, clause)

    @available.parse_list
    def declared_columns(self, raw: Any) -> list[dict[str, Any]]:
        """See SourcesOfProject."""
        return self.sources.declared_columns(raw)

    @available.parse_none
    def connector_of(self, raw: Any) -> str:
        """See SourcesOfProject."""
        return self.sources.connector_of(raw)

    @available.parse_list
    def declared_names(self, raw: Any) -> list[str]:
        """See SourcesOfProject."""
        return self.sources.declared_names(raw)

    @available.parse_list
    def gone_names(self, raw: Any) -> list[dict[str, Any]]:
        """See SourcesOfProject."""
        return self.sources.gone_names(raw)

    @available.parse_list
    def unlike_source(self, relation: Any, there: Any) -> list[str]:
        """See SourcesOfProject.unlike."""
        return self.sources.unlike(relation, there)

    @available.parse(lambda relation: "")
    def model_of(self, relation: Any) -> str:
        """See SourcesOfProject."""
        return self.sources.model_of(relation).name

    def own_commit(self, relation: Any) -> window.Snapshot | None:
        """The newest commit of a table that carries a bookmark."""
        return window.newest_own_commit(window.lineage(*self.snapshots(relation)))

    def schema_versions(self) -> dict[str, list[dict[str, Any]]]:
        """The versions of each raw table that raw.schema_history knows.

        It is read once, and again after a Python model has run: landing may have added to it.
        """
        if self._schemas is None:
            self._schemas = known_schemas(self)
        return self._schemas

    def open_records(self) -> dict[str, dict[str | None, int]]:
        """How many open records ops.quarantine has, by model and what has judged them; read once an
        invocation: only its own model adds to a model's."""
        if self._open is None:
            self._open = self.read_open_records()
        return self._open

    def read_open_records(self) -> dict[str, dict[str | None, int]]:
        found: dict[str, dict[str | None, int]] = {}
        known = self.metadata("ops.quarantine")
        if known is not None and not known.snapshots:
            return found  # it has never had a record
        for model, judged_by, records in self.rows(
            "select model, judged_by, count(*) from ops.quarantine where settled_at is null "
            "group by model, judged_by"
        ):
            found.setdefault(model, {})[judged_by] = int(records)
        return found

    def begin_invocation(self) -> None:
        """Forget what was true of another run of dbt in this process."""
        self.warned.clear()
        self._open = None

    # -- sessions ----------------------------------------------------------------------------

    @property
    def session(self) -> Any:
        """The Spark session of the thread's connection; None over Thrift."""
        handle = self.connections.get_thread_connection().handle
        return getattr(getattr(handle, "handle", None), "session", None)

    @property
    def jvm_session(self) -> Any:
        """The same where its JVM can be asked; None over Thrift and behind a Connect server."""
        session = self.session
        return session if hasattr(session, "_jsparkSession") else None

    @property
    def catalog(self) -> Any:
        """The session's catalog in the JVM; None where it cannot be asked, or is not Iceberg's."""
        session = self.jvm_session
        return None if session is None else java.catalog_of(session)

    def frame(self, query: str) -> Any:
        """The DataFrame of a query, analyzed and not run, of the thread's session."""
        _, cursor = self.connections.add_select_query(query)
        return cursor._cursor._df

    def set_session(self, settings: dict[str, Any]) -> None:
        """Spark's settings for the rest of the model, by their names; None unsets one.

        A session is told so itself, where there is one: a statement takes a hundred times as long,
        and a merge has some thirty settings.
        """
        session = self.session
        logger.debug(f"set {settings}")  # as dbt's log has it of a statement
        for name, value in settings.items():
            if session is None:
                self.execute(setting_sql(name, value))
            elif value is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, str(value))

    # -- Python models -----------------------------------------------------------------------

    @property
    def default_python_submission_method(self) -> str:
        return "session"

    def submit_python_job(self, parsed_model: dict, compiled_code: str) -> AdapterResponse:
        """Run a Python model's code in the connection's own Spark session."""
        method = parsed_model["config"].get("submission_method") or "session"
        session = self.session
        if method != "session" or session is None:
            raise DbtRuntimeError("Python models run in a Spark session: use a `method: session`")
        from dbt.adapters.lakemirror.session import error_text

        lines: list[str] = []
        scope = {
            "spark": session,
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
            self._schemas = None
        return AdapterResponse(_message="OK")

    def warn(self, unique_id: str, lines: Iterable[str]) -> None:
        """Tell the warnings of a model, and keep them for the run's end; with --warn-error the
        first is an error."""
        for line in lines:
            warn(line)
            self.warned.add(unique_id, line)

    def generate_python_submission_response(self, submission_result: Any) -> AdapterResponse:
        return submission_result


@contextmanager
def as_dbt_errors() -> Iterator[None]:
    try:
        yield
    except window.WindowError as error:
        raise DbtRuntimeError(str(error)) from error
    except java.errors() as error:
        from dbt.adapters.lakemirror.session import error_text

        raise DbtRuntimeError(error_text(error)) from error


def setting_sql(name: str, value: Any) -> str:
    """The statement that sets one of Spark's settings, or resets it where its value is None."""
    if value is None:
        return f"reset {evolution.quoted(name)}"
    return f"set {evolution.quoted(name)} = {evolution.quoted(str(value))}"


def described_columns(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The rows of a DESCRIBE EXTENDED before the first header: a header has no type."""
    return list(takewhile(lambda row: row[0] and row[1], rows))


def table_statistics(text: str) -> dict[str, Any]:
    """dbt's ``stats:*`` entries from Spark's text, such as ``1024 bytes, 3 rows``."""
    entries: dict[str, Any] = {}
    for unit in ("bytes", "rows"):
        found = re.search(rf"(\d+) {unit}", text)
        if found:
            entries |= {
                f"stats:{unit}:label": unit,
                f"stats:{unit}:value": int(found[1]),
                f"stats:{unit}:description": "",
                f"stats:{unit}:include": True,
            }
    return entries
