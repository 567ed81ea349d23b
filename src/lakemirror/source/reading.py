"""Reads of a living database's table in consistent transactions that only read.

Pages follow the key in the database's own order, whatever its collation; rows are told by the
canonical texts of lakemirror.source.canonical.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from lakemirror.source import canonical
from lakemirror.source.canonical import GROUP, Canonical
from lakemirror.source.database import DatabaseError, connected, masked, problem_text, url_of

Key = tuple[str, ...]  # canonical texts of the key's columns
KEYS = 500  # in a statement
POSITIONS = {
    "mariadb": "show status like 'binlog_snapshot_%%'",
    "mysql": "select @@global.gtid_executed",
    "postgresql": (
        "select case when pg_is_in_recovery() then pg_last_wal_replay_lsn() "
        "else pg_current_wal_lsn() end::text"
    ),
}


# of a replica of PostgreSQL: when the last commit was that it has followed, and how long ago that
# is, unless it has followed all that it has got
REPLAYED = """
select
    pg_last_xact_replay_timestamp() at time zone 'UTC',
    case
        when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() then 0
        else extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp())
    end
"""
BEHIND = ("Seconds_Behind_Source", "Seconds_Behind_Master")
UNKNOWN_LAG = (
    "it takes reads alone, as replicas do, and its user may not ask how far it is behind: grant "
    "REPLICA MONITOR (MariaDB) or REPLICATION CLIENT (MySQL), or name the primary"
)
STOPPED = "it is a replica that does not follow its primary at the moment (show replica status)"
MARGIN = timedelta(seconds=2)  # MySQL tells whole seconds, and has times of them in its log
NEVER = datetime(1970, 1, 1)


@dataclass(frozen=True)
class Limits:
    """How a source is read.

    Attributes:
        chunk: rows that are read at once.
        rows_per_second: how many are read, at most; 0 for as many as can be.
        max_lag: how many seconds a replica may be behind while it is read.
    """

    chunk: int = 50_000
    rows_per_second: int = 0
    max_lag: int = 30


@dataclass(frozen=True)
class SourceTable:
    """What is read of a table.

    Attributes:
        schema: the database of MySQL, the schema of PostgreSQL, the keyspace of Vitess.
        key: the columns of its key.
        columns: all that are compared, the key's among them.
    """

    connector: str
    schema: str
    name: str
    key: Sequence[Canonical]
    columns: Sequence[Canonical]

    @property
    def relation(self) -> str:
        """Its name in a statement."""
        names = (self.schema, self.name)
        return ".".join(canonical.quoted(name, self.connector) for name in names)


@dataclass(frozen=True)
class Page:
    """Rows of a range of keys.

    Attributes:
        last: the last key of the range; None of the last range.
        groups: by group of keys, how many rows it has and the sum of their digests.
    """

    last: Key | None
    groups: dict[str, tuple[int, int]]


class Reading:
    """A transaction that sees one state of the database.

    Attributes:
        position: where the state is in the source's log, as it says it; empty where it does not.
        clock: the database's time (UTC) once the state was fixed: what commits later is later. Of a
            replica, until when it has followed its primary.
        behind: how many seconds a replica is behind; None of a database that follows none.
    """

    def __init__(self, connection: Any, table: SourceTable) -> None:
        """
        Raises:
            DatabaseError: it is a replica that does not say how far it is behind.
        """
        self.connection, self.table = connection, table
        self.position = self.at()
        if table.connector == "postgresql":
            self.clock, self.behind = self.of_postgresql()
        else:
            self.clock, self.behind = self.of_mysql()

    def of_postgresql(self) -> tuple[datetime, float | None]:
        if not self.rows("select pg_is_in_recovery()")[0][0]:
            return self.rows("select clock_timestamp() at time zone 'UTC'")[0][0], None
        [(replayed, behind)] = self.rows(REPLAYED)
        return replayed or NEVER, float(behind or 0)

    def of_mysql(self) -> tuple[datetime, float | None]:
        now: datetime = self.rows("select utc_timestamp(6)")[0][0]
        if self.table.connector == "vitess":
            return now, None
        try:
            found = self.connection.exec_driver_sql("show replica status").mappings().fetchall()
        except Exception:  # its user may not ask
            if not self.rows("select @@global.read_only")[0][0]:
                return now, None
            raise DatabaseError(UNKNOWN_LAG) from None
        if not found:
            return now, None
        told = [found[0][name] for name in BEHIND if name in found[0]]
        if not told or told[0] is None:
            raise DatabaseError(STOPPED)
        return now - timedelta(seconds=int(told[0])) - MARGIN, float(told[0])

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        return list(self.connection.exec_driver_sql(statement, tuple(values)).fetchall())

    def at(self) -> str:
        """The position in the log; a user may not be allowed to know it."""
        query = POSITIONS.get(self.table.connector)
        if query is None:
            return ""
        if self.table.connector == "postgresql":
            return str(self.rows(query)[0][0])
        with suppress(Exception):
            return " ".join(str(row[-1]) for row in self.rows(query) if row[-1])
        return ""

    def page(self, after: Key | None, size: int) -> Page:
        """The next rows of the table, in the order of its key."""
        last = self.last_key(after, size)
        key = canonical.row_sql(self.table.key, self.table.connector)
        row = canonical.row_sql(self.table.columns, self.table.connector)
        condition, values = self.between(after, last)
        found = self.rows(
            f"select substr(key_digest, 1, {GROUP}), count(*), "
            f"{canonical.sum_sql('row_digest', self.table.connector)} "
            f"from (select md5({key}) as key_digest, md5({row}) as row_digest "
            f"from {self.table.relation} where {condition}) as digests group by 1",
            values,
        )
        return Page(last, {name: (int(rows), int(total)) for name, rows, total in found})

    def digests(
        self, after: Key | None, size: int, groups: Sequence[str]
    ) -> tuple[dict[Key, str], Key | None]:
        """The keys of the next rows that are in some groups, each with its row's digest."""
        last = self.last_key(after, size)
        key = canonical.row_sql(self.table.key, self.table.connector)
        row = canonical.row_sql(self.table.columns, self.table.connector)
        condition, values = self.between(after, last)
        marks = ", ".join(["%s"] * len(groups))
        found = self.rows(
            f"select {self.key_texts}, md5({row}) from {self.table.relation} "
            f"where {condition} and substr(md5({key}), 1, {GROUP}) in ({marks})",
            [*values, *groups],
        )
        return {tuple(row[:-1]): row[-1] for row in found}, last

    def texts(self, keys: Sequence[Key]) -> dict[Key, list[str | None]]:
        """The rows of some keys, as the texts of their columns; a key without a row is not there.

        Raises:
            ValueError, OverflowError: a key is no value of the database's driver.
        """
        found = {}
        for start in range(0, len(keys), KEYS):
            part = keys[start : start + KEYS]
            one = " and ".join(f"{column.quoted} = %s" for column in self.table.key)
            columns = ", ".join(column.sql for column in self.table.columns)
            rows = self.rows(
                f"select {self.key_texts}, {columns} from {self.table.relation} "
                f"where {' or '.join([f'({one})'] * len(part))}",
                [value for key in part for value in self.values(key)],
            )
            size = len(self.table.key)
            found.update({tuple(row[:size]): list(row[size:]) for row in rows})
        return found

    @property
    def key_texts(self) -> str:
        return ", ".join(column.sql for column in self.table.key)

    def values(self, key: Key) -> list[Any]:
        return [column.value(text) for column, text in zip(self.table.key, key, strict=True)]

    def last_key(self, after: Key | None, size: int) -> Key | None:
        condition, values = self.between(after, None)
        names = ", ".join(column.quoted for column in self.table.key)
        found = self.rows(
            f"select {self.key_texts} from {self.table.relation} where {condition} "
            f"order by {names} limit 1 offset {size - 1}",
            values,
        )
        return tuple(found[0]) if found else None

    def between(self, after: Key | None, last: Key | None) -> tuple[str, list[Any]]:
        """A condition on the key, and its values."""
        names = [column.quoted for column in self.table.key]
        conditions, values = [], []
        for bound, sign in ((after, ">"), (last, "<")):
            if bound is not None:
                condition, more = beyond(names, self.values(bound), sign, sign == "<")
                conditions.append(condition)
                values += more
        return " and ".join(conditions) or "1 = 1", values


def beyond(
    names: Sequence[str], values: Sequence[Any], sign: str, is_with: bool
) -> tuple[str, list[Any]]:
    """A condition that a key is beyond another, as an index can answer it.

    Args:
        sign: ``>`` or ``<``.
        is_with: whether the other key itself is meant too.

    >>> beyond(["a", "b"], [1, 2], ">", False)
    ('a >= %s and (a > %s or (a = %s and b > %s))', [1, 1, 1, 2])
    >>> beyond(["a"], [1], "<", True)
    ('a <= %s', [1])
    """
    if len(names) == 1:
        return f"{names[0]} {sign}{'=' if is_with else ''} %s", [*values]
    parts, given = [], [values[0]]
    for n, name in enumerate(names):
        last = f"{sign}=" if is_with and n == len(names) - 1 else sign
        same = " and ".join([*(f"{other} = %s" for other in names[:n]), f"{name} {last} %s"])
        parts.append(f"({same})" if n else same)
        given += [*values[:n], values[n]]
    return f"{names[0]} {sign}= %s and ({' or '.join(parts)})", given


@contextmanager
def reading(url: str, table: SourceTable) -> Iterator[Reading]:
    """A consistent read of a database.

    Args:
        url: SQLAlchemy's, with a password; it is in no error.

    Raises:
        DatabaseError: the database did not answer, or refuses.
    """
    named = url_of(url, table.connector)
    try:
        with connected(url, table.connector) as connection:
            yield begun(connection, table)
    except Exception as problem:
        from sqlalchemy.exc import SQLAlchemyError

        if not isinstance(problem, SQLAlchemyError | OSError):
            raise
        said = masked(problem_text(problem, named), url, named)
    else:
        return
    raise DatabaseError(said)


def begun(connection: Any, table: SourceTable) -> Reading:
    if table.connector == "postgresql":
        connection = connection.execution_options(isolation_level="REPEATABLE READ")
        connection.exec_driver_sql("set local timezone = 'UTC'")
        connection.exec_driver_sql("set local datestyle = 'ISO'")
        return Reading(connection, table)
    for setting in ("time_zone = '+00:00'", "sql_mode = ''"):
        connection.exec_driver_sql(f"set session {setting}")
    if table.connector == "vitess":  # its shards have no common state
        return Reading(connection, table)
    connection.exec_driver_sql("set session transaction isolation level repeatable read")
    connection.exec_driver_sql("start transaction with consistent snapshot, read only")
    return Reading(connection, table)
