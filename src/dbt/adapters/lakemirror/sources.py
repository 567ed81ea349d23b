"""What a project's manifest and raw.schema_history say of the sources of raw tables."""

import json
import re
from collections.abc import Collection
from functools import cached_property
from types import SimpleNamespace
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from lakemirror.layers import Layers, layers_of_raw
from lakemirror.runs.lake import LANDING
from lakemirror.source import evolution, masked, schemas, sink, types, versions
from lakemirror.source.columns import (
    ColumnsError,
    Declared,
    gone_names,
    names_of,
    sent_names,
    source_columns,
)
from lakemirror.source.lake_types import lake_types_of
from lakemirror.state import window
from lakemirror.state.erasures import ERASED_KEYS
from lakemirror.state.ops_tables import QUARANTINE

VERSIONS = "lakemirror_schema_versions"
EPHEMERAL = "__dbt__cte__"
OF_META = ("default", "renamed_from")  # what config.meta of a source's column may say


class SourcesOfProject:
    """The sources of one invocation; ``adapter`` asks the lake, and has the manifest."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter

    @property
    def manifest(self) -> Any:
        return self.adapter.get_macro_resolver()

    def of(self, raw: Any) -> Any:
        """The node of a raw table; None where it is none of the project's sources.

        The manifest is asked and not the graph, which unit tests do not have: their fixture of a
        source is called <source>__<table>.
        """
        identifier = str(getattr(raw, "identifier", ""))
        for source in self.manifest.sources.values():
            fixture = f"{source.source_name}__{source.name}"
            if source.relation_name == str(raw) or identifier.endswith(fixture):
                return source
        return None

    def records_sql(self, raw: Any, clause: str = "") -> str:
        """What a query reads the records of a raw table from, whoever has written them.

        Args:
            clause: which of its records: see lakemirror.state.window.Window.clause.

        Returns:
            The table with the clause, or what lakemirror.source.sink.records_sql returns.
        """
        table, source = f"{raw} {clause}".rstrip(), self.of(raw)
        # a unit test's fixture has the columns of a raw table
        is_fixture = source is None or source.relation_name != str(raw)
        writer = None if is_fixture else source.config.meta.get("written_by")
        if writer is None:
            if not self.is_kept_out(raw):
                return table
            erased_keys = f"{self.layers_of(raw).ops}.{ERASED_KEYS.name}"
            return self.adapter.kept_out_sql(table, str(raw).replace("`", ""), erased_keys)
        if writer != sink.WRITER:
            raise DbtRuntimeError(
                f"config.meta.written_by of {raw} is {writer}, and can be {sink.WRITER}"
            )
        debezium, adapter = source.config.meta.get("debezium"), self.adapter
        described = adapter.execute(f"describe query select * from {table}", fetch=True)[1]
        names = described.columns[0]
        # describe cuts long types short
        of_each = ", ".join(f"typeof(records.{adapter.quote(name)})" for name in names)
        none = f"(select 1) left join (select * from {table}) as records on false"
        kinds = adapter.rows(f"select {of_each} from {none}")[0]
        try:
            settings = types.settings_of(debezium)[1] if debezium else {}
            named = dict(zip(names, kinds, strict=True))
            return sink.records_sql(table, named, settings.get("decimal.format"))
        except (types.TypeMappingError, sink.SinkError) as error:
            raise DbtRuntimeError(
                f"{raw} cannot be read: {error} (docs/sources/iceberg-sink.md)"
            ) from error

    def columns_of(self, source: Any) -> list[dict[str, Any]]:
        """A source table's columns: what raw.schema_history knows, and its YAML over that, without
        those that are erased.

        See lakemirror.source.columns for what is returned, and what is refused.
        """
        return columns_of(source, self.known_columns(source), self.erased_names(source))

    def erased_names(self, source: Any) -> set[str]:
        """The columns of a source table that are erased, and kept out, in lower case."""
        raw = str(source.relation_name).replace("`", "")
        return {*self.adapter.erased_columns(self.layers_of(raw).ops).get(raw, ())}

    def left_out(self, raw: Any) -> list[str]:
        """The columns that are erased, and that the YAML of a raw table does not leave out."""
        source = self.of(raw)
        erased = self.erased_names(source) if source else set()
        if not erased:
            return []
        said = {name.lower() for name in ignored_columns(source)}
        there = {*declared_of(source), *(known["name"] for known in self.history_of(source))}
        return sorted({name for name in there if name.lower() in erased - said})

    def spellings(self, raw: Any, column: str) -> set[str]:
        """The names of a column at any time, in lower case."""
        source = self.of(raw)
        if source is None:
            return {column.lower()}
        of_each = [
            *([name, own.renamed_from] for name, own in declared_of(source).items()),
            *([known["name"], *known["spellings"]] for known in self.history_of(source)),
        ]
        groups = [{name.lower() for name in names if name} for names in of_each]
        found, size = {column.lower()}, 0
        while size < len(found):
            size = len(found)
            found = found.union(*(group for group in groups if group & found))
        return found

    def known_names(self, raw: Any) -> set[str]:
        """The names of all columns of a raw table's source at any time, in lower case."""
        source = self.of(raw)
        return {name.lower() for name in self.declared_names(raw)} if source else set()

    def declared(self, raw: Any) -> Any:
        source = self.of(raw)
        if source is None:
            raise DbtRuntimeError(f"{raw} is not a source of this project")
        return source

    def columns(self, raw: Any) -> list[dict[str, Any]]:
        """A raw table's columns; none where its staging does not ask for them, and need not."""
        source = self.of(raw)
        if source is None:
            return []
        try:
            return self.columns_of(source)
        except DbtRuntimeError:
            return []

    def declared_names(self, raw: Any) -> list[str]:
        """The names of a source table's columns of any time, and of those to be left out."""
        source = self.of(raw)
        known = self.history_of(source)
        left_out = [*ignored_columns(source), *self.erased_names(source)]
        return [*names_of(declared_of(source), known), *left_out]

    def gone_names(self, raw: Any) -> list[dict[str, Any]]:
        """The names of dropped columns: see lakemirror.source.columns.gone_names."""
        source = self.of(raw)
        gone = gone_names(declared_of(source), self.known_columns(source))
        return [column for column in gone if not {*column["names"]} & {*ignored_columns(source)}]

    def is_told(self, raw: Any) -> bool:
        """Whether raw.schema_history has the columns of a raw table's source."""
        source = self.of(raw)
        return bool(source and versions.in_order(self.versions_of(source)))

    def connector(self, raw: Any) -> tuple[str, dict[str, str]]:
        """The connector that a source says, and all its settings."""
        return connector_of(self.declared(raw))

    def quarantined(self, model: str) -> dict[str | None, int]:
        """How many open records of a model ops.quarantine has, by what has judged them."""
        return self.adapter.open_records().get(model, {})

    def changed_key(self, raw: Any, key: Any) -> list[str] | None:
        """The source's key where it is ``key`` no more: see lakemirror.source.versions."""
        source = self.of(raw)
        return versions.changed_key(self.versions_of(source), key) if source else None

    def is_kept_out(self, raw: Any) -> bool:
        """Whether keys of a raw table are erased: their records are read as if empty."""
        return str(raw).replace("`", "") in self.adapter.erased(self.layers_of(raw).ops)

    def layers_of(self, raw: Any) -> Layers:
        """The schemas of the environment that a raw table is of: the target's, but where another's
        tables of ops are beside its raw."""
        own, found = self.adapter.layers, layers_of_raw(schema_of(raw))
        if found is None or found == own:
            return own
        return found if self.adapter.check_schema_exists(None, found.ops) else own

    def landing_of(self, raw: Any, own: Any) -> Any:
        """What says what has landed in a raw table: the landing of its environment, which is
        ``own`` where that is the target's. None where there is none."""
        layers = self.layers_of(raw)
        if layers == self.adapter.layers:
            return own
        is_there = LANDING in self.adapter.tables_in(layers.ops)
        return f"{layers.ops}.{LANDING}" if is_there else None

    def landing_of_model(self, changes: Any, own: Any) -> Any:
        """What says what has landed of the source of a staging model.

        Args:
            own: the landing of the target's environment; a unit test has one of its own.
        """
        source = None if own.is_cte else self.below_relation(changes)
        return (self.landing_of(source.relation_name, own) if source else None) or own

    def has_keys(self, raw: Any) -> bool:
        """Whether a raw table has keys and values: Debezium's has, another's may have columns."""
        source = self.of(raw)
        if source and source.config.meta.get("debezium"):
            return True
        described = self.adapter.execute(f"describe {raw}", fetch=True)[1]
        return {"key", "value"} <= {*described.columns[0]}

    def known_key(self, raw: Any) -> list[str]:
        """The source's key as raw.schema_history has it last; empty where that is not known."""
        source = self.of(raw)
        ordered = versions.in_order(self.versions_of(source)) if source else []
        return [*(ordered[-1]["key"] or ())] if ordered else []

    def ending(self, raw: Any) -> versions.Ending | None:
        """The statement that dropped or renamed a source's table: see lakemirror.source.versions.

        None where the source's YAML has its time as ``known_ending``, or nothing of the former
        table has landed.
        """
        source = self.of(raw)
        found = versions.ending(self.versions_of(source)) if source else None
        if found is None or str(source.config.meta.get("known_ending")) == found.at:
            return None
        return found

    def versions_of(self, source: Any) -> list[dict[str, Any]]:
        """The versions of a source table that raw.schema_history has: that beside its raw table."""
        return self.adapter.schema_versions(source.schema).get(source.identifier, [])

    def known_columns(self, source: Any) -> list[dict[str, Any]]:
        """The columns of a source table that raw.schema_history has, without those left out."""
        left_out, erased = ignored_columns(source), self.erased_names(source)
        return [
            column
            for column in self.history_of(source)
            if column["name"] not in left_out and column["name"].lower() not in erased
        ]

    def history_of(self, source: Any) -> list[dict[str, Any]]:
        """All columns of a source table that raw.schema_history has."""
        connector = (source.config.meta.get("debezium") or {}).get("connector")
        return versions.known_columns(self.versions_of(source), has_one_log=connector != "vitess")

    def unlike(self, relation: Any, there: Any) -> list[str]:
        """What a model's table would have to become to have its source's columns, a line each.

        Args:
            there: the table's columns.
        """
        node = self.model_of(relation)
        source = self.below(node)
        if source is None:
            raise DbtRuntimeError(f"{relation} is no model of changes of one source table")
        columns = self.columns_of(source)
        wanted = [
            {"name": column["name"], "data_type": re.sub(r"\s", "", column["lake"])}
            for column in columns
            if not column["is_dropped"]
        ]
        rules = evolution.Rules(
            renamed={c["name"]: c["former"] for c in columns if c["former"]},
            dropped=[c["name"] for c in columns if c["is_dropped"]],
            on_type_conflict=node.config.get("on_type_conflict") or "fail",
        )
        named = [{"name": column.name, "data_type": column.dtype} for column in there]
        found = evolution.plan(named, wanted, [], rules)
        return [*found.lines, *found.problems, *self.lost_columns(relation, source)]

    def pii(self, relation: Any) -> dict[str, Any]:
        """``meta.pii`` of the columns of a model's YAML, by their names in lower case."""
        columns = self.model_of(relation).columns.values()
        metas = {column.name.lower(): column.config.meta for column in columns}
        return {name: meta[masked.TAG] for name, meta in metas.items() if masked.TAG in meta}

    def model_of(self, relation: Any) -> Any:
        """The node of the model that makes a relation."""
        nodes = self.manifest.nodes.values()
        name = str(relation)
        node = next((n for n in nodes if getattr(n, "relation_name", None) == name), None)
        if node is None:
            raise DbtRuntimeError(f"{relation} is no model of this project")
        return node

    def lost_columns(self, relation: Any, source: Any) -> list[str]:
        """A line for each column that changes had which nobody declared when they were read."""
        commit = own_commit(self.adapter, relation)
        names = json.loads(commit.summary.get("lakemirror.undeclared", "[]")) if commit else []
        return [
            f"has lost values of the column {name}, which nobody had declared: rebuild it"
            for name in names
            if name not in ignored_columns(source) and name.lower() not in self.erased_names(source)
        ]

    def below_relation(self, relation: Any) -> Any:
        """The one source table that a model is made of, by the model's relation."""
        alias = relation.identifier.removeprefix(EPHEMERAL)
        for node in self.manifest.nodes.values():
            is_ephemeral = node.config.materialized == "ephemeral" and node.alias == alias
            if is_ephemeral or getattr(node, "relation_name", None) == str(relation):
                return self.below(node)
        return None

    def below(self, node: Any) -> Any:
        """The one source table that a model is made of, be it through other models."""
        below, found = [*node.depends_on_nodes], {}
        while below:
            unique_id = below.pop()
            if unique_id in self.manifest.sources:
                found[unique_id] = self.manifest.sources[unique_id]
            elif unique_id in self.manifest.nodes:
                below += self.manifest.nodes[unique_id].depends_on_nodes
        return next(iter(found.values())) if len(found) == 1 else None


def columns_of(
    source: Any, known: list[dict[str, Any]], erased: Collection[str] = ()
) -> list[dict[str, Any]]:
    """The columns of a source table's node: see lakemirror.source.columns.

    Args:
        erased: names, in lower case, that are left out.

    Raises:
        DbtRuntimeError: all that is wrong with them.
    """
    connector, settings = connector_of(source)
    try:
        lake_types = lake_types_of(source.config.meta, connector)
        declared = {n: own for n, own in declared_of(source).items() if n.lower() not in erased}
        return source_columns(declared, known, connector, settings, lake_types)
    except (types.TypeMappingError, ColumnsError) as problem:
        raise DbtRuntimeError(f"source {source.source_name}.{source.name}: {problem}") from problem


class SourceOfModel:
    """What macros ask of a raw table; each is looked up when it is asked for."""

    def __init__(self, sources: SourcesOfProject, raw: Any) -> None:
        self._sources = sources
        self._raw = raw

    @cached_property
    def columns(self) -> list[dict[str, Any]]:
        """See SourcesOfProject.columns_of."""
        return self._sources.columns_of(self._sources.declared(self._raw))

    @property
    def connector(self) -> str:
        """The connector that the source says, which gives its changes their order."""
        return self._sources.connector(self._raw)[0]

    @cached_property
    def names(self) -> list[str]:
        """See SourcesOfProject.declared_names."""
        return self._sources.declared_names(self._raw)

    @property
    def gone(self) -> list[dict[str, Any]]:
        """See SourcesOfProject.gone_names."""
        return self._sources.gone_names(self._raw)

    @property
    def sent(self) -> list[str]:
        """See lakemirror.source.columns.sent_names."""
        return sent_names(self.columns, self.names)


# while dbt parses, when no source is known yet
UNREAD = SimpleNamespace(columns=[], connector=None, names=[], gone=[], sent=[])


def connector_of(source: Any) -> tuple[str, dict[str, str]]:
    """The connector of a source table's node, and all its settings.

    Raises:
        DbtRuntimeError: a connector or a setting that there is not.
    """
    try:
        return types.settings_of(source.config.meta.get("debezium") or {})
    except types.TypeMappingError as problem:
        raise DbtRuntimeError(f"source {source.source_name}.{source.name}: {problem}") from problem


def declared_of(source: Any) -> dict[str, Declared]:
    """What a source table's YAML says of its columns."""
    return {column.name: declared_column(column) for column in source.columns.values()}


def declared_column(column: Any) -> Declared:
    """What YAML says of a column.

    Raises:
        DbtRuntimeError: what belongs under ``config: {meta: ...}`` is beside it, where dbt keeps it
            and nobody reads it.
    """
    misplaced = [name for name in OF_META if name in column.extra]
    if misplaced:
        name = misplaced[0]
        raise DbtRuntimeError(
            f"column {column.name}: {name} stands under config: "
            f"`config: {{meta: {{{name}: {column.extra[name]}}}}}`"
        )
    meta = column.config.meta
    default = meta.get("default")
    return Declared(
        column.data_type, meta.get("renamed_from"), None if default is None else str(default)
    )


def ignored_columns(source: Any) -> list[str]:
    """The columns that a source table's YAML leaves out."""
    return source.config.meta.get("ignored_columns") or []


def schema_of(raw: Any) -> str:
    """The schema of a raw table."""
    return str(raw).replace("`", "").partition(".")[0]


def known_schemas(adapter: Any, schema: str) -> dict[str, list[dict[str, Any]]]:
    """The versions of each raw table of a schema that the history beside it has."""
    is_there = schemas.HISTORY in adapter.tables_in(schema)
    arguments = {"history": f"{schema}.{schemas.HISTORY}"}
    rows = adapter.execute_macro(VERSIONS, kwargs=arguments) if is_there else []
    return {row[0]: json.loads(row[1]) for row in rows}


def open_records(adapter: Any) -> dict[str, dict[str | None, int]]:
    """How many open records ops.quarantine has, by model and what has judged them."""
    found: dict[str, dict[str | None, int]] = {}
    quarantine = f"{adapter.layers.ops}.{QUARANTINE.name}"
    known = adapter.metadata(quarantine)
    if known is not None and not known.snapshots:
        return found  # it has never had a record
    for model, judged_by, records in adapter.rows(
        f"select model, judged_by, count(*) from {quarantine} where settled_at is null "
        "group by model, judged_by"
    ):
        found.setdefault(model, {})[judged_by] = int(records)
    return found


def own_commit(adapter: Any, relation: Any) -> window.Snapshot | None:
    """The newest commit of a table that carries a bookmark."""
    try:
        snapshots, head = window.history_of(str(relation), adapter.rows)
    except window.WindowError as error:
        raise DbtRuntimeError(str(error)) from error
    return window.newest_own_commit(window.lineage(snapshots, head))
