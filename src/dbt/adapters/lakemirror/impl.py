"""The adapter: listings that never lie, types and comments in the catalog, Python models."""

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
from dbt.adapters.lakemirror.runs import ModelRun
from dbt.adapters.lakemirror.sources import SourcesOfProject, known_schemas
from lakemirror import (
    buckets,
    days,
    evolution,
    order,
    raw,
    technical,
    tombstones,
    window,
)
from lakemirror.runs.mirror import SOFT_COLUMNS

logger = AdapterLogger("Lakemirror")

COMMIT_TRIES = 10
EVOLUTION_SETTINGS = ("key", "on_drop", "on_type_conflict")
BATCH_LIFE = timedelta(days=2)


class LakemirrorAdapter(SparkAdapter):
    ConnectionManager = LakemirrorConnectionManager
    _schemas: dict[str, list[dict[str, Any]]] | None = None
    _cut: dict[str, int] | None = None

    # -- what macros call --------------------------------------------------------------------

    @available.parse_none
    def begin(self, context: Any) -> ModelRun:
        """The run of a model of a materialization of lakemirror's: see lakemirror.runs.

        Args:
            context: dbt's own, of the materialization.
        """
        return ModelRun(self, context)

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

    @available.parse_list
    def declared_names(self, raw: Any) -> list[str]:
        """See SourcesOfProject."""
        return self.sources.declared_names(raw)

    @available.parse_list
    def gone_names(self, raw: Any) -> list[dict[str, Any]]:
        """See SourcesOfProject."""
        return self.sources.gone_names(raw)

    @available
    def payload_columns(self, names: Any) -> list[str]:
        """The source's own columns among all: see lakemirror.technical."""
        return technical.payload(names)

    @available.parse_list
    def unlike_source(self, relation: Any, there: Any) -> list[str]:
        """See SourcesOfProject.unlike."""
        return self.sources.unlike(relation, there)

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
            **facts_of(self.sources.columns(raw)),
        )
        return asdict(evolution.plan(there, wanted, own, rules))

    @available.parse_list
    def projected_columns(
        self, there: Any, wanted: Any, defaults: Any, raw: Any
    ) -> list[dict[str, str]]:
        """A table's columns from other rows: see lakemirror.evolution.projected."""
        facts = facts_of(self.sources.columns(raw))
        rules = evolution.Rules(on_type_conflict="string", **facts)
        return evolution.projected(there, wanted, rules, defaults)

    @available.parse_list
    def columns_to_fill(self, before: Any, now: Any, defaults: Any) -> list[dict[str, str]]:
        """See lakemirror.evolution.fills."""
        return evolution.fills(before, now, defaults)

    @available.parse_list
    def columns_with_defaults(self, raw: Any) -> list[dict[str, Any]]:
        """The columns of a raw table's source that have a default, or a problem with it."""
        found = self.sources.columns(raw)
        return [c for c in found if c["default"] or c["default_problem"]]

    @available.parse_list
    def returned_columns(self, raw: Any) -> list[dict[str, Any]]:
        """The columns that a raw table's source has dropped and added again: name, ``until`` when
        a row may have a value of the former one, and ``since`` when it has one of its own."""
        return [
            {"name": column["name"], "until": old["until"], "since": old["since"]}
            for column in self.sources.columns(raw)
            for old in column["older"]
            if old["type"] is None
        ]

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
