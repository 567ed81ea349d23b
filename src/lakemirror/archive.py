"""The archive of a raw table: Parquet in folders ``ds=2026-01-31/snapshot=7``, of records that it
has dropped. lakemirror.runs.retention writes it; an erasure writes parts of it again.
"""

from collections.abc import Callable
from typing import Any

from pyspark.sql import SparkSession

# readers leave out names that begin with _
ASIDE = "_lakemirror"
WHOLE, FREE = "_whole", "_free"  # the marks of a part aside


class Archive:
    """The folder of one raw table."""

    def __init__(self, session: SparkSession, location: str) -> None:
        jvm: Any = session._jvm
        self.session, self.path = session, jvm.org.apache.hadoop.fs.Path
        root = self.path(location)
        self.files = root.getFileSystem(session._jsc.hadoopConfiguration())
        self.root = self.files.makeQualified(root)

    def parts(self, below: Any = None) -> list[tuple[str, str]]:
        """The names of the folders that have records: of the day, and of the snapshot in it."""
        below = below or self.root
        return [
            (day, snapshot)
            for day in self.folders(below, "ds=")
            for snapshot in self.folders(self.path(below, day), "snapshot=")
        ]

    def folders(self, below: Any, begin: str) -> list[str]:
        listed = self.files.listStatus(below) if self.files.exists(below) else []
        names = (status.getPath().getName() for status in listed if status.isDirectory())
        return sorted(name for name in names if name.startswith(begin))

    def place(self, part: tuple[str, str], below: Any = None) -> Any:
        day, snapshot = part
        return self.path(self.path(below or self.root, day), snapshot)

    def erase(self, meant: str, kept: Callable[[str], str], dry_run: bool) -> int:
        """How many records a condition holds for; without ``dry_run`` the parts that have some are
        written again.

        Args:
            kept: what is left of a relation, as a query.
        """
        self.recover()
        found = 0
        for part in self.parts():
            there = f"parquet.`{self.place(part).toString()}`"
            row = self.session.sql(f"select count(*) from {there} where {meant}").first()
            assert row is not None
            found += row[0]
            if row[0] and not dry_run:
                self.write(part, kept(there))
        return found

    def write(self, part: tuple[str, str], query: str) -> None:
        """Write a part aside, whole, and put it in its place."""
        aside = self.place(part, self.path(self.root, ASIDE))
        rows = self.session.sql(query).write.mode("overwrite").option("compression", "zstd")
        rows.parquet(str(aside.toString()))
        self.files.create(self.path(aside, WHOLE)).close()
        self.put(part)

    def put(self, part: tuple[str, str]) -> None:
        """Give a part that is whole aside its place: that is emptied, and then each file moves,
        since an object store moves no folder at once. It goes on from wherever it has died."""
        place, aside = self.place(part), self.place(part, self.path(self.root, ASIDE))
        whole = self.path(aside, WHOLE)
        if self.files.exists(whole):
            self.files.delete(place, True)
            self.move(whole, self.path(aside, FREE))
        self.files.mkdirs(place)
        for status in self.files.listStatus(aside):
            name = status.getPath().getName()
            if not name.startswith("_"):
                self.move(status.getPath(), self.path(place, name))
        self.files.delete(aside, True)

    def move(self, file: Any, to: Any) -> None:
        """Move a file; one that is there is the same, of a move that has died."""
        self.files.delete(to, False)
        if not self.files.rename(file, to):
            raise OSError(f"{file.toString()} could not become {to.toString()}")

    def recover(self) -> None:
        """What an erasure that died has written aside takes its place, where it is whole."""
        aside = self.path(self.root, ASIDE)
        for part in self.parts(aside):
            marks = (self.path(self.place(part, aside), mark) for mark in (WHOLE, FREE))
            if any(map(self.files.exists, marks)):
                self.put(part)
        self.files.delete(aside, True)
