"""The commits of a table, as its metadata has them: what each has read, written and removed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.table.snapshots import ancestors_of

from lakemirror.cli.errors import CallError, hint
from lakemirror.cli.models import KnownModel
from lakemirror.cli.status import built
from lakemirror.cli.status_text import Part
from lakemirror.layers import layers_of_catalog, layers_of_raw
from lakemirror.state.commits import foreign_ids, history, properties, tables_in
from lakemirror.state.ops_tables import COUNTED
from lakemirror.state.rollback import FROM, TO
from lakemirror.state.tombstones import PRUNED_UNTIL
from lakemirror.state.window import BOOKMARK, DAY, ERASED, PREFIX, RETAINED

RUN = PREFIX + "invocation-id"
HEADER = (
    *("time", "snapshot", "what", "read", "applied", "rows + -", "data files + -"),
    *("delete files + -", "bytes + -", "by"),
)
UNDONE = "undone: "


@dataclass(frozen=True)
class Commit:
    """A commit of a table.

    Attributes:
        time: of the commit (UTC).
        operation: Iceberg's: append, overwrite, delete or replace.
        what: how a merge was done, a part of one, a landing, a day, a prune, maintenance, or
            foreign.
        is_undone: a rollback has taken it back.
        counts: of a merge, what has become of the events that it has read.
        bookmark: the snapshot of raw up to which the table has read with it.
        rows_added: rows in the files that it adds: rows that are rewritten are among them.
        rows_removed: rows that it deletes, by files of deletes or with the files that had them.
        run: dbt's id of the run; None where the commit does not say.
        engine: what wrote it, as it says itself.
        refs: the tags and branches that keep it.
    """

    time: datetime
    snapshot_id: int
    operation: str
    what: str
    is_undone: bool
    counts: Mapping[str, int]
    bookmark: int | None
    rows_added: int
    rows_removed: int
    data_files_added: int
    data_files_removed: int
    delete_files_added: int
    delete_files_removed: int
    bytes_added: int
    bytes_removed: int
    run: str | None
    engine: str | None
    refs: Sequence[str]

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def commits_of(catalog: Any, models: Mapping[str, KnownModel], name: str) -> list[Commit]:
    """The commits of a table, newest last.

    Args:
        catalog: of the lake (pyiceberg).
        models: those of the project.
        name: a model, or a table as ``raw.shop__orders``.

    Raises:
        CallError: there is no such table.
    """
    return table_commits(table_named(catalog, models, name))


def table_named(catalog: Any, models: Mapping[str, KnownModel], name: str) -> Any:
    """The table that is meant.

    Raises:
        CallError: there is none.
    """
    there = [*built(catalog, models.values()), *models.values()]
    known = {one: model.table for model in there for one in (model.name, model.table)}
    raw = layers_of_catalog(catalog).raw
    known |= {f"{raw}.{table}": f"{raw}.{table}" for table in tables_in(catalog, raw)}
    table = known.get(name, name)
    try:
        return catalog.load_table(table)
    except NoSuchTableError:
        if name in known:
            raise CallError(f"{name} has no table yet: run its model first") from None
    except ValueError:  # no name of a table
        pass
    raise CallError(f"neither a model nor a table is called {name}{hint(name, known)}")


def table_commits(table: Any) -> list[Commit]:
    """All commits that have been the table, newest last; those that a rollback has taken back are
    among them, until they expire."""
    current = history(table)
    undone = undone_commits(table, {commit.snapshot_id for commit in current})
    been = {entry.snapshot_id for entry in table.history()}
    heads = [snapshot for snapshot in undone if snapshot.snapshot_id in been]
    lineages = [current, *(list(ancestors_of(head, table.metadata)) for head in heads)]
    foreign = {number for lineage in lineages for number in foreign_ids(lineage)}
    refs = refs_of(table)
    is_raw = layers_of_raw(table.name()[0]) is not None
    found = [
        commit_of(snapshot, is_undone, foreign, refs, is_raw)
        for snapshots, is_undone in ((current, False), (undone, True))
        for snapshot in snapshots
    ]
    places = {s.snapshot_id: s.sequence_number or 0 for s in table.snapshots()}
    return sorted(found, key=lambda commit: (places[commit.snapshot_id], commit.time))


def undone_commits(table: Any, current: set[int]) -> list[Any]:
    """What the table has been, and is no more, as far as it has not expired."""
    by_id = {snapshot.snapshot_id: snapshot for snapshot in table.snapshots()}
    found: dict[int, Any] = {}
    for entry in table.history():
        number: int | None = entry.snapshot_id
        while number is not None and number in by_id.keys() - current - found.keys():
            found[number] = by_id[number]
            number = found[number].parent_snapshot_id
    return [*found.values()]


def refs_of(table: Any) -> dict[int, list[str]]:
    """The names of tags and branches by the snapshots that they keep."""
    found: dict[int, list[str]] = {}
    for name, ref in sorted(table.metadata.refs.items()):
        found.setdefault(ref.snapshot_id, []).append(name)
    return found


def commit_of(
    snapshot: Any,
    is_undone: bool,
    foreign: set[int],
    refs: Mapping[int, Sequence[str]],
    is_raw: bool,
) -> Commit:
    said, operation = properties(snapshot), snapshot.summary.operation.value
    number = snapshot.snapshot_id
    engine = " ".join(said[n] for n in ("engine-name", "engine-version") if n in said)
    return Commit(
        time=datetime.fromtimestamp(snapshot.timestamp_ms / 1000, UTC),
        snapshot_id=number,
        operation=operation,
        what=what_of(said, operation, number in foreign, is_raw),
        is_undone=is_undone,
        counts={name: count(said, PREFIX + name) for name in COUNTED if PREFIX + name in said},
        bookmark=int(said[BOOKMARK]) if BOOKMARK in said else None,
        rows_added=count(said, "added-records"),
        rows_removed=count(said, "deleted-records") + count(said, "added-position-deletes"),
        data_files_added=count(said, "added-data-files"),
        data_files_removed=count(said, "deleted-data-files"),
        delete_files_added=count(said, "added-delete-files"),
        delete_files_removed=count(said, "removed-delete-files"),
        bytes_added=count(said, "added-files-size"),
        bytes_removed=count(said, "removed-files-size"),
        run=said.get(RUN),
        engine=engine or None,
        refs=refs.get(number, ()),
    )


def count(said: Mapping[str, str], name: str) -> int:
    return int(said.get(name, 0))


def what_of(said: Mapping[str, str], operation: str, is_foreign: bool, is_raw: bool) -> str:
    """What a commit is, by what it carries.

    >>> what_of({"lakemirror.ds": "2026-01-31"}, "overwrite", False, False)
    'day 2026-01-31'
    >>> what_of({"lakemirror.retained-from": "2026-01-31 00:00:00"}, "append", False, True)
    'hours before 2026-01-31 00:00:00 dropped'
    >>> what_of({}, "append", True, True), what_of({}, "append", True, False)
    ('landing', 'foreign')
    """
    if FROM in said:
        return f"rollback to {said[TO]}"
    if DAY in said:
        return f"day {said[DAY]}"
    if BOOKMARK in said:
        return said.get(f"{PREFIX}merged-by") or "merge"
    if PRUNED_UNTIL in said:
        return f"prune before {said[PRUNED_UNTIL]}"
    if ERASED in said:
        return "erasure"
    if RETAINED in said:
        return f"hours before {said[RETAINED]} dropped"
    if operation == "replace":
        return "maintenance"
    if is_raw and operation == "append":
        return "landing"
    own = any(name.startswith(PREFIX) for name in said)
    return "foreign" if is_foreign and not own else "part of the next"


def part(commits: Sequence[Commit]) -> Part:
    """The commits as a table."""
    return Part(HEADER, [row_of(commit) for commit in commits], "It has no commit yet.")


def row_of(commit: Commit) -> Sequence[Any]:
    return (
        commit.time,
        str(commit.snapshot_id),
        (UNDONE if commit.is_undone else "") + commit.what,
        commit.counts.get("read"),
        commit.counts.get("applied"),
        pair(commit.rows_added, commit.rows_removed),
        pair(commit.data_files_added, commit.data_files_removed),
        pair(commit.delete_files_added, commit.delete_files_removed),
        pair(commit.bytes_added, commit.bytes_removed),
        " ".join(filter(None, (commit.run and commit.run[:8], commit.engine))),
    )


def pair(added: int, removed: int) -> str:
    """What a commit has added and removed; nothing where it is nothing.

    >>> pair(3, 0), pair(0, 2), pair(0, 0)
    ('+3', '-2', '')
    """
    return " ".join([*([f"+{added}"] if added else []), *([f"-{removed}"] if removed else [])])


def notes(shown: Sequence[Commit], all_of: Sequence[Commit]) -> Iterator[str]:
    """What the table of commits has no place for."""
    left = len(all_of) - len(shown)
    if left:
        yield f"{left} older commits: --limit shows more."
    if any(commit.what == "foreign" for commit in shown):
        yield "Foreign commits are of others than lakemirror: docs/runbook.md says what mends them."
