"""What the source database itself says of its tables: columns, types, keys, comments, sizes.

It is asked by SQLAlchemy, in transactions that only read, for what its catalog has. Types and
defaults are spelled as raw.schema_history has them, so that they decode in the same way.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

SECONDS = 15  # until a database has to answer
DRIVERS = {
    "mysql": "mysql+pymysql",
    "mariadb": "mysql+pymysql",
    "vitess": "mysql+pymysql",
    "postgresql": "postgresql+psycopg",
    "postgres": "postgresql+psycopg",
}
EXAMPLE = "postgresql://reader:PASSWORD@HOST:5432/shop or mysql://reader:PASSWORD@HOST:3306/shop"
MYSQL_COLUMNS = """
    select table_schema, table_name, column_name, column_type, is_nullable, column_default,
        extra, column_comment
    from information_schema.columns
    where table_schema in :schemas
    order by table_schema, table_name, ordinal_position
"""
MYSQL_KEYS = """
    select table_schema, table_name, column_name
    from information_schema.key_column_usage
    where constraint_name = 'PRIMARY' and table_schema in :schemas
    order by table_schema, table_name, ordinal_position
"""
MYSQL_TABLES = """
    select table_schema, table_name, table_rows, table_comment
    from information_schema.tables
    where table_schema in :schemas
"""
POSTGRESQL_COLUMNS = """
    select n.nspname, c.relname, a.attname, a.atttypid::bigint, a.atttypmod,
        coalesce(pg_get_expr(d.adbin, d.adrelid), nullif(a.attidentity::text, '')),
        (a.attmissingval::text::text[])[1], col_description(c.oid, a.attnum),
        coalesce(to_jsonb(a) ->> 'attgenerated', '') <> ''
    from pg_attribute as a
    join pg_class as c on c.oid = a.attrelid
    join pg_namespace as n on n.oid = c.relnamespace
    left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where n.nspname in :schemas and c.relkind in ('r', 'p') and a.attnum > 0
        and not a.attisdropped
    order by n.nspname, c.relname, a.attnum
"""
POSTGRESQL_TYPES = """
    select t.oid::bigint, t.typtype::text, t.typcategory::text, t.typbasetype::bigint, t.typtypmod,
        t.typelem::bigint, t.typlen
    from pg_type as t
"""
POSTGRESQL_NAMES = """
    select found.kind, found.modifier, format_type(found.kind::oid, found.modifier)
    from unnest(cast(:kinds as bigint[]), cast(:modifiers as int[])) as found (kind, modifier)
"""
POSTGRESQL_KEYS = """
    select n.nspname, c.relname, a.attname
    from pg_index as i
    join pg_class as c on c.oid = i.indrelid
    join pg_namespace as n on n.oid = c.relnamespace
    cross join unnest(i.indkey) with ordinality as k (attnum, place)
    join pg_attribute as a on a.attrelid = c.oid and a.attnum = k.attnum
    where i.indisprimary and n.nspname in :schemas
    order by n.nspname, c.relname, k.place
"""
# of a partitioned table, its partitions' rows
POSTGRESQL_TABLES = """
    select n.nspname, c.relname,
        (
            select sum(greatest(part.reltuples, 0))
            from pg_class as part
            where part.oid = c.oid and c.relkind = 'r'
                or part.oid in (select relid from pg_partition_tree(c.oid) where isleaf)
        ),
        obj_description(c.oid, 'pg_class')
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    where n.nspname in :schemas and c.relkind in ('r', 'p')
"""
# a publication lists the tables under whose names changes come: the leaves, or the root
POSTGRESQL_PARTITIONS = """
    select n.nspname, c.relname, leaf.relname
    from pg_class as c
    join pg_namespace as n on n.oid = c.relnamespace
    cross join pg_partition_tree(c.oid) as tree
    join pg_class as leaf on leaf.oid = tree.relid
    join pg_namespace as home on home.oid = leaf.relnamespace
    where c.relkind = 'p' and tree.isleaf and n.nspname in :schemas
        and (
            (n.nspname, c.relname) not in (
                select schemaname, tablename from pg_publication_tables
            )
            or (home.nspname, leaf.relname) in (
                select schemaname, tablename from pg_publication_tables
            )
        )
    order by n.nspname, c.relname, leaf.relname
"""
# types of whose values PostgreSQL's text is what a statement has as a default
STATED = re.compile(
    r"smallint|integer|bigint|real|double precision|boolean|date|text|citext|uuid|enum|jsonb?"
    r"|(numeric|character|character varying)(\(.*\))?"
    r"|(timestamp|time)(\(\d\))? without time zone|timestamp(\(\d\))? with time zone"
)
# MariaDB quotes a text, and no function; of MySQL, only bits are not as they are
QUOTED = re.compile(r"(?s)'(.*)'")
PLAIN = re.compile(r"(?i)[-+]?[\d.]+(e[-+]?\d+)?|b'[01]+'|true|false")
ESCAPED = re.compile(r"(?s)\\(.)|''")
ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t", "Z": "\x1a", "b": "\b"}


class DatabaseError(Exception):
    """The database did not answer; says why, without what its URL has."""


@dataclass(frozen=True)
class DatabaseColumn:
    """A column as the database has it.

    Attributes:
        data_type: spelled as in raw.schema_history.
        default: what a row gets that leaves it out, as a literal; None where it has none, or where
            it is no literal.
        came_with: what the rows got that were there when it was added, where the database knows
            (PostgreSQL); None where it does not.
        is_computed: whether a row that leaves it out gets what no literal says.
        is_left_out: whether changes come without it, though snapshots have it: PostgreSQL's log
            has no generated columns.
    """

    name: str
    data_type: str
    default: str | None = None
    comment: str | None = None
    is_left_out: bool = False
    came_with: str | None = None
    is_computed: bool = False


@dataclass
class DatabaseTable:
    """A table as the database has it.

    Attributes:
        key: the names of its primary key's columns, in their order; empty where it has none.
        rows: about how many, as the database estimates; None where it does not.
        partitions: those under whose names its changes come; none where they come under its own.
    """

    columns: list[DatabaseColumn] = field(default_factory=list)
    key: list[str] = field(default_factory=list)
    comment: str | None = None
    rows: int | None = None
    partitions: list[str] = field(default_factory=list)


Tables = dict[tuple[str, str], DatabaseTable]


def read_tables(url: str, schemas: Collection[str], connector: str) -> Tables:
    """The tables of some schemas of a database (databases of MySQL, keyspaces of Vitess).

    Args:
        url: SQLAlchemy's, with a password; it is in no error.

    Returns:
        By the name of the schema and of the table.

    Raises:
        DatabaseError: it is no URL of such a database, or the database does not answer.
    """
    read = postgresql_tables if connector == "postgresql" else mysql_tables
    named = url_of(url, connector)
    try:
        with connected(url, connector) as connection:
            return read(connection, [*schemas])
    except Exception as problem:  # a driver raises anything for an option that it does not know
        said = masked(problem_text(problem, named), url, named)
    raise DatabaseError(said)


def problem_text(problem: Exception, url: Any) -> str:
    """What a database or its driver says, and what of the URL may be its reason."""
    from sqlalchemy.exc import SQLAlchemyError

    said = str(getattr(problem, "orig", None) or problem)
    if isinstance(problem, SQLAlchemyError | OSError):
        return said
    said = f"{type(problem).__name__}: {said}"
    if url.query:
        names = ", ".join(sorted(url.query))
        return (
            f"its driver cannot use the URL's option {names}; leave it out, or say it so ({said})"
        )
    return said


@contextmanager
def connected(url: str, connector: str) -> Iterator[Any]:
    """A connection of SQLAlchemy whose transactions only read."""
    from sqlalchemy import create_engine
    from sqlalchemy.pool import NullPool

    timeout = {"connect_timeout": SECONDS}
    named = url_of(url, connector)
    engine = create_engine(named, poolclass=NullPool, connect_args=timeout, hide_parameters=True)
    with engine.connect() as connection:
        if connector == "postgresql":
            yield connection.execution_options(postgresql_readonly=True)
            return
        if connector != "vitess":  # it has no such statement
            connection.exec_driver_sql("set session transaction read only")
            connection.rollback()
        yield connection


def url_of(url: str, connector: str) -> Any:
    """A URL with the driver that there is.

    Raises:
        DatabaseError: it is no URL of the connector's database.
    """
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import SQLAlchemyError

    try:
        parsed = make_url(url)
    except (SQLAlchemyError, ValueError):
        raise DatabaseError(f"it is no URL of a database, such as {EXAMPLE}") from None
    backend = parsed.drivername.partition("+")[0]
    if any("@" in (part or "") for part in (parsed.host, parsed.database)):
        raise DatabaseError(
            "its user or its password has a sign that ends it, such as @ or /: write these as %40 "
            "and %2F (percent-encoded)"
        )
    if DRIVERS.get(backend) != DRIVERS[connector]:
        raise DatabaseError(
            f"its URL is of {backend!r}, and the events are {connector}'s. It is such as {EXAMPLE}"
        )
    return parsed.set(drivername=DRIVERS[backend])


def masked(text: str, given: str, url: Any) -> str:
    """What a database says, on one line and without the secrets of its URL.

    Args:
        given: the URL as its text.
    """
    secrets = [
        url.render_as_string(hide_password=False),
        given,
        given.partition("://")[2].rpartition("@")[0],
        url.password,
        *map(str, url.query.values()),
    ]
    for secret in sorted({str(secret) for secret in secrets if secret}, key=len, reverse=True):
        text = text.replace(secret, "***")
    return " ".join(text.split()).rstrip(".")


def rows(connection: Any, query: str, schemas: Sequence[str]) -> Iterator[Sequence[Any]]:
    from sqlalchemy import bindparam, text

    statement = text(query).bindparams(bindparam("schemas", expanding=True))
    yield from connection.execute(statement, {"schemas": schemas})


def mysql_tables(connection: Any, schemas: Sequence[str]) -> Tables:
    from sqlalchemy import text

    is_mariadb = "mariadb" in str(connection.execute(text("select version()")).scalar()).lower()
    found: Tables = {}
    for row in rows(connection, MYSQL_TABLES, schemas):
        schema, name, count, comment = map(as_text, row)
        found[schema, name] = DatabaseTable(
            comment=comment or None, rows=None if count is None else int(count)
        )
    for row in rows(connection, MYSQL_COLUMNS, schemas):
        schema, name, column, kind, nullable, default, extra, comment = map(as_text, row)
        literal = mysql_literal(default, extra or "", is_mariadb)
        # a column that has to have a value has one of its type's own: 0, an empty text
        is_computed = literal is None and (default not in (None, "NULL") or nullable == "NO")
        found.setdefault((schema, name), DatabaseTable()).columns.append(
            DatabaseColumn(column, kind, literal, comment or None, is_computed=is_computed)
        )
    for row in rows(connection, MYSQL_KEYS, schemas):
        schema, name, column = map(as_text, row)
        found[schema, name].key.append(column)
    return found


def mysql_literal(default: str | None, extra: str, is_mariadb: bool) -> str | None:
    """What a column's default is as information_schema spells it; None where it is no literal.

    >>> [mysql_literal(text, "", True) for text in ("'it''s'", "NULL", "uuid()", "5", "b'1'")]
    ["it's", None, None, '5', "b'1'"]
    >>> mysql_literal("NULL", "", False), mysql_literal("uuid()", "DEFAULT_GENERATED", False)
    ('NULL', None)
    """
    if default is None or "DEFAULT_GENERATED" in extra.upper():
        return None
    if not is_mariadb or PLAIN.fullmatch(default):
        return default
    quoted = QUOTED.fullmatch(default)
    return ESCAPED.sub(unescaped, quoted[1]) if quoted else None


def unescaped(found: re.Match[str]) -> str:
    """The sign that two stand for in a string of MariaDB."""
    return ESCAPES.get(found[1], found[1]) if found[1] else "'"


def as_text(value: Any) -> Any:
    """MySQL's catalog has bytes where it means texts."""
    return value.decode() if isinstance(value, bytes) else value


def postgresql_tables(connection: Any, schemas: Sequence[str]) -> Tables:
    from sqlalchemy import text

    connection.execute(text("set local datestyle = 'ISO'"))
    connection.execute(text("set local timezone = 'UTC'"))
    kinds = {row[0]: row[1:] for row in connection.execute(text(POSTGRESQL_TYPES))}
    columns = [*rows(connection, POSTGRESQL_COLUMNS, schemas)]
    plain = {(row[3], row[4]): plain_type(kinds, row[3], row[4]) for row in columns}
    wanted = sorted({(kind, modifier) for kind, modifier, _ in plain.values()})
    given = {"kinds": [kind for kind, _ in wanted], "modifiers": [place for _, place in wanted]}
    names = {(row[0], row[1]): row[2] for row in connection.execute(text(POSTGRESQL_NAMES), given)}
    found: Tables = {}
    for schema, name, count, comment in rows(connection, POSTGRESQL_TABLES, schemas):
        is_known = count is not None and count > 0
        found[schema, name] = DatabaseTable(comment=comment, rows=int(count) if is_known else None)
    for schema, name, column, kind, modifier, default, came_with, comment, generated in columns:
        base, of_base, suffix = plain[kind, modifier]
        spelled = type_text(kinds, base, names[base, of_base]) + suffix
        known = came_with if STATED.fullmatch(spelled) else None
        if spelled == "boolean" and known:
            known = {"t": "true", "f": "false"}[known]
        # whether the table was made anew since, or the type is another: nobody knows what rows got
        is_computed = default is not None and known is None
        found[schema, name].columns.append(
            DatabaseColumn(column, spelled, None, comment, generated, known, is_computed)
        )
    for schema, name, leaf in rows(connection, POSTGRESQL_PARTITIONS, schemas):
        found[schema, name].partitions.append(leaf)
    for schema, name, column in rows(connection, POSTGRESQL_KEYS, schemas):
        found[schema, name].key.append(column)
    return found


def plain_type(
    kinds: Mapping[int, Sequence[Any]], kind: int, modifier: int
) -> tuple[int, int, str]:
    """The type below domains and arrays, its modifier, and ``[]`` for each array."""
    suffix = ""
    while True:
        typtype, category, base, of_base, element, length = kinds[kind]
        if typtype == "d":
            kind, modifier = base, of_base if of_base != -1 else modifier
        elif category == "A" and element and length == -1:
            kind, suffix = element, suffix + "[]"
        else:
            return kind, modifier, suffix


def type_text(kinds: Mapping[int, Sequence[Any]], kind: int, name: str) -> str:
    """A type as the connector knows it: an enum as such, one of an extension by its bare name."""
    if kinds[kind][0] == "e":
        return "enum"
    return re.sub(r'^(?:"[^"]*"|\w+)\.', "", name)
