"""A table without what was erased of it: rows, and then every file that still has their values.

Files of Iceberg are removed by Iceberg, and what a death has left of them by their recorded paths.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from lakemirror.runs.batch import add_nothing, branch_head, carrying
from lakemirror.runs.warehouse import Table, Warehouse, quoted
from lakemirror.state.erasures import ERASED_FILES

REWRITE = "options => map('delete-file-threshold', '1', 'remove-dangling-deletes', 'true')"
STATIC = {"spark.sql.sources.partitionOverwriteMode": "static"}
OWN_BRANCH = "lakemirror_"  # of a run, or of a cut
METADATA_LEFT = 2  # the newest files of metadata: one is read, and one may be


class ErasedTable:
    """A table of Iceberg that has rows of the keys.

    Attributes:
        relation: the table.
        condition: which rows are meant, as SQL; it has values of rows, and is logged nowhere.
        rewrite: the options by which files are rewritten.
        erasure_id: what the commits carry.
    """

    rewrite = REWRITE

    def __init__(
        self, warehouse: Warehouse, relation: Any, condition: str, erasure_id: str
    ) -> None:
        self.warehouse, self.relation = warehouse, relation
        self.condition, self.erasure_id = condition, erasure_id

    @property
    def name(self) -> str:
        return str(self.relation).replace("`", "")

    def refs(self, kind: str) -> list[str]:
        """The names of its tags, or of its branches but the main one."""
        query = f"select name from {self.relation}.refs where type = '{kind}' and name <> 'main'"
        return sorted(row[0] for row in self.warehouse.rows(query))

    def branches(self) -> list[str]:
        """The branches that are kept: days, and those of others."""
        return [name for name in self.refs("BRANCH") if not name.startswith(OWN_BRANCH)]

    def rows(self, at: str | None = None) -> int:
        """How many rows of the keys it has, or one of its branches or tags."""
        place = f"{self.relation} version as of '{at}'" if at else str(self.relation)
        query = f"select count(*) from {place} where {self.condition}"
        return int(self.warehouse.unlogged(query)[0][0])

    # -- rows --------------------------------------------------------------------------------

    def delete(self) -> None:
        """Delete the rows. The commit carries the erasure's id: nobody takes it for another's."""
        with self.carrying():
            self.warehouse.unlogged(f"delete from {self.relation} where {self.condition}")

    def forget(self, columns: Sequence[str]) -> None:
        """Set columns of the rows to null."""
        given = ", ".join(f"{quoted(name)} = null" for name in columns)
        with self.carrying():
            self.warehouse.unlogged(f"update {self.relation} set {given} where {self.condition}")

    def erase(self) -> None:
        """Take out what is meant of the main branch."""
        self.delete()

    def kept_sql(self, place: str) -> str:
        """What is left of a branch."""
        return f"select * from {place} where not coalesce({self.condition}, false)"

    def rewrite_branch(self, branch: str) -> int:
        """Write a branch anew without the rows; its new snapshot. What its files had of rows that
        were deleted before goes too."""
        warehouse, into = self.warehouse, f"{self.relation}.branch_{branch}"
        with self.carrying(), configured(warehouse, STATIC):
            warehouse.unlogged(f"insert overwrite {into} {self.kept_sql(into)}")
            # the manifests of what was overwritten belong to one commit, and not to the next
            warehouse.run(f"insert into {into} select * from {self.relation} where false")
        return branch_head(warehouse, self.relation, branch)

    def carrying(self) -> Any:
        return carrying(self.warehouse, {"erasure": self.erasure_id})

    # -- files -------------------------------------------------------------------------------

    def compact(self) -> None:
        """Rewrite the files of which rows are deleted, and then the manifests: these have bounds of
        files that are gone."""
        if Table.read(self.warehouse, self.relation).head is None:
            return
        with self.carrying():
            call = f"call system.rewrite_data_files(table => '{self.name}', {self.rewrite})"
            self.warehouse.retry(call)
        self.warehouse.rewrite_manifests(self.relation)

    def end(self, properties: Mapping[str, Any]) -> int:
        """A last commit that changes nothing, and carries what the table must know: those before it
        expire; its snapshot."""
        told = {**properties, "erasure": self.erasure_id}
        add_nothing(self.warehouse, self.relation, self.relation, told)
        head = Table.read(self.warehouse, self.relation).head
        assert head is not None
        return head

    def drop_refs(self) -> None:
        """Drop the tags, and the branches of runs."""
        for tag in self.refs("TAG"):
            self.warehouse.retry(f"alter table {self.relation} drop tag if exists `{tag}`")
        for branch in self.refs("BRANCH"):
            if branch.startswith(OWN_BRANCH):
                self.warehouse.retry(
                    f"alter table {self.relation} drop branch if exists `{branch}`"
                )

    def expire(self, kept: Iterable[int] = ()) -> None:
        """Expire all snapshots but the newest of each branch, and remove what they alone had.

        The files are recorded before: what a death leaves of them is found again.

        Args:
            kept: further snapshots that stay.
        """
        warehouse, relation = self.warehouse, self.relation
        refs = warehouse.rows(f"select snapshot_id from {relation}.refs")
        stay = {*kept, *(int(row[0]) for row in refs)}
        snapshots = Table.read(warehouse, relation).snapshots
        doomed = [snapshot.id for snapshot in snapshots if snapshot.id not in stay]
        if doomed:
            self.record_files()
            ids = ", ".join(f"{number}L" for number in doomed)
            warehouse.retry(
                f"call system.expire_snapshots(table => '{self.name}', "
                f"snapshot_ids => array({ids}))"
            )
        self.remove_files()

    @property
    def files(self) -> str:
        """A query of all files that its metadata names."""
        parts = (
            f"select file_path as path from {self.relation}.all_files",
            f"select path from {self.relation}.all_manifests",
            f"select manifest_list as path from {self.relation}.snapshots",
            f"select file as path from {self.relation}.metadata_log_entries",
        )
        return " union ".join(parts)

    @property
    def recorded(self) -> str:
        """The table of the files that are to be removed."""
        return f"{self.warehouse.layers.ops}.{ERASED_FILES.name}"

    @property
    def record(self) -> str:
        """Which of the recorded files are meant."""
        return f"erasure_id = '{self.erasure_id}' and table_name = '{self.name}'"

    def record_files(self) -> None:
        self.warehouse.run(
            f"insert into {self.recorded} select '{self.erasure_id}', '{self.name}', path "
            f"from ({self.files})"
        )

    def remove_files(self) -> None:
        """Remove the recorded files that nothing names any more."""
        warehouse, recorded = self.warehouse, self.recorded
        entries = f"{self.relation}.metadata_log_entries"
        newest = f"select file from {entries} order by timestamp desc, file desc"
        rows = warehouse.rows(f"{newest} limit {METADATA_LEFT}")
        left = ", ".join(f"'{row[0]}'" for row in rows)
        found = warehouse.rows(
            f"select distinct path from {recorded} where {self.record} and path not in ({left}) "
            f"and (path like '%.metadata.json%' or path not in (select path from ({self.files})))"
        )
        warehouse.delete_files(self.relation, [row[0] for row in found])
        warehouse.retry(f"delete from {recorded} where {self.record}")


@contextmanager
def configured(warehouse: Warehouse, settings: Mapping[str, Any]) -> Any:
    """Spark's settings for some statements."""
    warehouse.configure(settings)
    try:
        yield
    finally:
        warehouse.configure(dict.fromkeys(settings))


def by_partition(rows: Iterable[Sequence[Any]]) -> dict[int, list[int]]:
    """Offsets by partition, of rows of both.

    >>> by_partition([(0, 7, None), (1, 3, None), (0, 5, None), (0, 7, "k")])
    {0: [5, 7], 1: [3]}
    """
    found: dict[int, set[int]] = {}
    for row in rows:
        found.setdefault(int(row[0]), set()).add(int(row[1]))
    return {partition: sorted(offsets) for partition, offsets in sorted(found.items())}
