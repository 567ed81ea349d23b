"""The door between dbt's Jinja and the runs: its context and adapter as warehouse and model."""

import json
import os
import random
import re
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from typing import Any, NoReturn

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.impl import SparkConfig
from dbt.artifacts.resources.v1.model import ModelConfig
from dbt.artifacts.schemas.results import NodeStatus, TestStatus
from dbt.compilation import Compiler
from dbt.context.providers import generate_runtime_model_context
from dbt_common.exceptions import DbtRuntimeError
from py4j.protocol import Py4JJavaError

from dbt.adapters.lakemirror import table_schema
from dbt.adapters.lakemirror.sources import SourcesOfProject
from dbt.adapters.lakemirror.warned import Warned
from lakemirror import java
from lakemirror.runs import audit as audits
from lakemirror.runs import lake, messages
from lakemirror.runs.batch import BatchRun
from lakemirror.runs.cared import OTHERS, Declared
from lakemirror.runs.changelog import ChangelogRun
from lakemirror.runs.column_erasure import ColumnErasure
from lakemirror.runs.compare import compare
from lakemirror.runs.cut import CutRun
from lakemirror.runs.daily import DailyRun
from lakemirror.runs.erasure import ErasureRun
from lakemirror.runs.maintain import Maintain
from lakemirror.runs.maintenance import Maintenance
from lakemirror.runs.mirror import MirrorRun
from lakemirror.runs.model import Model
from lakemirror.runs.project import Project, ProjectModel, settings_of
from lakemirror.runs.repair import RepairRun, literal_keys
from lakemirror.runs.resync import ResyncRun
from lakemirror.runs.rollback import Rollback
from lakemirror.runs.settings import SETTINGS
from lakemirror.runs.source_audit import SourceAsked, SourceAudit, unjudged
from lakemirror.runs.source_pairs import paired
from lakemirror.runs.source_repair import SourceRepair
from lakemirror.runs.transactions import TransactionsAudit, transaction_tables
from lakemirror.runs.warehouse import LOST_RACES, Column, OvertakenError, Sources
from lakemirror.source.database import DatabaseError, read_tables
from lakemirror.source.reading import Limits
from lakemirror.state.table_metadata import TableMetadata
from lakemirror.state.table_schema import SchemaChange, TableSchema

logger = AdapterLogger("Lakemirror")

COMMIT_TRIES = 10
PLAN_FIELDS = "spark.sql.debug.maxToStringFields"
RUNS: dict[str, Any] = {
    "mirror": MirrorRun,
    "log": ChangelogRun,
    "daily": DailyRun,
    "cut": CutRun,
}
# what dbt itself knows of a model's configuration, and lakemirror does not
DBT_CONFIGS = (
    {setting.name.replace("_hook", "-hook") for setting in fields(ModelConfig)}
    | {setting.name for setting in (*fields(SparkConfig), *fields(ModelConfig))}
) - {name for settings in SETTINGS.values() for name in settings.names()}


@contextmanager
def as_dbt_errors() -> Iterator[None]:
    """What calls of the JVM end with, as dbt tells an error."""
    try:
        yield
    except java.errors() as error:
        from dbt.adapters.lakemirror.session import error_text

        raise DbtRuntimeError(error_text(error)) from error


class DbtWarehouse:
    """A run's statements and messages by dbt: see lakemirror.runs.warehouse.Warehouse."""

    def __init__(self, adapter: Any, context: Mapping[str, Any]) -> None:
        self.adapter, self.context = adapter, context
        self.sources: Sources = SourcesOfProject(adapter)
        self.layers = adapter.layers
        self.kept: dict[str, Any] = {}  # the rows of cached batches in the JVM, by their views

    def rows(self, query: str) -> Sequence[Any]:
        return self.adapter.rows(query)

    def run(self, statement: str) -> None:
        self.adapter.execute(statement)

    def retry(self, statement: str) -> None:
        """Iceberg itself tries appends again, and neither DDL nor a MERGE that another overtook."""
        self.until_committed(lambda: self.run(statement), DbtRuntimeError)

    def until_committed(self, act: Callable[[], None], failure: type[Exception]) -> None:
        for attempt in range(1, COMMIT_TRIES + 1):
            try:
                act()
                return
            except failure as error:
                lost = any(reason in str(error) for reason in LOST_RACES)
                if not lost or attempt == COMMIT_TRIES:
                    raise
                time.sleep(random.uniform(0, 0.2 * attempt))

    def unlogged(self, statement: str) -> Sequence[Any]:
        from dbt.adapters.lakemirror.session import LakemirrorCursor

        found: list[Any] = []

        def act() -> None:
            cursor = LakemirrorCursor(self.adapter.session)
            cursor.execute(statement)
            found[:] = cursor.fetchall() or []

        try:
            self.until_committed(act, DbtRuntimeError)
        except DbtRuntimeError as error:
            kind = re.search(r"\[[A-Z_.]+\]|\w+Exception", str(error))
            problem = f"a statement with values of rows failed: {kind[0] if kind else 'unknown'}"
            raise DbtRuntimeError(problem) from None
        return found

    def publish(self, relation: Any, branch: str) -> bool:
        session = self.adapter.jvm_session
        if session is None:
            return False
        logger.debug(f"{relation}: the branch {branch} is published")
        with as_dbt_errors():
            self.until_committed(lambda: java.publish(session, relation, branch), Py4JJavaError)
        return True

    def rewrite_manifests(self, relation: Any) -> None:
        with as_dbt_errors():
            self.until_committed(
                lambda: java.rewrite_manifests(self.adapter.jvm_session, relation), Py4JJavaError
            )

    def delete_files(self, relation: Any, paths: Sequence[str]) -> None:
        with as_dbt_errors():
            java.delete_files(self.adapter.jvm_session, relation, paths)

    def erase_days(self, location: str, condition: str, dry_run: bool) -> int:
        from lakemirror.hive import erase_days  # what reads parses never needs it

        return erase_days(self.adapter.jvm_session, location, condition, dry_run)

    def erase_columns(self, location: str, names: Collection[str], dry_run: bool) -> int:
        from lakemirror.hive import erase_columns

        return erase_columns(self.adapter.jvm_session, location, names, dry_run)

    def has_archive(self, location: str) -> bool:
        from lakemirror.archive import Archive

        archive = Archive(self.adapter.jvm_session, location)
        archive.recover()
        return bool(archive.parts())

    def erase_archive(
        self, location: str, meant: str, kept: Callable[[str], str], dry_run: bool
    ) -> int:
        from lakemirror.archive import Archive

        return Archive(self.adapter.jvm_session, location).erase(meant, kept, dry_run)

    def function(self, name: str, act: Callable[..., str | None], *arguments: Any) -> None:
        from pyspark import cloudpickle

        # executors of other machines have no package of ours: what they call comes with the call
        cloudpickle.register_pickle_by_value(sys.modules[act.__module__])
        self.adapter.session.udf.register(name, lambda text: act(text, *arguments), "string")

    def configure(self, settings: Mapping[str, Any]) -> None:
        """The session is told so itself: a statement takes a hundred times as long, and a merge has
        some thirty settings."""
        session = self.adapter.session
        logger.debug(f"set {settings}")  # as dbt's log has it of a statement
        for name, value in settings.items():
            if value is None:
                session.conf.unset(name)
            else:
                session.conf.set(name, str(value))

    def setting(self, name: str, default: str | None = None) -> str:
        known = self.adapter.session.conf
        return str(known.get(name) if default is None else known.get(name, default))

    def sql(self, macro: str, *arguments: Any, **keywords: Any) -> str:
        return self.context[macro](*arguments, **keywords)

    def metadata(self, relation: Any) -> TableMetadata | None:
        return self.adapter.metadata(relation)

    def schemas(self) -> Collection[str]:
        return self.adapter.list_schemas(None)

    def tables(self, schema: str) -> Collection[str]:
        wanted = self.adapter.Relation.create(schema=schema)
        found = self.adapter.list_relations_without_caching(wanted)
        return [relation.identifier for relation in found if relation.is_table]

    def columns_of(self, query: str) -> Sequence[Column]:
        fields = self.frame(query).schema.fields
        return [{"name": f.name, "data_type": f.dataType.simpleString()} for f in fields]

    def frame(self, query: str) -> Any:
        """The DataFrame of a query, analyzed and not run, of the thread's session."""
        _, cursor = self.adapter.connections.add_select_query(query)
        return cursor._cursor._df

    def schema_of(self, relation: Any) -> TableSchema | None:
        session = self.adapter.jvm_session
        return None if session is None else table_schema.read(session, relation)

    def change_schema(self, relation: Any, change: SchemaChange) -> None:
        logger.debug(f"schema of {relation}: {change}")
        with as_dbt_errors():
            self.until_committed(
                lambda: table_schema.commit(self.adapter.session, relation, change), Py4JJavaError
            )

    def stage(self, stage: Any, query: str, settings: Any) -> None:
        """Where a view stands for the whole plan of what is cached, a query that reads three of
        them, each made of the one before, takes Spark 4.1 half a minute to analyze. CACHE TABLE,
        and a DataFrame's cache(), analyze the query twice, and each query after it is compared with
        its plan."""
        session = self.adapter.jvm_session
        if stage.schema or session is None:
            self.run(self.sql("stage_sql", stage, query, settings))
            if not stage.schema:
                self.run(f"create temporary view {stage} as select * from {stage}__rows")
            return
        rows = java.kept_rows(session, self.frame(query), stage.identifier)
        self.kept[stage.identifier] = rows
        java.create_view(session, rows, stage.identifier)

    def forget(self, stage: Any) -> None:
        """A view leaves its rows in the cache when it is dropped alone."""
        if stage.schema:
            self.drop_table(stage)
            return
        session, name = self.adapter.jvm_session, stage.identifier
        if session is None:
            self.run(f"uncache table if exists {name}__rows")
            self.run(f"drop view if exists {stage}")
            self.run(f"drop view if exists {name}__rows")
            return
        session.catalog.dropTempView(name)
        if name in self.kept:
            java.drop_rows(self.kept.pop(name))

    def drop_table(self, stage: Any) -> None:
        catalog = self.adapter.catalog
        if catalog is None:
            self.run(f"drop table if exists {stage} purge")
            return
        with as_dbt_errors():
            java.drop_table(self.adapter.jvm_session, catalog, stage)

    def say(self, line: str) -> None:
        self.context["log"](line, info=True)

    def warn(self, line: str) -> None:
        self.adapter.warn(self.context["model"]["unique_id"], [line])

    def refuse(self, problem: str) -> NoReturn:
        self.context["exceptions"]["raise_compiler_error"](problem)
        raise AssertionError(problem)


class ModelRun:
    """A run of a model, as a materialization sees it: ``target`` and ``apply``."""

    def __init__(self, adapter: Any, context: Mapping[str, Any]) -> None:
        self.warehouse = DbtWarehouse(adapter, context)
        self.context = context
        self.model = model_of(adapter, context)
        self.target = self.model.target
        settings = settings_of(self.warehouse, self.model)
        is_resync = self.model.kind == "mirror" and self.model.var("resync", None) is not None
        run = ResyncRun if is_resync else RUNS[self.model.kind]
        self.run = run(self.warehouse, self.model, settings)

    def apply(self) -> None:
        """Do what is to be done, tell dbt what that was, and write the model's descriptions."""
        with shortened_plans(self.warehouse), counted_cores(self.warehouse) as core_seconds:
            try:
                did = self.run.apply()
            except OvertakenError as error:
                if not (isinstance(self.run, BatchRun) and self.run.is_done()):
                    self.warehouse.refuse(str(error))
                self.warehouse.say(messages.merged_by_another(self.model.name, self.target))
                did = None
        if did is None:
            self.tell("NOTHING NEW", None, None)
            return
        message = did.pop("message", None) or f"{did['applied']} applied"
        self.context["persist_docs"](self.target, self.context["model"])
        did["core_seconds"] = core_seconds()
        self.tell(message, json.dumps(did), did.get("applied"))

    def tell(self, message: str, code: str | None, rows: int | None) -> None:
        """What dbt prints of the model, and record_runs keeps."""
        store = self.context["store_raw_result"]
        store("main", message=message, code=code, rows_affected=rows)


@contextmanager
def shortened_plans(warehouse: DbtWarehouse) -> Iterator[None]:
    """Of each node of a plan, what Spark keeps for its user interface has one expression: writing
    25 of them takes a fourteenth of a small merge. Types that `describe` shows have one field then,
    so that only a run has it, which asks Iceberg; behind Connect it asks by `describe`."""
    session = warehouse.adapter.jvm_session
    if session is None:
        yield
        return
    kept = session.conf.get(PLAN_FIELDS)
    warehouse.configure({PLAN_FIELDS: 1})
    try:
        yield
    finally:
        warehouse.configure({PLAN_FIELDS: kept})


@contextmanager
def counted_cores(warehouse: DbtWarehouse) -> Iterator[Callable[[], float | None]]:
    """What tells how long tasks have kept cores for all that is run within, in seconds of a core;
    behind Connect nobody knows."""
    session = warehouse.adapter.jvm_session
    if session is None:
        yield lambda: None
        return
    with java.as_group(session) as group:
        yield partial(java.core_seconds, session, group)


def operate(adapter: Any, name: str, context: Mapping[str, Any], arguments: Any) -> None:
    """Run an operation, or a hook of a run."""
    warehouse = DbtWarehouse(adapter, context)
    project = project_of(adapter, context)
    if name == "prepare_lake":
        refuse_unknown_vars(adapter, warehouse)
        lake.prepare(warehouse, project)
    elif name == "record_runs":
        count_warnings(adapter.warned, arguments["results"])
        lake.record(warehouse, project, arguments["results"])
    elif name == "audit":
        audit_mirrors(adapter, warehouse, project, **arguments)
    elif name == "audit_source":
        audit_source(adapter, warehouse, project, **arguments)
    elif name == "compare":
        compare_relations(warehouse, project, **arguments)
    elif name == "erase":
        erase_rows(adapter, warehouse, project, **arguments)
    elif name in ("rollback", "undo", "release"):
        getattr(Rollback(warehouse, project), name)(**arguments)
    elif name == "maintain":
        Maintain(warehouse, project, declared(adapter, context)).maintain(**arguments)
    elif name == "repair":
        repair_mirrors(adapter, warehouse, project, **arguments)
    elif name == "repair_source":
        repair_by_source(adapter, warehouse, project, **arguments)
    else:
        getattr(Maintenance(warehouse, project), name)(**arguments)


def declared(adapter: Any, context: Mapping[str, Any]) -> Declared:
    """What the project says of tables that are no models: ``config.meta.maintenance`` of its
    sources, and the var maintenance_tables."""
    policies: dict[str, Any] = {}
    ids: dict[str, list[str]] = {}
    for each in adapter.get_macro_resolver().sources.values():
        name = f"{each.schema}.{each.identifier}"
        policies[name] = each.config.meta.get("maintenance") or policies.get(name) or {}
        ids.setdefault(name, []).append(each.unique_id)
    return Declared(policies, ids, context["var"](OTHERS, None) or {})


def audit_mirrors(
    adapter: Any,
    warehouse: DbtWarehouse,
    project: Project,
    model: str | Sequence[str] | None,
    full: bool,
    audit_id: str | None,
    fail: bool,
) -> None:
    """Compare mirrors with the log, and keep what is found in ops.audits.

    Args:
        model: the mirrors' names; None for all that are built.
        fail: whether a difference is an error.
    """
    audits.make_tables(warehouse)
    names = [model] if isinstance(model, str) else [*(model or ())]
    nodes = audits.asked(warehouse, project, names)
    landing = landing_of(project)
    asked = audits.Asked(audit_id or project.invocation_id[:8], full, landing)
    lines = []
    for node in nodes:
        its_warehouse, its_model = compiled_model(adapter, node.unique_id)
        run = audits.AuditRun(its_warehouse, its_model, settings_of(warehouse, node), asked)
        verdict = run.apply(audits.coverage(warehouse, node.name))
        line = messages.audit_line(node.name, verdict)
        warehouse.say(line)
        if verdict.findings:
            lines.append(line)
    if landing is not None and not names:
        lines += audit_transactions(warehouse, landing, asked)
    if lines and fail:
        warehouse.refuse(messages.audit_failed(asked.id, lines, warehouse.layers.ops))


def audit_transactions(warehouse: DbtWarehouse, landing: Any, asked: audits.Asked) -> list[str]:
    """Compare what has landed with what connectors say of their transactions.

    Returns:
        What is said of those of which changes are lacking.
    """
    found = []
    for table in transaction_tables(warehouse):
        audit = TransactionsAudit(warehouse, table, landing)
        verdict = audit.apply(asked.id, asked.is_full)
        line = messages.transactions_line(audit.model, verdict)
        warehouse.say(line)
        if verdict.findings:
            found.append(line)
    return found


def audit_source(
    adapter: Any,
    warehouse: DbtWarehouse,
    project: Project,
    audit_id: str,
    tables: Sequence[Mapping[str, Any]],
    look: int,
    limits: Mapping[str, int],
) -> None:
    """Compare mirrors with the living source: see lakemirror.runs.source_audit.

    Args:
        tables: of each mirror as ``model``, the ``schema`` and the ``table`` in the source, the
            variable of the environment that has the database's URL as ``database_env``, and the
            names of the source's mirrors whose newest change is asked for as ``siblings``.
        look: 0 reads and compares; then so many times the keys that differ are looked at again.
        limits: those of lakemirror.source.reading.Limits that are not its own.
    """
    found = source_audits(adapter, warehouse, project, audit_id, tables, Limits(**limits))
    for audit, _, where in found:
        with refusing(warehouse, where):
            if look:
                audit.look(look)
            else:
                audit.compare()


def source_audits(
    adapter: Any,
    warehouse: DbtWarehouse,
    project: Project,
    audit_id: str,
    tables: Sequence[Mapping[str, Any]],
    limits: Limits,
) -> Iterator[tuple[SourceAudit, audits.AuditRun, str]]:
    """The audits of mirrors against their tables in the source, with what knows their logs, and the
    variable that names the database. Of a mirror that cannot be compared ops.audits says why.
    """
    audits.make_tables(warehouse)
    relations = {model.name: model.relation for model in project.of_kind("mirror")}
    say, described = sys.stderr.write, {}  # what the database has of each schema
    for table in tables:
        [node] = audits.asked(warehouse, project, [table["model"]])
        its_warehouse, its_model = compiled_model(adapter, node.unique_id)
        settings = settings_of(warehouse, node)
        run = audits.AuditRun(its_warehouse, its_model, settings, audits.Asked(audit_id, True))
        url, names = os.environ[table["database_env"]], (table["schema"], table["table"])
        connector, _ = its_warehouse.sources.connector(run.raw)
        siblings = [relations[name] for name in table["siblings"]]
        asked = SourceAsked(
            audit_id,
            url,
            limits,
            [relation for relation in siblings if project.exists(relation)],
            lambda line: say(f"{line}\n"),
        )
        where = table["database_env"]
        with refusing(warehouse, where):
            place = url, names[0]
            if place not in described:
                described[place] = read_tables(url, [names[0]], connector)
            found = paired(run, names, described[place])
        if isinstance(found, str):
            row = unjudged(asked, node.name, found)
            warehouse.run(audits.AUDITS.insert_sql(warehouse.layers.ops, [row]))
            continue
        assert run.table is not None
        yield SourceAudit(its_warehouse, node.name, run.table, found, asked), run, where


@contextmanager
def refusing(warehouse: DbtWarehouse, variable: str) -> Iterator[None]:
    """A database that cannot be read is an error, which names its variable of the environment."""
    try:
        yield
    except DatabaseError as problem:
        warehouse.refuse(f"the database of {variable} cannot be read: {problem}")


def repair_by_source(
    adapter: Any,
    warehouse: DbtWarehouse,
    project: Project,
    audit: str,
    repair_id: str,
    tables: Sequence[Mapping[str, Any]],
    dry_run: bool,
) -> None:
    """Bring rows into the log that an audit against the source has found, and no event has told:
    see lakemirror.runs.source_repair.

    Args:
        audit: the audit whose keys are meant.
        repair_id: names what is compared now in ops.audits.
        tables: as in audit_source.
    """
    for each, run, where in source_audits(adapter, warehouse, project, repair_id, tables, Limits()):
        query = warehouse.sql("keys_found_sql", audit, each.model)
        keys = sorted({row[0] for row in warehouse.unlogged(query)})
        with refusing(warehouse, where):
            written = SourceRepair(each, run).apply(keys, dry_run)
        if written:
            warehouse.say(messages.records_added(each.model, run.raw, written))


def compare_relations(
    warehouse: DbtWarehouse,
    project: Project,
    relations: Sequence[str],
    key: Sequence[str],
    tolerances: Mapping[str, Any],
    audit_id: str | None,
    fail: bool,
) -> None:
    """Compare any two relations; see lakemirror.runs.compare."""
    audits.make_tables(warehouse)
    id_ = audit_id or project.invocation_id[:8]
    if compare(warehouse, project, relations, key, tolerances, id_) and fail:
        findings = f"{warehouse.layers.ops}.{audits.AUDIT_FINDINGS.name}"
        warehouse.refuse(f"{relations[0]} is not {relations[1]}: {findings}, audit {id_}")


def repair_mirrors(
    adapter: Any,
    warehouse: DbtWarehouse,
    project: Project,
    audit: str | None,
    model: str | None,
    keys: Sequence[Any] | None,
    dry_run: bool,
    repair_id: str | None,
) -> None:
    """Put right what differs from the log: the keys that an audit has found, or some of a mirror.

    Args:
        keys: of the model: a value of each key column by its name.
    """
    if not audit and not (model and keys):
        warehouse.refuse(messages.repair_needs("repair"))
    audits.make_tables(warehouse)
    found = [model] if model else audits.models_found(warehouse, str(audit))
    asked = audits.Asked(repair_id or project.invocation_id[:8], True, landing_of(project))
    left = []
    for node in audits.asked(warehouse, project, found) if found else []:
        its_warehouse, its_model = compiled_model(adapter, node.unique_id)
        settings = settings_of(warehouse, node)
        only = warehouse.sql("keys_found_sql", str(audit), node.name)
        run = audits.AuditRun(its_warehouse, its_model, settings, asked)
        if keys and run.table:
            only = literal_keys(its_warehouse, run.table, settings.key, keys, node.name)
        run.asked = replace(asked, only=only)
        try:
            verdict, rows = RepairRun(run).apply(dry_run)
        except OvertakenError as error:
            warehouse.refuse(str(error))
        line = messages.repair_line(node.name, rows, verdict)
        warehouse.say(line)
        if verdict.findings and not dry_run:
            left.append(line)
    if left:
        warehouse.refuse("; ".join(left))


def erase_rows(
    adapter: Any,
    warehouse: DbtWarehouse,
    project: Project,
    what: Mapping[str, Any] | None,
    **arguments: Any,
) -> None:
    """Erase rows, or a column, of a mirror's source table: see lakemirror.runs.erasure.

    Args:
        what: one of ``keys``, ``where`` and ``column``.
    """
    if adapter.jvm_session is None:
        warehouse.refuse("erase: it needs a Spark session of dbt's own (method: session)")

    def compiled(unique_id: str) -> tuple[DbtWarehouse, Model]:
        return compiled_model(adapter, unique_id)

    given = {name: value for name, value in (what or {}).items() if value}
    if len(given) > 1 or {*given} - {"keys", "where", "column"}:
        warehouse.refuse("erase: what is to be erased is one of keys, where and column")
    if "column" in given:
        ColumnErasure(warehouse, project, compiled).erase_column(**given, **arguments)
    else:
        ErasureRun(warehouse, project, compiled).erase(**given, **arguments)


def landing_of(project: Project) -> Any:
    """The table of what has landed; None where there is none."""
    found = next((each.relation for each in project.models if each.name == lake.LANDING), None)
    return found if found and project.exists(found) else None


def compiled_model(adapter: Any, unique_id: str) -> tuple[DbtWarehouse, Model]:
    """A model as a run of it sees it, for an operation: dbt compiles none for these."""
    manifest, config = adapter.get_macro_resolver(), adapter.config
    node = Compiler(config).compile_node(manifest.nodes[unique_id], manifest, write=False)
    context = generate_runtime_model_context(node, config, manifest)
    return DbtWarehouse(adapter, context), model_of(adapter, context)


def count_warnings(warned: Warned, results: Iterable[Any]) -> None:
    """Let dbt count each model that warned, in its last line and in run_results.json.

    A materialization cannot say so itself: dbt makes a result of it that has succeeded. The results
    of an on-run-end hook are those that dbt prints, writes and counts after it.
    """
    for result in results:
        lines = warned.of(result.node.unique_id)
        if lines and result.status == NodeStatus.Success:
            result.status = TestStatus.Warn
            result.message = "\n".join([result.message or "", *(f"  - {line}" for line in lines)])


def refuse_unknown_vars(adapter: Any, warehouse: DbtWarehouse) -> None:
    """A var that nobody reads is a mistake: it would change nothing, and say nothing."""
    manifest, config = adapter.get_macro_resolver(), adapter.config
    packages = {config.project_name, *(macro.package_name for macro in manifest.macros.values())}
    given = {*config.cli_vars}
    for name, value in config.vars.to_dict().items():
        given |= {*value} if name in packages and isinstance(value, dict) else {name}
    code = chain(  # read only where a name is not known
        (node.raw_code or "" for node in manifest.nodes.values()),
        (macro.macro_sql for macro in manifest.macros.values()),
        (json.dumps(file.dict_from_yaml, default=str) for file in yaml_files(manifest)),
    )
    problems = lake.unknown_vars(given, code)
    if problems:
        warehouse.refuse("Nothing was run:\n  - " + "\n  - ".join(problems))


def yaml_files(manifest: Any) -> list[Any]:
    files = getattr(manifest, "files", {}).values()
    return [file for file in files if getattr(file, "dict_from_yaml", None)]


def models_of(adapter: Any) -> list[ProjectModel]:
    """The models of the manifest, and what else makes tables: seeds and snapshots."""
    create = adapter.Relation.create
    return [
        ProjectModel(
            name=node.name,
            unique_id=node.unique_id,
            kind=node.config.materialized,
            relation=create(schema=node.schema, identifier=node.alias, type="table"),
            config=own_config(node.config.to_dict()),
            depends_on=node.depends_on_nodes,
        )
        for node in adapter.get_macro_resolver().nodes.values()
        if node.resource_type in ("model", "seed", "snapshot")
    ]


def own_config(config: Mapping[str, Any]) -> dict[str, Any]:
    """A model's configuration without what dbt itself knows."""
    return {name: value for name, value in config.items() if name not in DBT_CONFIGS}


def project_of(adapter: Any, context: Mapping[str, Any]) -> Project:
    """What the manifest and dbt's context say of the project."""
    return Project(
        models=models_of(adapter),
        exists=lambda relation: context["load_relation"](relation) is not None,
        invocation_id=context["invocation_id"],
        started_at=str(context["run_started_at"]),
    )


def model_of(adapter: Any, context: Mapping[str, Any]) -> Model:
    """What dbt's context says of the model that is run."""
    node, this = context["model"], context["this"]
    return Model(
        name=node["name"],
        unique_id=node["unique_id"],
        sql=context["compiled_code"],
        ctes=tuple(cte["sql"] for cte in node.get("extra_ctes") or ()),
        target=this.incorporate(type="table"),
        existing=context["load_relation"](this),
        kind=node["config"]["materialized"],
        config=own_config(node["config"]),
        has_days=any(
            other.config.materialized == "daily" and node["unique_id"] in other.depends_on_nodes
            for other in adapter.get_macro_resolver().nodes.values()
            if other.resource_type == "model"
        ),
        is_full_refresh=bool(context["flags"].FULL_REFRESH),
        invocation_id=context["invocation_id"],
        var=context["var"],
        ref=context["ref"],
        event_time=event_time_of(adapter.config.args),
        mirrors=lambda: {
            str(model.relation): model for model in models_of(adapter) if model.kind == "mirror"
        },
    )


def event_time_of(arguments: Any) -> tuple[Any, Any] | None:
    """``--event-time-start`` and ``--event-time-end``, where both are given."""
    start, end = (getattr(arguments, f"EVENT_TIME_{name}", None) for name in ("START", "END"))
    return (start, end) if start and end else None
