"""The door between dbt's Jinja and the runs: its context and adapter as warehouse and model."""

import json
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any, NoReturn

from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.impl import SparkConfig
from dbt.artifacts.resources.v1.model import ModelConfig
from dbt_common.exceptions import DbtRuntimeError
from py4j.protocol import Py4JJavaError

from dbt.adapters.lakemirror import table_schema
from dbt.adapters.lakemirror.sources import SourcesOfProject
from lakemirror.runs import lake, messages
from lakemirror.runs.changelog import ChangelogRun
from lakemirror.runs.cut import CutRun
from lakemirror.runs.daily import DailyRun
from lakemirror.runs.maintenance import Maintenance
from lakemirror.runs.mirror import MirrorRun
from lakemirror.runs.model import Model
from lakemirror.runs.project import Project, ProjectModel
from lakemirror.runs.resync import ResyncRun
from lakemirror.runs.settings import (
    SETTINGS,
    MirrorSettings,
    SettingsError,
    unknown_problems,
)
from lakemirror.runs.warehouse import Sources
from lakemirror.state.table_schema import SchemaChange, TableSchema

logger = AdapterLogger("Lakemirror")

COMMIT_TRIES = 10
LOST_RACES = ("CommitFailedException", "Found conflicting files")
RUNS: dict[str, Any] = {
    "mirror": MirrorRun,
    "log": ChangelogRun,
    "daily": DailyRun,
    "cut": CutRun,
}
# what dbt itself knows of a model's configuration
DBT_CONFIGS = {setting.name.replace("_hook", "-hook") for setting in fields(ModelConfig)} | {
    setting.name for setting in (*fields(SparkConfig), *fields(ModelConfig))
}


class DbtWarehouse:
    """A run's statements and messages by dbt: see lakemirror.runs.warehouse.Warehouse."""

    def __init__(self, adapter: Any, context: Mapping[str, Any]) -> None:
        self.adapter, self.context = adapter, context
        self.sources: Sources = SourcesOfProject(adapter)

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

    def configure(self, settings: Mapping[str, Any]) -> None:
        self.adapter.set_session(settings)

    def sql(self, macro: str, *arguments: Any, **keywords: Any) -> str:
        return self.context[macro](*arguments, **keywords)

    def schema_of(self, relation: Any) -> TableSchema | None:
        session = self.adapter.session
        return None if session is None else table_schema.read(session, relation)

    def change_schema(self, relation: Any, change: SchemaChange) -> None:
        logger.debug(f"schema of {relation}: {change}")
        self.until_committed(
            lambda: table_schema.commit(self.adapter.session, relation, change), Py4JJavaError
        )

    def forget(self, view: Any) -> None:
        """A view whose plan is stored stays in the cache when it is dropped alone: plans and rows
        of every batch, until the process ends."""
        session = self.adapter.session
        if session is None:
            self.run(f"uncache table if exists {view}")
            self.run(f"drop view if exists {view}")
            return
        name = view.identifier
        if session._jsparkSession.sessionState().catalog().getTempView(name).isDefined():
            session.catalog.uncacheTable(name)
            session.catalog.dropTempView(name)

    def say(self, line: str) -> None:
        self.context["log"](line, info=True)

    def warn(self, line: str) -> None:
        self.context["exceptions"]["warn"](line)

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
        config = context["model"]["config"]
        kind = config["materialized"]
        settings = self.settings_of(kind, config)
        is_resync = kind == "mirror" and self.model.var("resync", None) is not None
        run = ResyncRun if is_resync else RUNS[kind]
        self.run = run(self.warehouse, self.model, settings)

    def settings_of(self, kind: str, config: Mapping[str, Any]) -> Any:
        """The settings of the model; all that is wrong with them is one error."""
        known = SETTINGS[kind].names()
        others = {name for settings in SETTINGS.values() for name in settings.names()}
        # a folder's configuration reaches models of other materializations in it
        unknown = {*config} - DBT_CONFIGS - known - others
        problems = unknown_problems(unknown, known, f"a {kind}")
        try:
            settings = SETTINGS[kind].read(config)
        except SettingsError as error:
            problems = [*error.problems, *problems]
        if problems:
            self.warehouse.refuse(messages.not_configured(self.model.name, problems))
        return settings

    def apply(self) -> None:
        """Do what is to be done, tell dbt what that was, and write the model's descriptions."""
        did = self.run.apply()
        if did is None:
            self.tell("NOTHING NEW", None, None)
            return
        message = did.pop("message", None) or f"{did['applied']} applied"
        self.context["persist_docs"](self.target, self.context["model"])
        self.tell(message, json.dumps(did), did.get("applied"))

    def tell(self, message: str, code: str | None, rows: int | None) -> None:
        """What dbt prints of the model, and record_runs keeps."""
        store = self.context["store_raw_result"]
        store("main", message=message, code=code, rows_affected=rows)


def operate(adapter: Any, name: str, context: Mapping[str, Any], arguments: Any) -> None:
    """Run an operation, or a hook of a run."""
    warehouse = DbtWarehouse(adapter, context)
    project = project_of(adapter, context)
    if name == "prepare_lake":
        refuse_unknown_vars(adapter, warehouse)
        lake.prepare(warehouse, project)
    elif name == "record_runs":
        lake.record(warehouse, project, arguments["results"])
    else:
        getattr(Maintenance(warehouse, project), name)(**arguments)


def refuse_unknown_vars(adapter: Any, warehouse: DbtWarehouse) -> None:
    """A var that nobody reads is a mistake: it would change nothing, and say nothing."""
    manifest, config = adapter.get_macro_resolver(), adapter.config
    packages = {config.project_name, *(macro.package_name for macro in manifest.macros.values())}
    given = {*config.cli_vars}
    for name, value in config.vars.to_dict().items():
        given |= {*value} if name in packages and isinstance(value, dict) else {name}
    code = (
        *(node.raw_code or "" for node in manifest.nodes.values()),
        *(macro.macro_sql for macro in manifest.macros.values()),
        *(json.dumps(file.dict_from_yaml, default=str) for file in yaml_files(manifest)),
    )
    problems = lake.unknown_vars(given, code)
    if problems:
        warehouse.refuse("Nothing was run:\n  - " + "\n  - ".join(problems))


def yaml_files(manifest: Any) -> list[Any]:
    files = getattr(manifest, "files", {}).values()
    return [file for file in files if getattr(file, "dict_from_yaml", None)]


def project_of(adapter: Any, context: Mapping[str, Any]) -> Project:
    """What the manifest and dbt's context say of the project."""
    create = adapter.Relation.create
    return Project(
        models=[
            ProjectModel(
                name=node.name,
                unique_id=node.unique_id,
                kind=node.config.materialized,
                relation=create(schema=node.schema, identifier=node.alias, type="table"),
                config=node.config.to_dict(),
                depends_on=node.depends_on_nodes,
            )
            for node in adapter.get_macro_resolver().nodes.values()
            if node.resource_type == "model"
        ],
        exists=lambda relation: context["load_relation"](relation) is not None,
        invocation_id=context["invocation_id"],
        started_at=str(context["run_started_at"]),
    )


def model_of(adapter: Any, context: Mapping[str, Any]) -> Model:
    """What dbt's context says of the model that is run."""
    node, this = context["model"], context["this"]
    nodes = [*adapter.get_macro_resolver().nodes.values()]
    return Model(
        name=node["name"],
        unique_id=node["unique_id"],
        sql=context["compiled_code"],
        ctes=tuple(cte["sql"] for cte in node.get("extra_ctes") or ()),
        target=this.incorporate(type="table"),
        existing=context["load_relation"](this),
        config=node["config"],
        has_days=any(
            other.config.materialized == "daily" and node["unique_id"] in other.depends_on_nodes
            for other in nodes
            if other.resource_type == "model"
        ),
        is_full_refresh=bool(context["flags"].FULL_REFRESH),
        invocation_id=context["invocation_id"],
        var=context["var"],
        ref=context["ref"],
        event_time=event_time_of(adapter.config.args),
        mirrors=lambda: {
            relation_of(adapter, node): MirrorSettings.read(node.config.to_dict()).key
            for node in nodes
            if node.resource_type == "model" and node.config.materialized == "mirror"
        },
    )


def relation_of(adapter: Any, node: Any) -> str:
    """The name of a model's table."""
    return str(adapter.Relation.create(schema=node.schema, identifier=node.alias, type="table"))


def event_time_of(arguments: Any) -> tuple[Any, Any] | None:
    """``--event-time-start`` and ``--event-time-end``, where both are given."""
    start, end = (getattr(arguments, f"EVENT_TIME_{name}", None) for name in ("START", "END"))
    return (start, end) if start and end else None
