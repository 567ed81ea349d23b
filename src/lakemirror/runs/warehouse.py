"""The one protocol between a run and the engine that it runs on."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil
from typing import Any, NoReturn, Protocol

from lakemirror.layers import Layers
from lakemirror.source.versions import Ending
from lakemirror.state import window
from lakemirror.state.table_metadata import TableMetadata
from lakemirror.state.table_schema import SchemaChange, TableSchema
from lakemirror.state.tombstones import Memory, furthest_prune
from lakemirror.state.window import HEAD, Snapshot

Column = Mapping[str, str]  # name and data_type
SHUFFLE = "spark.sql.shuffle.partitions"
TASK_BYTES = 16 * 1024 * 1024  # of files: a quarter of a million events of JSON, or more rows
MOST_TASKS = 10_000  # each writes a part for each of them
# what Iceberg says where another commit was first; the last two: maintenance has rewritten a file
# meanwhile (F36)
LOST_RACES = (
    *("CommitFailedException", "Found conflicting files"),
    *("missing data files", "Missing required files"),
)


class OvertakenError(Exception):
    """Another run has committed to the table since this one began; nothing was written."""


class Sources(Protocol):
    """What the project and raw.schema_history say of the source of a raw table."""

    def records_sql(self, raw: str, clause: str = "") -> str:
        """What a query reads the records of a raw table from, whoever has written them."""

    def is_told(self, raw: str) -> bool:
        """Whether raw.schema_history has the columns of the table."""

    def connector(self, raw: str) -> tuple[str, Mapping[str, str]]:
        """The connector that a source says, and all its settings."""

    def quarantined(self, model: str) -> Mapping[str | None, int]:
        """How many open records of a model ops.quarantine has, by what has judged them; as they
        were when the invocation first asked."""

    def changed_key(self, raw: str, key: Sequence[str]) -> list[str] | None:
        """The source's key where it is ``key`` no more: see lakemirror.source.versions."""

    def is_kept_out(self, raw: str) -> bool:
        """Whether keys of a raw table are erased: their records are read as if empty."""

    def left_out(self, raw: str) -> list[str]:
        """The columns that are read no more since they are erased, and that the YAML does not
        leave out."""

    def spellings(self, raw: str, column: str) -> set[str]:
        """The names of a column at any time, in lower case."""

    def known_names(self, raw: str) -> set[str]:
        """The names of all columns at any time, in lower case."""

    def has_keys(self, raw: str) -> bool:
        """Whether a raw table has the records' keys and values."""

    def known_key(self, raw: str) -> list[str]:
        """The source's key as raw.schema_history has it last; empty where that is not known."""

    def ending(self, raw: str) -> Ending | None:
        """The statement that dropped or renamed the source's table, unless the project knows it."""

    def columns(self, raw: str) -> list[dict[str, Any]]:
        """See lakemirror.source.columns; empty where nothing is known of them."""

    def layers_of(self, raw: str) -> Layers:
        """The schemas of the environment that a raw table is of."""

    def landing_of(self, raw: str, own: Any) -> Any:
        """What says what has landed in a raw table: the landing of its environment, which is
        ``own`` where it is the target's. None where there is none."""


class Warehouse(Protocol):
    """The statements, the SQL of macros, and the messages of a run."""

    sources: Sources
    layers: Layers  # of the target

    def rows(self, query: str) -> Sequence[Any]:
        """The rows of a query; a value is found by its column's name or place."""

    def run(self, statement: str) -> None:
        """Run a statement."""

    def retry(self, statement: str) -> None:
        """Run a statement on a table that others commit to, until it is committed: DDL, a MERGE
        that may be run again, or a fast-forward."""

    def unlogged(self, statement: str) -> Sequence[Any]:
        """The rows of a statement that has values of rows: neither dbt's log nor an error has its
        text. It is tried again where another has committed meanwhile."""

    def publish(self, relation: Any, branch: str) -> bool:
        """Make a branch the table, and drop it, in one commit; False where Iceberg's API is out of
        reach, behind Connect. It is tried again where another has committed meanwhile. Where the
        table is not where the branch began, Iceberg says that it is ``not an ancestor``."""

    def rewrite_manifests(self, relation: Any) -> None:
        """Write the manifests of a table's data files anew: none has bounds of a file that is
        gone."""

    def delete_files(self, relation: Any, paths: Sequence[str]) -> None:
        """Delete files of a table that its metadata does not name any more, if they are there."""

    def erase_days(self, location: str, condition: str, dry_run: bool) -> int:
        """How many rows of a folder of days (lakemirror.hive) a condition holds for; without
        ``dry_run`` the days are written again without them."""

    def erase_columns(self, location: str, names: Collection[str], dry_run: bool) -> int:
        """How many rows of a folder of days have a value in columns of some names, in lower case;
        without ``dry_run`` the days are written again with null there."""

    def has_archive(self, location: str) -> bool:
        """Whether there are archived records of a raw table: see lakemirror.archive."""

    def erase_archive(
        self, location: str, meant: str, kept: Callable[[str], str], dry_run: bool
    ) -> int:
        """How many archived records a condition holds for; without ``dry_run`` their folders are
        written again, with what ``kept`` selects of a relation."""

    def function(self, name: str, act: Callable[..., str | None], *arguments: Any) -> None:
        """Let the session's statements call a function of a text by a name.

        Args:
            act: of a module that imports Python's own alone.
            arguments: what it is given behind the text.
        """

    def configure(self, settings: Mapping[str, Any]) -> None:
        """Spark's settings for the rest of the model, by their names; None unsets one."""

    def setting(self, name: str, default: str | None = None) -> str:
        """What a setting of Spark's is; ``default`` where nobody has set it, or Spark's own."""

    def sql(self, macro: str, *arguments: Any, **keywords: Any) -> str:
        """The text that a macro renders, of the package or of the project that overrides it."""

    def schema_of(self, relation: Any) -> TableSchema | None:
        """What a table's schema says; None where Iceberg's API is out of reach, behind Connect."""

    def change_schema(self, relation: Any, change: SchemaChange) -> None:
        """Commit what SQL has no words for; only where schema_of returns something."""

    def metadata(self, relation: Any) -> TableMetadata | None:
        """What a table's metadata says, read once; None where only statements can ask for it."""

    def schemas(self) -> Collection[str]:
        """The schemas of the lake."""

    def tables(self, schema: str) -> Collection[str]:
        """The tables of a schema."""

    def columns_of(self, query: str) -> Sequence[Column]:
        """Name and data_type of each column of a query."""

    def stage(self, stage: Any, query: str, settings: Any) -> None:
        """Stage the rows of a query in a table. Without a schema the stage is a view of its name,
        which is a leaf of the plans that read it; the first of them caches its rows."""

    def forget(self, stage: Any) -> None:
        """Drop a staged batch with its files, or a cached one with its rows, if it is there."""

    def say(self, line: str) -> None:
        """Tell the user what is done."""

    def warn(self, line: str) -> None:
        """Tell the user what may be wrong; dbt counts it."""

    def refuse(self, problem: str) -> NoReturn:
        """End the run with an error."""


@dataclass(frozen=True)
class Table:
    """What a table says of itself, read once a run.

    Attributes:
        relation: the table.
        properties: its properties by name.
        metadata: all of it, where it was read at once.
    """

    relation: Any
    properties: Mapping[str, str]
    warehouse: Warehouse
    metadata: TableMetadata | None = None

    @classmethod
    def read(cls, warehouse: Warehouse, relation: Any) -> "Table":
        metadata = warehouse.metadata(relation)
        if metadata is not None:
            return cls(relation, metadata.properties, warehouse, metadata)
        rows = warehouse.rows(f"show tblproperties {relation}")
        return cls(relation, {row[0]: row[1] for row in rows}, warehouse)

    def at(self, head: int) -> "Table":
        """The table as of another of its snapshots, with the columns of now."""
        return replace(self, properties={**self.properties, HEAD: str(head)})

    @property
    def head(self) -> int | None:
        """The main branch's newest snapshot."""
        try:
            return window.head_in(self.properties.get(HEAD, ""), self.relation)
        except window.WindowError as error:
            self.warehouse.refuse(str(error))

    @cached_property
    def bytes(self) -> int:
        """Those of its files, as its newest snapshot has them."""
        return sum(each.total_bytes for each in self.snapshots if each.id == self.head)

    @cached_property
    def snapshots(self) -> Sequence[Snapshot]:
        """All of its snapshots."""
        if self.metadata is not None:
            return self.metadata.snapshots
        return window.snapshots_with(self.head, str(self.relation), self.warehouse.rows)

    @cached_property
    def own_commit(self) -> Snapshot | None:
        """The newest commit that carries a bookmark."""
        return window.newest_own_commit(window.lineage(self.snapshots, self.head))

    @cached_property
    def foreign_commits(self) -> Sequence[Snapshot]:
        """What others have committed since."""
        return window.foreign_commits(window.lineage(self.snapshots, self.head))

    @cached_property
    def _described(self) -> tuple[Sequence[tuple[str, str, str | None]], Sequence[str]]:
        """The columns and the partition fields."""
        if self.metadata is not None:
            return self.metadata.columns, self.metadata.partitioning
        rows = [tuple(row) for row in self.warehouse.rows(f"describe {self.relation}")]
        # a header has no type, and what follows it are no columns
        end = next((n for n, row in enumerate(rows) if not (row[0] and row[1])), len(rows))
        return rows[:end], [row[1] for row in rows[end:] if re.fullmatch(r"Part \d+", row[0])]

    @cached_property
    def columns(self) -> list[Column]:
        """Name and data_type of each column."""
        return [{"name": name, "data_type": kind} for name, kind, _ in self._described[0]]

    @property
    def names(self) -> list[str]:
        """The names of its columns."""
        return [column["name"] for column in self.columns]

    @property
    def comments(self) -> dict[str, str]:
        """The comments of its columns by their names."""
        return {name: comment or "" for name, _, comment in self._described[0]}

    @property
    def partitioning(self) -> list[str]:
        """Its partition fields, as Spark writes them."""
        return [*self._described[1]]

    def as_of_now(self) -> str:
        """The table as it was read, for a query that may run after it has moved on."""
        return f"{self.relation} version as of {self.head}" if self.head else str(self.relation)

    def memory(self) -> Memory:
        """A mirror's tombstones as they were read, with their horizon: another run's prune or
        delete in the middle of this one changes neither."""
        snapshots = self.snapshots if self.head is not None else []
        return Memory(self.as_of_now(), furthest_prune(snapshots), self.head is None)


def make_schema(warehouse: Warehouse, schema: str) -> None:
    """Make a schema that is not there; another run may do so at the same moment (F34)."""
    statement = f"create namespace if not exists {schema}"
    make(warehouse, statement, lambda: schema in warehouse.schemas())


def make_table(warehouse: Warehouse, schema: str, table: str, statement: str) -> None:
    """Make a table that is not there; another run may do so at the same moment (F34)."""
    make(warehouse, statement, lambda: table in warehouse.tables(schema))


def make(warehouse: Warehouse, statement: str, is_there: Callable[[], bool]) -> None:
    try:
        warehouse.run(statement)
    except Exception:
        if not is_there():
            raise


def share(warehouse: Warehouse, size: int) -> None:
    """Let what the next statements shuffle be shared by tasks enough: Spark joins those of few
    bytes, and divides none.

    Args:
        size: the bytes of the files that are read.
    """
    tasks = min(ceil(size / TASK_BYTES), MOST_TASKS)
    if tasks > int(warehouse.setting(SHUFFLE)):
        warehouse.configure({SHUFFLE: tasks})


def names_of(columns: Iterable[Column]) -> list[str]:
    return [column["name"] for column in columns]


def quoted(name: str) -> str:
    """A name as one identifier, whatever characters it has."""
    return "`{}`".format(name.replace("`", "``"))
