"""The adapter: listings that never lie, types and comments in the catalog, Python models."""

import json
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, date, datetime, timedelta
from itertools import takewhile
from typing import Any

from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterResponse
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.column import SparkColumn
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.lakemirror.connections import LakemirrorConnectionManager
from lakemirror import (
    buckets,
    days,
    evolution,
    order,
    raw,
    schemas,
    sink,
    technical,
    tombstones,
    types,
    versions,
    window,
)
from lakemirror.source_columns import (
    ColumnsError,
    Declared,
    gone_names,
    names_of,
    source_columns,
)

logger = AdapterLogger("Lakemirror")

COMMIT_TRIES = 10
EVOLUTION_SETTINGS = ("key", "on_drop", "on_type_conflict")
BATCH_LIFE = timedelta(days=2)


class LakemirrorAdapter(SparkAdapter):
    ConnectionManager = LakemirrorConnectionManager
    _schemas: dict[str, list[dict[str, Any]]] | None = None
    _cut: dict[str, int] | None = None

    @classmethod
    def quote(cls, identifier: str) -> str:
        return evolution.quoted(identifier)

    # -- relations ---------------------------------------------------------------------------

    def list_relations_without_caching(self, schema_relation: Any) -> list[Any]:
        """Tables and views of a schema. A failure is an error, never an empty list (F39)."""
        if not self.check_schema_exists(None, schema_relation.schema):
            return []
        rows = self.execute_macro(
            "lakemirror_list_relations", kwargs={"schema": schema_relation.schema}
        )
        return [
            self.Relation.create(
                schema=schema_relation.schema,
                identifier=name,
                type=kind,
                is_iceberg=kind == "table",
                is_delta=False,
                is_hudi=False,
            )
            for kind, name in rows
        ]

    def check_schema_exists(self, database: str | None, schema: str) -> bool:
        rows = self.execute_macro("list_schemas", kwargs={"database": database})
        return schema in {row[0] for row in rows}

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

    @available.parse_none
    def described(self, relation: Any) -> dict[str, Any]:
        """What a table says of itself: its properties and its partitioning."""
        properties = self.rows(f"show tblproperties {relation}")
        rows = self.rows(f"describe {relation}")
        texts = [tuple(row) for row in rows]
        details = texts[len(described_columns(texts)) :]
        return {
            "properties": dict(map(tuple, properties)),
            "partitioning": [row[1] for row in details if re.fullmatch(r"Part \d+", row[0])],
        }

    @available.parse_none
    def changed_properties(
        self, there: dict[str, Any], properties: dict[str, Any], model: str
    ) -> dict[str, str]:
        """Those of a configuration's properties that a table lacks or has otherwise.

        Args:
            there: what described says of the table.
        """
        known = there["properties"]
        changed = {n: str(v) for n, v in properties.items() if known.get(n) != str(v)}
        version = known["format-version"]
        if int(changed.get("format-version", version)) < int(version):
            raise DbtRuntimeError(
                f"{model}: its table has format version {version}, and none goes back: "
                f"configure format_version={version}"
            )
        return changed

    @available.parse_none
    def has_buckets(self, there: dict[str, Any], buckets: int | None, bucket_by: str) -> bool:
        """Whether a table is partitioned by these buckets, or not at all where there are none."""
        wanted = [f"bucket({buckets}, {bucket_by})"] if buckets else []
        return [text.replace("`", "") for text in there["partitioning"]] == [
            text.replace("`", "") for text in wanted
        ]

    @available.parse_none
    def bucket_advice(self, size: Any, distinct: dict[str, Any]) -> buckets.Advice:
        """The buckets that a mirror is to have: see lakemirror.buckets.advise."""
        return buckets.advise(int(size or 0), {name: int(n) for name, n in distinct.items()})

    @available.parse_none
    def bucket_column(self, there: dict[str, Any]) -> str | None:
        """The column that a table is bucketed by; None where it has no buckets.

        Args:
            there: what described says of the table.
        """
        found = re.fullmatch(r"bucket\(\d+, `?(.+?)`?\)", "".join(there["partitioning"][:1]))
        return found[1].replace("``", "`") if found else None

    @available.parse_list
    def bucketable(self, columns: Any, key: list[str]) -> list[str]:
        """The columns of a key that may have buckets: see lakemirror.buckets.bucketable."""
        return buckets.bucketable({c["name"]: c["data_type"] for c in columns}, key)

    # -- snapshots of Iceberg tables ---------------------------------------------------------

    @available.parse_none
    def snapshots(self, relation: Any) -> tuple[list[window.Snapshot], int | None]:
        """All snapshots of an Iceberg table, and the id of the main branch's newest."""
        with as_dbt_errors():
            return window.history_of(str(relation), self.rows)

    def head(self, relation: Any) -> int | None:
        """The main branch's newest snapshot of an Iceberg table, which costs no job to know."""
        with as_dbt_errors():
            return window.head_of(str(relation), self.rows)

    def rows(self, query: str) -> Any:
        return self.execute(query, fetch=True)[1].rows

    @available.parse_none
    def await_raw(self, name: str) -> bool:
        """Make the raw table of a topic that has had no record yet; True when it had to.

        Only in the schema that landing writes; elsewhere a table that is not there is an error.
        """
        schema, _, table = name.replace("`", "").partition(".")
        if schema != "raw":
            return False
        self.execute("create namespace if not exists raw")
        rows = self.execute_macro("lakemirror_list_relations", kwargs={"schema": schema})
        is_missing = table not in {found for _, found in rows}
        if is_missing:
            self.execute(raw.create_sql(table))
        return is_missing

    @available.parse_none
    def newest_own_commit(
        self, relation: Any, known: window.Snapshot | None = None
    ) -> window.Snapshot | None:
        """The newest commit of ``relation`` that carries a bookmark.

        Args:
            known: what it was before; while it is the table's newest snapshot, no history is read.
        """
        if known and self.head(relation) == known.id:
            return known
        return window.newest_own_commit(window.lineage(*self.snapshots(relation)))

    @available.parse_none
    def is_unwritten(self, relation: Any) -> bool:
        """Whether a table has had no commit at all: none of its rows can be of an expired one."""
        return self.head(relation) is None

    @available.parse_none
    def next_window(
        self, raw: Any, own: window.Snapshot | None, model: str
    ) -> window.Window | None:
        """What ``raw`` has got since the bookmark of a commit; all of it without a commit.

        See lakemirror.window.next_window.
        """
        bookmark = int(own.summary[window.BOOKMARK]) if own else None
        try:
            head = window.head_of(str(raw), self.rows)
            if head == bookmark:
                return None
            snapshots = window.snapshots_with(head, str(raw), self.rows)
            return window.next_window(str(raw), snapshots, head, bookmark)
        except window.WindowError as error:
            raise DbtRuntimeError(
                f"{model}: {error}\nNothing was written. To read all that {raw} holds once more: "
                f"dbt run --select {model} --vars '{{replay: true}}'"
            ) from error

    @available.parse_none
    def fast_forward(self, relation: Any, branch: str, model: str) -> None:
        """Make a branch the table, unless the table has moved since the branch began (F35)."""
        name = f"{relation.schema}.{relation.identifier}"
        try:
            self.execute(f"call system.fast_forward('{name}', 'main', '{branch}')", fetch=True)
        except DbtRuntimeError as error:
            if "not an ancestor" not in str(error):
                raise
            raise DbtRuntimeError(
                f"{model}: another run has committed to {relation} since this one began. Nothing "
                "was written; run the model again."
            ) from error
        finally:
            self.execute_until_committed(f"alter table {relation} drop branch {branch}")

    @available.parse_none
    def newest_commit_before(self, mirror: Any, midnight: str) -> window.Snapshot | None:
        """The newest commit of a mirror all whose events lie before ``midnight`` (UTC).

        Expiry may have cut the mirror's history before it: then it is known by its tag.
        """
        snapshots, head = self.snapshots(mirror)
        kept = self.base_tags(mirror).values()
        return window.newest_commit_before(midnight, snapshots, head, kept)

    @available.parse(lambda *_: {})
    def base_tags(self, mirror: Any) -> dict[str, int]:
        """The snapshots of a mirror that the macro keep_base has tagged, by their tags."""
        rows = self.rows(
            f"select name, snapshot_id from {mirror}.refs "
            f"where type = 'TAG' and startswith(name, '{window.BASE_TAG}')"
        )
        return {name: int(snapshot) for name, snapshot in rows}

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

    @available.parse_none
    def memory(self, relation: Any) -> tombstones.Memory:
        """A mirror's tombstones as they are now, with their horizon: another run's prune or delete
        in the middle of this one changes neither.
        """
        snapshots, head = self.snapshots(relation)
        prune = tombstones.furthest_prune(snapshots)
        return tombstones.Memory(as_of(relation, head), prune, head is None)

    @available.parse_none
    def as_of_now(self, relation: Any) -> str:
        """A table as it is now, for a query that may be run again after the table has moved on."""
        return as_of(relation, self.head(relation))

    @available.parse_none
    def horizon(
        self, own: window.Snapshot | None, memory: tombstones.Memory, retention_days: int
    ) -> str | None:
        """The source time before which deletes go: see lakemirror.tombstones.horizon."""
        newest = own.summary.get(window.NEWEST_EVENT) if own else None
        return tombstones.horizon(newest, retention_days, memory.pruned_until) if newest else None

    @available.parse_none
    def known_floor(self, own: window.Snapshot | None) -> dict[str, int] | None:
        """The order of the newest TRUNCATE that a mirror's commit knows."""
        return order.kept(own.summary if own else None, order.FLOOR, None)

    @available.parse_none
    def advance_logs(self, previous: Any, rows: Any, is_rebuild: bool, is_new: bool) -> Any:
        """The epochs, the floor and the end of a mirror after a batch: see lakemirror.order.

        Args:
            previous: the mirror's newest own commit.
            rows: the rows of the macro batch_logs_sql.
            is_rebuild: whether the epochs and the floor are those of the batch alone.
            is_new: whether the mirror has no row yet, and remembers no delete.

        Returns:
            epochs, floor, known_floor (before the batch), start (what may_outdate takes), end, and
            ``follows``; or a ``problem``.
        """
        summary = previous.summary if previous else None
        known = None if is_rebuild else self.known_floor(previous)
        known_end = order.kept(summary, order.END, {} if is_new else None)
        logs = {
            "floor": order.newest_floor(known, rows),
            "known_floor": known,
            "start": order.start_of(rows),
            "end": None if known_end is None else order.end_of(known_end, rows),
            "follows": order.follows(rows, known_end, known),
        }
        epochs = {} if is_rebuild else order.kept(summary, order.EPOCHS, {})
        try:
            return logs | {"epochs": order.advance_epochs(epochs, rows)}
        except order.EpochError as error:
            return logs | {"problem": str(error)}

    @available.parse_list
    def committed_days(self, relation: Any) -> list[str]:
        """The days that the commits of a daily table have published."""
        own = window.lineage(*self.snapshots(relation))
        return [s.summary[window.DAY] for s in own if window.DAY in s.summary]

    @available.parse_none
    def wanted_days(self, ds: Any, ds_to: Any) -> tuple[date, date] | None:
        """The first and the last day that a run is to publish, None for all that are due.

        The vars ``ds`` and ``ds_to`` say it, or ``--event-time-start`` and ``--event-time-end``:
        the days that end after the start, and begin before the end.
        """
        start, end = (
            getattr(self.config.args, f"EVENT_TIME_{name}", None) for name in ("START", "END")
        )
        if ds or ds_to:
            try:
                first, last = (date.fromisoformat(str(day)) for day in (ds, ds_to or ds))
            except ValueError as error:
                raise DbtRuntimeError(f"the vars ds and ds_to: {error}") from error
            if first > last:
                raise DbtRuntimeError(f"the vars ds and ds_to: {first} comes after {last}")
            return first, last
        if start and end:
            return start.date(), (end - timedelta(microseconds=1)).date()
        return None

    @available.parse_list
    def days_to_publish(
        self, published: Any, known: Any, late: Any, wanted: Any, keep_days: Any, model: str
    ) -> list[str]:
        """The days that a daily table is to write: see lakemirror.days.days_to_publish.

        Args:
            known: from when, and until when the source's changes are known.
            late: the number of late changes by their day.
        """
        try:
            found = days.days_to_publish(
                utc(known[0]),
                utc(known[1]),
                {date.fromisoformat(day) for day in published},
                date.fromisoformat(min(late)) if late else None,
                wanted,
                keep_days,
            )
        except days.DayError as error:
            raise DbtRuntimeError(f"{model}: {error}. Nothing was published.") from error
        return [day.isoformat() for day in found]

    @available.parse_list
    def kept_days(self, written: Any, complete_until: Any, keep_days: Any) -> list[str]:
        """The days that a daily table keeps, of those that it has: see lakemirror.days.is_kept."""
        until = utc(complete_until)
        found = [date.fromisoformat(day) for day in written]
        newest = max([*found, *([until.date() - days.ONE_DAY] if until else [])], default=None)
        return [d.isoformat() for d in found if newest and days.is_kept(d, newest, keep_days)]

    @available.parse_list
    def outlived_days(self, written: Any, keep_days: int) -> list[str]:
        """The days of a daily table that it need not keep, by its own newest day."""
        return sorted({*written} - {*self.kept_days(written, None, keep_days)})

    @available.parse_none
    def execute_until_committed(self, sql: str) -> None:
        """Run DDL on a table that others commit to: Iceberg itself retries commits of data only."""
        for attempt in range(1, COMMIT_TRIES + 1):
            try:
                self.execute(sql)
                return
            except DbtRuntimeError as error:
                if "CommitFailedException" not in str(error) or attempt == COMMIT_TRIES:
                    raise
                time.sleep(random.uniform(0, 0.2 * attempt))

    @available.parse_none
    def drop_left_batches(self) -> None:
        """Drop the staged batches of runs that died, once no run can still use them."""
        now = datetime.now(UTC).replace(tzinfo=None)
        for _, name in self.execute_macro("lakemirror_list_relations", kwargs={"schema": "stage"}):
            begun = re.search(r"__(\d{8}t\d{6})_[0-9a-f]{8}$", name)
            if begun and datetime.strptime(begun[1], "%Y%m%dt%H%M%S") < now - BATCH_LIFE:
                self.execute(f"drop table if exists stage.`{name}` purge")

    # -- what the project declares -----------------------------------------------------------

    @available.parse(lambda raw, clause="": str(raw))
    def records_sql(self, raw: Any, clause: str = "") -> str:
        """What a query reads the records of a raw table from, whoever has written them.

        Args:
            clause: which of its records: see lakemirror.window.Window.clause.

        Returns:
            The table with the clause, or what lakemirror.sink.records_sql returns.
        """
        table, source = f"{raw} {clause}".rstrip(), self.source_of(raw)
        # a unit test's fixture has the columns of a raw table
        is_fixture = source is None or source.relation_name != str(raw)
        writer = None if is_fixture else source.config.meta.get("written_by")
        if writer is None:
            return table
        if writer != sink.WRITER:
            raise DbtRuntimeError(
                f"config.meta.written_by of {raw} is {writer}, and can be {sink.WRITER}"
            )
        debezium = source.config.meta.get("debezium")
        names = self.execute(f"describe query select * from {table}", fetch=True)[1].columns[0]
        # describe cuts long types short
        of_each = ", ".join(f"typeof(records.{self.quote(name)})" for name in names)
        none = f"(select 1) left join (select * from {table}) as records on false"
        kinds = self.rows(f"select {of_each} from {none}")[0]
        try:
            settings = types.settings_of(debezium)[1] if debezium else {}
            named = dict(zip(names, kinds, strict=True))
            return sink.records_sql(table, named, settings.get("decimal.format"))
        except (types.TypeMappingError, sink.SinkError) as error:
            raise DbtRuntimeError(
                f"{raw} cannot be read: {error} (docs/sources/iceberg-sink.md)"
            ) from error

    @available.parse_list
    def declared_columns(self, raw: Any) -> list[dict[str, Any]]:
        """A source table's columns: what raw.schema_history knows, and its YAML over that.

        See lakemirror.source_columns for what is returned, and what is refused.
        """
        source = self.source_of(raw)
        if source is None:
            raise DbtRuntimeError(f"{raw} is not a source of this project")
        return columns_of(source, self.known_columns(source))

    @available.parse_list
    def declared_names(self, raw: Any) -> list[str]:
        """The names of a source table's columns of any time, and of those to be left out."""
        source = self.source_of(raw)
        known = self.known_columns(source)
        return [*names_of(declared_of(source), known), *ignored_columns(source)]

    @available.parse_list
    def gone_names(self, raw: Any) -> list[dict[str, Any]]:
        """The names of dropped columns: see lakemirror.source_columns.gone_names."""
        source = self.source_of(raw)
        gone = gone_names(declared_of(source), self.known_columns(source))
        return [column for column in gone if not {*column["names"]} & {*ignored_columns(source)}]

    @available
    def payload_columns(self, names: Any) -> list[str]:
        """The source's own columns among all: see lakemirror.technical."""
        return technical.payload(names)

    @available.parse_none
    def is_told(self, raw: Any) -> bool:
        """Whether raw.schema_history has the columns of a raw table's source."""
        source = self.source_of(raw)
        return bool(source and versions.in_order(self.versions_of(source)))

    def source_of(self, raw: Any) -> Any:
        """The node of a raw table; None where it is none of the project's sources.

        The manifest is asked and not the graph, which unit tests do not have: their fixture of a
        source is called <source>__<table>.
        """
        identifier = str(getattr(raw, "identifier", ""))
        sources = self.get_macro_resolver().sources.values()  # type: ignore[union-attr]
        for source in sources:
            fixture = f"{source.source_name}__{source.name}"
            if source.relation_name == str(raw) or identifier.endswith(fixture):
                return source
        return None

    def columns_or_none(self, raw: Any) -> list[dict[str, Any]]:
        """A raw table's columns; none where its staging does not ask for them, and need not."""
        source = self.source_of(raw)
        if source is None:
            return []
        known = self.known_columns(source)
        try:
            return columns_of(source, known)
        except DbtRuntimeError:
            return []

    def versions_of(self, source: Any) -> list[dict[str, Any]]:
        """The versions of a source table that raw.schema_history has."""
        return self.schemas().get(source.identifier, []) if source.schema == "raw" else []

    def known_columns(self, source: Any) -> list[dict[str, Any]]:
        """The columns of a source table that raw.schema_history has."""
        connector = (source.config.meta.get("debezium") or {}).get("connector")
        return versions.known_columns(self.versions_of(source), has_one_log=connector != "vitess")

    def schemas(self) -> dict[str, list[dict[str, Any]]]:
        """The versions of each raw table that raw.schema_history knows.

        It is read once, and again after a Python model has run: landing may have added to it.
        """
        found = self._schemas
        if found is None:
            there = self.list_relations_without_caching(self.Relation.create(schema="raw"))
            is_there = schemas.HISTORY in {relation.identifier for relation in there}
            rows = self.execute_macro("lakemirror_schema_versions") if is_there else []
            self._schemas = found = {row[0]: json.loads(row[1]) for row in rows}
        return found

    # -- changes of a table's columns --------------------------------------------------------

    @available.parse_none
    def plan_evolution(
        self, there: Any, wanted: Any, own: Any, settings: Any, raw: Any
    ) -> dict[str, Any]:
        """What a table needs for a query's rows, and how they fit: see lakemirror.evolution.plan.

        Args:
            settings: key, on_drop and on_type_conflict, as far as they are set.
            raw: the raw table of the query's changes, as text.
        """
        rules = evolution.Rules(
            **{name: settings[name] for name in EVOLUTION_SETTINGS if name in settings},
            **facts_of(self.columns_or_none(raw)),
        )
        return asdict(evolution.plan(there, wanted, own, rules))

    @available.parse_list
    def projected_columns(
        self, there: Any, wanted: Any, defaults: Any, raw: Any
    ) -> list[dict[str, str]]:
        """A table's columns from other rows: see lakemirror.evolution.projected."""
        facts = facts_of(self.columns_or_none(raw))
        rules = evolution.Rules(on_type_conflict="string", **facts)
        return evolution.projected(there, wanted, rules, defaults)

    @available.parse_list
    def columns_to_fill(self, before: Any, now: Any, defaults: Any) -> list[dict[str, str]]:
        """See lakemirror.evolution.fills."""
        return evolution.fills(before, now, defaults)

    @available.parse_list
    def columns_with_defaults(self, raw: Any) -> list[dict[str, Any]]:
        """The columns of a raw table's source that have a default, or a problem with it."""
        found = self.columns_or_none(raw)
        return [c for c in found if c["default"] or c["default_problem"]]

    @available.parse_list
    def returned_columns(self, raw: Any) -> list[dict[str, Any]]:
        """The columns that a raw table's source has dropped and added again: name, ``until`` when
        a row may have a value of the former one, and ``since`` when it has one of its own."""
        return [
            {"name": column["name"], "until": old["until"], "since": old["since"]}
            for column in self.columns_or_none(raw)
            for old in column["older"]
            if old["type"] is None
        ]

    @available.parse_list
    def unlike_source(self, relation: Any, there: Any) -> list[str]:
        """What a model's table would have to become to have its source's columns, a line each.

        Args:
            there: the table's columns.
        """
        nodes = self.get_macro_resolver().nodes.values()  # type: ignore[union-attr]
        name = str(relation)
        node = next((n for n in nodes if getattr(n, "relation_name", None) == name), None)
        source = self.source_below(node) if node else None
        if node is None or source is None:
            raise DbtRuntimeError(f"{relation} is no model of changes of one source table")
        columns = columns_of(source, self.known_columns(source))
        wanted = [
            {"name": column["name"], "data_type": re.sub(r"\s", "", column["type"]["lake"])}
            for column in columns
            if not column["is_dropped"]
        ]
        rules = evolution.Rules(
            on_type_conflict=node.config.get("on_type_conflict") or "fail", **facts_of(columns)
        )
        found = evolution.plan([column_of(c) for c in there], wanted, [], rules)
        return [*found.lines, *found.problems, *self.lost_columns(relation, source)]

    def lost_columns(self, relation: Any, source: Any) -> list[str]:
        """A line for each column that changes had which nobody declared when they were read."""
        commit = self.newest_own_commit(relation)
        names = json.loads(commit.summary.get("lakemirror.undeclared", "[]")) if commit else []
        return [
            f"has lost values of the column {name}, which nobody had declared: rebuild it"
            for name in names
            if name not in ignored_columns(source)
        ]

    def source_below(self, node: Any) -> Any:
        """The one source table that a model is made of, be it through other models."""
        manifest: Any = self.get_macro_resolver()
        below, found = [*node.depends_on_nodes], {}
        while below:
            unique_id = below.pop()
            if unique_id in manifest.sources:
                found[unique_id] = manifest.sources[unique_id]
            elif unique_id in manifest.nodes:
                below += manifest.nodes[unique_id].depends_on_nodes
        return next(iter(found.values())) if len(found) == 1 else None

    @available.parse_none
    def changed_key(self, raw: Any, key: Any) -> list[str] | None:
        """The source's key where it is ``key`` no more: see lakemirror.versions.changed_key."""
        source = self.source_of(raw)
        return versions.changed_key(self.versions_of(source), key) if source else None

    # -- sessions ----------------------------------------------------------------------------

    @property
    def session(self) -> Any:
        """The Spark session of the thread's connection; None over Thrift."""
        handle = self.connections.get_thread_connection().handle
        return getattr(getattr(handle, "handle", None), "session", None)

    @available.parse_none
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

        scope = {"spark": session, "__name__": f"dbt_model_{parsed_model['name']}"}
        try:
            exec(compile(compiled_code, parsed_model["original_file_path"], "exec"), scope)
        except Exception as error:
            raise DbtRuntimeError(f"{type(error).__name__}: {error_text(error)}") from error
        finally:
            self._schemas = None
        return AdapterResponse(_message="OK")

    def generate_python_submission_response(self, submission_result: Any) -> AdapterResponse:
        return submission_result


@contextmanager
def as_dbt_errors() -> Iterator[None]:
    try:
        yield
    except window.WindowError as error:
        raise DbtRuntimeError(str(error)) from error


def setting_sql(name: str, value: Any) -> str:
    """The statement that sets one of Spark's settings, or resets it where its value is None."""
    if value is None:
        return f"reset {evolution.quoted(name)}"
    return f"set {evolution.quoted(name)} = {evolution.quoted(str(value))}"


def described_columns(rows: list[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """The rows of a DESCRIBE EXTENDED before the first header: a header has no type."""
    return list(takewhile(lambda row: row[0] and row[1], rows))


def as_of(relation: Any, snapshot: int | None) -> str:
    return f"{relation} version as of {snapshot}" if snapshot else str(relation)


def utc(time: Any) -> datetime | None:
    """A time of a query's result as dbt gives it: a text that means UTC."""
    return datetime.fromisoformat(str(time)).replace(tzinfo=UTC) if time else None


def columns_of(source: Any, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The columns of a source table's node: see lakemirror.source_columns.

    Raises:
        DbtRuntimeError: all that is wrong with them.
    """
    try:
        connector, settings = types.settings_of(source.config.meta.get("debezium") or {})
        return source_columns(declared_of(source), known, connector, settings)
    except (types.TypeMappingError, ColumnsError) as problem:
        raise DbtRuntimeError(f"source {source.source_name}.{source.name}: {problem}") from problem


def declared_of(source: Any) -> dict[str, Declared]:
    """What a source table's YAML says of its columns."""
    return {column.name: declared_column(column) for column in source.columns.values()}


def ignored_columns(source: Any) -> list[str]:
    """The columns that a source table's YAML leaves out."""
    return source.config.meta.get("ignored_columns") or []


def declared_column(column: Any) -> Declared:
    meta = column.config.meta
    default = meta.get("default")
    return Declared(
        column.data_type, meta.get("renamed_from"), None if default is None else str(default)
    )


def column_of(column: Any) -> dict[str, str]:
    return {"name": column.name, "data_type": column.dtype}


def facts_of(columns: list[dict[str, Any]]) -> dict[str, Any]:
    """What an evolution needs to know of a source's columns."""
    return {
        "renamed": {column["name"]: column["former"][0] for column in columns if column["former"]},
        "dropped": [column["name"] for column in columns if column["is_dropped"]],
    }


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
