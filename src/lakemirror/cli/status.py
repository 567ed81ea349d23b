"""How far a lake is: its sources, its mirrors and logs, and the days that it has published."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from pyiceberg.exceptions import NoSuchTableError

from lakemirror.cli.errors import RIGHT, WRONG, CommandError
from lakemirror.cli.lakes import readable
from lakemirror.cli.light import RED, Light, light_of
from lakemirror.cli.models import KINDS, WATERMARK, KnownModel, by_name, source_of
from lakemirror.cli.proven import UNPROVEN, Proof, proofs, unlanded
from lakemirror.landing.topics import SIDE_TABLES
from lakemirror.layers import layers_of_catalog, layers_of_raw
from lakemirror.source.schemas import HISTORY
from lakemirror.state.commits import (
    TOMBSTONES,
    Events,
    days_of,
    foreign_ids,
    history,
    live_rows,
    ops_table,
    properties,
    read_by,
    tables_in,
)
from lakemirror.state.days import ONE_DAY, end_of, missing, overdue, ranges
from lakemirror.state.ops_tables import ORDER_CONFLICTS, QUARANTINE, RAN, RUNS
from lakemirror.state.rollback import Hold
from lakemirror.state.window import BOOKMARK, PREFIX

RECENT = timedelta(days=7)  # where the newest runs are looked for first, and conflicts are new


@dataclass(frozen=True)
class Source:
    """A source, and how far it is complete.

    Attributes:
        raw_tables: how many tables of its own have landed.
        complete_until: all changes from before have landed (UTC); None where a shard was never
            heard, or it has no watermark.
        lag_seconds: from then to now.
        proof: what says so; None where it has no watermark.
        open_quarantine: records of its models that could not be used.
        problem: why its watermark cannot be read; None where it can.
    """

    source: str
    raw_tables: int
    complete_until: datetime | None
    lag_seconds: float | None
    proof: str | None
    open_quarantine: int
    problem: str | None = None


@dataclass(frozen=True)
class Run:
    """The newest run of a model that did something, or failed."""

    started_at: datetime
    seconds: float
    status: str

    @property
    def has_failed(self) -> bool:
        """Whether it has, or was left out since what it reads has."""
        return self.status not in RAN


@dataclass(frozen=True)
class Mirror:
    """A mirror or a log, and what it has read: the sum of what else is counted.

    Attributes:
        counted_since: the first commit that is counted, where older ones have expired.
        problem: why the table cannot be read; then it has no rows and no times, and no events.
        kind: ``mirror`` or ``log``.
        audit: what its audits say together.
        foreign_commits: commits of others that no audit of all keys has come after.
        held: the snapshot that a rollback has set it back to, while no run merges it; None: none.
        waiting_since: when its raw table got the oldest records that it has not read (UTC); None
            where it has read all, and where it is held or of no model of the project.
    """

    table: str
    model: str
    rows: int | None
    newest_source_time: datetime | None
    lag_seconds: float | None
    events: Events
    counted_since: datetime | None
    last_run: Run | None
    open_quarantine: int
    problem: str | None = None
    kind: str = "mirror"
    audit: Proof = UNPROVEN
    foreign_commits: int = 0
    held: int | None = None
    waiting_since: datetime | None = None


@dataclass(frozen=True)
class Daily:
    """A daily table's days, as ranges of the first and the last.

    Attributes:
        missing: not published, though a later day is, or the source has passed their end by a day.
        problem: why the table cannot be read; None where it can.
        late: not published, though the source has passed their end.
    """

    table: str
    published: Sequence[tuple[date, date]]
    missing: Sequence[tuple[date, date]]
    problem: str | None = None
    late: Sequence[tuple[date, date]] = ()
    model: str = ""


Row = TypeVar("Row", Source, Mirror, Daily)


@dataclass(frozen=True)
class Status:
    """All of a lake.

    Attributes:
        at: now (UTC).
        not_built: models of the project whose tables are not there yet.
        not_mirrored: raw tables of which neither a mirror nor a log is.
        quarantine: open records of ops.quarantine by model.
        conflicts: those of ops.order_conflicts of the last seven days, by model.
        unlanded: of how many ended transactions changes are lacking, by raw table, by the newest
            audit of each.
        failed: the models whose newest run has failed or was skipped, with what dbt says of it.
    """

    at: datetime
    sources: Sequence[Source]
    mirrors: Sequence[Mirror]
    daily: Sequence[Daily]
    not_built: Sequence[str]
    not_mirrored: Sequence[str]
    quarantine: Mapping[str, int]
    conflicts: Mapping[str, int] = field(default_factory=dict)
    unlanded: Mapping[str, int] = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def light(self) -> Light:
        """Whether the lake is right, in a colour and a sentence."""
        return light_of(self)

    @property
    def problems(self) -> list[str]:
        """A sentence for each table that cannot be read."""
        rows: Sequence[Source | Mirror | Daily] = [*self.sources, *self.mirrors, *self.daily]
        return [row.problem for row in rows if row.problem]

    @property
    def code(self) -> int:
        """1 where the light is red."""
        return WRONG if self.light.colour == RED else RIGHT

    def as_json(self) -> dict[str, Any]:
        return {**asdict(self), "light": asdict(self.light)}


def status(catalog: Any, models: Mapping[str, KnownModel], now: datetime) -> Status:
    """How far a lake is.

    Args:
        catalog: of the lake (pyiceberg).
        models: those of the project.
        now: UTC.
    """
    there = {model.table: model for model in built(catalog, models.values())}
    quarantine = open_quarantine(catalog)
    read = [model for model in there.values() if model.kind != "daily"]
    runs = last_runs(catalog, {model.name for model in read}, now)
    proven = proofs(catalog)
    sources = list(sources_of(catalog, there.values(), quarantine, now))
    heard = {source.source: source.complete_until for source in sources}

    def is_run(model: KnownModel) -> bool:
        """Whether it is run: a model that has left the project is never late, and fails no more."""
        return not models or model.name in models

    run = {model.name for model in [*there.values(), *models.values()] if is_run(model)}

    return Status(
        at=now,
        sources=sources,
        mirrors=[
            mirror_of(
                *(catalog, m, runs.get(m.name), quarantine, proven.get(m.name, UNPROVEN), now),
                is_run=is_run(m),
            )
            for m in read
        ],
        daily=[
            daily_of(catalog, model, heard.get(model.source) if is_run(model) else None)
            for model in there.values()
            if model.kind == "daily"
        ],
        not_built=sorted(m.name for m in models.values() if m.table not in there),
        not_mirrored=not_mirrored(catalog, [*models.values(), *there.values()]),
        quarantine=dict(sorted(quarantine.items())),
        conflicts=dict(sorted(new_conflicts(catalog, now).items())),
        unlanded=unlanded(catalog),
        failed={name: r.status for name, r in sorted(runs.items()) if name in run and r.has_failed},
    )


def built(catalog: Any, models: Iterable[KnownModel]) -> Iterator[KnownModel]:
    """The models whose tables are there, those of the project and others, by their tables."""
    layers, known = layers_of_catalog(catalog), {model.table: model for model in models}
    kinds = {layers.schema(kind): kind for kind in KINDS}
    for schema in sorted({*kinds, *(table.partition(".")[0] for table in known)}):
        for name in tables_in(catalog, schema):
            model = known.get(f"{schema}.{name}") or by_name(
                f"{kinds.get(schema, schema)}_{name}", layers
            )
            if model and not name.endswith(TOMBSTONES):
                yield model


def not_mirrored(catalog: Any, models: Iterable[KnownModel]) -> list[str]:
    """The raw tables that no mirror and no log reads."""
    read = {model.raw for model in models if model.kind != "daily"}
    raw = layers_of_catalog(catalog).raw
    return [t for t in (f"{raw}.{name}" for name in landed_tables(catalog)) if t not in read]


def mirror_of(
    catalog: Any,
    model: KnownModel,
    run: Run | None,
    quarantine: Mapping[str, int],
    audit: Proof,
    now: datetime,
    is_run: bool,
) -> Mirror:
    unread = Mirror(
        table=model.table,
        model=model.name,
        rows=None,
        newest_source_time=None,
        lag_seconds=None,
        events=Events(),
        counted_since=None,
        last_run=run,
        open_quarantine=quarantine.get(model.name, 0),
        kind=model.kind,
        audit=audit,
    )

    def whole() -> Mirror:
        table = catalog.load_table(model.table)
        read = read_by(table)
        newest = read.newest_source_time if read else None
        hold = Hold.of(table.properties)
        return replace(
            unread,
            rows=live_rows(table),
            newest_source_time=newest,
            lag_seconds=lag(newest, now),
            events=read.events if read else Events(),
            counted_since=read.since if read else None,
            foreign_commits=unaudited_commits(table, audit.covered_since),
            held=hold.to if hold else None,
            waiting_since=None if hold or not is_run else waiting_since(catalog, table, model.raw),
        )

    return read_or(unread, model.table, whole)


def waiting_since(catalog: Any, table: Any, raw: str) -> datetime | None:
    """When a raw table got the oldest records that a mirror or a log has not read, as far as raw's
    commits tell it; None where it has read all, and where there is no such raw table."""
    try:
        commits = history(catalog.load_table(raw))
    except NoSuchTableError:
        return None
    own = (properties(commit).get(BOOKMARK) for commit in history(table))
    bookmark = next(filter(None, own), None)
    since = None
    for commit in commits:
        if str(commit.snapshot_id) == bookmark:
            break
        is_append = commit.summary.operation.value == "append"
        if is_append and int(commit.summary.additional_properties.get("added-records", 0)):
            since = commit.timestamp_ms
    return None if since is None else datetime.fromtimestamp(since / 1000, UTC)


def unaudited_commits(table: Any, audited: datetime | None) -> int:
    """How many commits of others a table has since all its keys were audited."""
    commits = history(table)
    since = audited.timestamp() * 1000 if audited else 0
    foreign = foreign_ids(commits)
    return sum(
        commit.snapshot_id in foreign and commit.timestamp_ms > since and not is_own(commit)
        for commit in commits
    )


def is_own(commit: Any) -> bool:
    """Whether a commit is of lakemirror's, or one of maintenance, which changes no row."""
    is_marked = any(name.startswith(PREFIX) for name in properties(commit))
    return is_marked or commit.summary.operation.value == "replace"


def read_or(unread: Row, table: str, whole: Callable[[], Row]) -> Row:
    """What is read of a table; where it cannot be read, ``unread`` with the problem: the others of
    the lake stand."""
    try:
        with readable(f"The table {table}"):
            return whole()
    except CommandError as problem:
        return replace(unread, problem=str(problem))


def sources_of(
    catalog: Any, models: Collection[KnownModel], quarantine: Mapping[str, int], now: datetime
) -> Iterator[Source]:
    """The sources that have landed, or have a watermark."""
    landed = Counter(map(source_of, raw_names(catalog, models)))
    held = Counter[str]()
    for model in models:
        held[model.source] += quarantine.get(model.name, 0)
    for name in sorted({*landed, *watermark_sources(catalog)}):
        unread = Source(name, landed[name], None, None, None, held[name])
        heard = partial(heard_of, catalog, unread, now)
        yield read_or(unread, watermark_table(catalog, name), heard)


def raw_names(catalog: Any, models: Iterable[KnownModel]) -> set[str]:
    """The raw tables of sources' own tables, and those of other environments that models read."""
    layers = layers_of_catalog(catalog)
    found = {f"{layers.raw}.{name}" for name in landed_tables(catalog)}
    read = {model.raw: layers_of_raw(model.raw.partition(".")[0]) for model in models}
    return found | {raw for raw, theirs in read.items() if theirs not in (None, layers)}


def heard_of(catalog: Any, source: Source, now: datetime) -> Source:
    """A source with how far it is complete."""
    rows = rows_of(catalog, source.source)
    until = complete_until(rows)
    proofs = ", ".join(sorted({row["proof"] for row in rows}))
    return replace(source, complete_until=until, lag_seconds=lag(until, now), proof=proofs or None)


def complete_until(rows: Sequence[Mapping[str, Any]]) -> datetime | None:
    """Until when all shards of a source are complete; None where one was never heard."""
    heard = [row["complete_until"] for row in rows]
    return None if None in heard else min(heard, default=None)


def landed_tables(catalog: Any) -> list[str]:
    """The raw tables of sources' own tables, without those of the connectors' side topics."""
    sides = tuple(f"__{side}" for side in SIDE_TABLES.values())
    there = tables_in(catalog, layers_of_catalog(catalog).raw)
    return [t for t in there if t != HISTORY and not t.endswith(sides)]


def watermark_sources(catalog: Any) -> list[str]:
    """The sources that have a watermark."""
    names = tables_in(catalog, layers_of_catalog(catalog).ops)
    return [n.removeprefix(WATERMARK) for n in names if n.startswith(WATERMARK)]


def watermark_table(catalog: Any, source: str) -> str:
    """The table of a source's watermark, as messages name it."""
    return f"{layers_of_catalog(catalog).ops}.{WATERMARK}{source}"


def rows_of(catalog: Any, source: str) -> list[dict[str, Any]]:
    """How far each shard of a source is complete; none where nobody knows."""
    try:
        watermark = catalog.load_table(watermark_table(catalog, source))
    except NoSuchTableError:
        return []
    return watermark.scan().to_arrow().to_pylist()


def lag(time: datetime | None, now: datetime) -> float | None:
    """Seconds from a time to now."""
    return (now - time).total_seconds() if time else None


def open_quarantine(catalog: Any) -> Counter[str]:
    """By model, the open records of ops.quarantine."""
    found = Counter[str]()
    table = ops_table(catalog, QUARANTINE.name)
    if table is not None:
        scan = table.scan(row_filter=is_open(table), selected_fields=("model",))
        for batch in scan.to_arrow_batch_reader():
            found.update(batch["model"].to_pylist())
    return found


def is_open(table: Any) -> str:
    """The condition of the open records of ops.quarantine; an older lake's are all open."""
    return "settled_at is null" if "settled_at" in table.schema().column_names else "true"


def new_conflicts(catalog: Any, now: datetime) -> Counter[str]:
    """By model, the order conflicts that were found in the last days."""
    found = Counter[str]()
    table = ops_table(catalog, ORDER_CONFLICTS.name)
    if table is not None:
        condition = f"found_at >= '{now - RECENT:%FT%T+00:00}'"
        scan = table.scan(row_filter=condition, selected_fields=("model",))
        for batch in scan.to_arrow_batch_reader():
            found.update(batch["model"].to_pylist())
    return found


def last_runs(catalog: Any, models: Iterable[str], now: datetime) -> dict[str, Run]:
    """The newest run of each model; the recent ones are looked at first."""
    found: dict[str, Run] = {}
    table = ops_table(catalog, RUNS.name)
    if table is not None:
        for condition in (f"started_at >= '{now - RECENT:%FT%T+00:00}'", "true"):
            found = runs_where(table, condition)
            if {*models} <= found.keys():
                break
    return found


def runs_where(table: Any, condition: str) -> dict[str, Run]:
    """The newest of the runs that a condition keeps, by model."""
    found: dict[str, Run] = {}
    names = ("model", "started_at", "seconds", "status")
    scan = table.scan(condition, selected_fields=names)
    for batch in scan.to_arrow_batch_reader():
        for row in batch.to_pylist():
            model = row.pop("model")
            if model not in found or found[model].started_at < row["started_at"]:
                found[model] = Run(**row)
    return found


def daily_of(catalog: Any, model: KnownModel, heard_until: datetime | None) -> Daily:
    unread = Daily(model.table, (), (), model=model.name)

    def whole() -> Daily:
        published = {date.fromisoformat(day) for day in days_of(catalog.load_table(model.table))}
        behind = overdue(published, heard_until, model.keep_days)
        late = {day for day in behind if heard_until and end_of(day) + ONE_DAY > heard_until}
        lacking = missing(published, model.keep_days) | (behind - late)
        return replace(
            unread, published=ranges(published), missing=ranges(lacking), late=ranges(late)
        )

    return read_or(unread, model.table, whole)
