"""docs/types.md: what each source type becomes in the lake, by the definitions that decode.

``python -m lakemirror.source.types_page > docs/types.md`` writes it anew.
"""

from lakemirror.source import types

HEAD = """# Types

What a source's type becomes in the lake, and an example: the JSON that Debezium sends with its own
settings, and the value. This page is made of the definitions that decode; `python -m
lakemirror.source.types_page > docs/types.md` writes it anew.

Declare a column with the type that the source database has; a PostgreSQL enum as `enum`, a domain
as the type under it. How the connector encodes values is said once, for the source:

```yaml
sources:
  - name: shop
    config:
      meta:
        debezium: {connector: mariadb, decimal.handling.mode: string}
```

`connector` is needed; every other setting has Debezium's default (the first below). `lakemirror
generate` reads both from the events, and writes them ([add a source](guides/add-a-table.md)).

The key's columns are identifier fields of a mirror's table, and those that the source says are not
null are required in it. In format v3 its columns have the source's defaults, too, but for dates,
datetimes and timestamps ([schema changes](schema-changes.md#defaults)).

"""
RULES = """
## Other types in the lake
A source may say once what its types become, for all its tables:

```yaml
sources:
  - name: shop
    config:
      meta:
        debezium: {connector: mysql}
        lake_types: {bit: string, tinyint(1): boolean, datetime: timestamp, "*": string}
        time_zone: Asia/Seoul
```

Of two entries the closer spelling counts: `tinyint(1)` before `tinyint`, and `*` is all the rest;
`default` leaves a type as it is above. Say it before the first build: the tables that are there
have their types, and a mirror whose columns would change says so and has to be rebuilt.

- `string`, of every type: numbers without an exponent; `bit(n)` as its n bits; bytes as hex digits;
  times as `-838:59:59.5`; instants in UTC with `+00:00`; arrays and structs as JSON.
- `timestamp`, of times without a zone: they are times in `time_zone`, and one that the clock shows
  twice is the first of them.
- `timestamp_ntz`, of instants: as the clock shows them in `time_zone`.
- `boolean`, of whole numbers: 0 and 1; others are lost.
- `int`, `bigint` and `decimal(p,s)`, of numbers with no more digits after the point: what has no
  room is lost.

A value that is lost goes to `ops.quarantine`, as below. Anything else is refused, with the column's
name. A column of which only the Connect schema is known, and which could be of two types that
become different ones, needs its `data_type`.

## What cannot be kept
A value that is in the event and would be rounded, cut or null in the lake sends the event to
`ops.quarantine`, and the reason names the column: `cannot be decoded: price`.

- **Decimals** of more than 38 digits, and PostgreSQL's `numeric` without digits, are text. No
  decimal becomes a double. A text with an exponent (`0E-8`, `1.5E-7`, as Java writes small ones) is
  the same number. With `decimal.handling.mode=double` a value of 15 digits or less is right, and
  one that may have more is not taken. `NaN` and infinities of a decimal are not taken;
  in the mode `precise` the connector itself sends null for them.
- **Times** (`TIME`, `time`) are microseconds: negative, and beyond a day, as MySQL has them.
- **Infinite dates and times** of PostgreSQL are not taken. Dates before Christ and after the year
  9999 are. With `time.precision.mode=nanoseconds` the connector sends a time behind 2262-04-11 as
  another number, which is never one of whole microseconds: it is not taken.
- **Zero dates** of MySQL are null, as the connector makes them elsewhere; where a column is NOT
  NULL, the connector sends 1970-01-01.
- **What the connector loses before** cannot be seen: microseconds with
  `time.precision.mode=connect`, leading zeros of `bit varying`, months of an interval with
  `interval.handling.mode=numeric`, the inside of arrays of arrays, trailing zeros of a `numeric`
  without digits. Times from before 1582 in the rows of PostgreSQL's and MariaDB's snapshots may be
  off by days; in changes they are right.
- A number that comes for a text column is taken as its text, and a whole number for a `double` as
  the nearest one.
"""
# source type, the JSON with Debezium's own settings, the value in the lake
MYSQL = [
    ("tinyint(1)", "1", "1"),
    ("tinyint unsigned", "255", "255"),
    ("smallint", "-32768", "-32768"),
    ("mediumint unsigned", "16777215", "16777215"),
    ("int", "-2147483648", "-2147483648"),
    ("int unsigned", "4294967295", "4294967295"),
    ("bigint", "9223372036854775807", "9223372036854775807"),
    ("year", "2026", "2026"),
    ("boolean", "true", "true"),
    ("double", "0.1", "0.1"),
    ("bit(1)", "true", "true"),
    ("char(2)", '"DE"', "DE"),
    ("varchar(255)", '"x 😀"', "x 😀"),
    ("text", '""', ""),
    ("enum('a','b')", '"a"', "a"),
    ("set('a','b')", '"a,b"', "a,b"),
    ("json", r'"{\"f\": 1.10}"', '{"f": 1.10}'),
    ("varbinary(16)", '"AP8="', "00FF"),
    ("blob", '"AP8="', "00FF"),
    ("date", "20512", "2026-02-28"),
    ("time(6)", "-3020399000000", "-3020399000000"),
    ("datetime", "1772282096000", "2026-02-28 12:34:56"),
    ("datetime(6)", "1772282096789012", "2026-02-28 12:34:56.789012"),
    ("timestamp", '"2026-02-28T12:34:56Z"', "2026-02-28 12:34:56"),
]
EXAMPLES = {
    "mariadb": [
        *MYSQL,
        ("bigint unsigned", "-1", "18446744073709551615"),
        ("decimal(12,2)", '"BM4="', "12.30"),
        ("decimal(65,2)", '"BM4="', "12.30"),
        ("float", "1.5", "1.5"),
        ("bit(10)", '"qgI="', "682"),
        ("bit(64)", '"//////////8="', "18446744073709551615"),
        ("uuid", '"123e4567-e89b-12d3-a456-426614174000"', "123e4567-e89b-12d3-a456-426614174000"),
        ("inet6", '"::1"', "::1"),
        (
            "point",
            '{"x":1.5,"y":-2.5,"wkb":"AQI=","srid":null}',
            '{"x":1.5,"y":-2.5,"wkb":"AQI="}',
        ),
        ("geometry", '{"wkb":"AQI=","srid":4326}', '{"wkb":"AQI=","srid":4326}'),
        ("vector", "[1.0,-2.5]", "[1.0,-2.5]"),
    ],
    "postgresql": [
        ("smallint", "-32768", "-32768"),
        ("integer", "2147483647", "2147483647"),
        ("bigint", "9223372036854775807", "9223372036854775807"),
        ("oid", "4294967295", "4294967295"),
        ("boolean", "true", "true"),
        ("real", "1.5", "1.5"),
        ("double precision", '"Infinity"', "Infinity"),
        ("numeric(12,2)", '"BM4="', "12.30"),
        ("numeric(50,2)", '"BM4="', "12.30"),
        ("numeric", '{"scale":1,"value":"Dw=="}', "1.5"),
        ("money", '"BM4="', "12.30"),
        ("character(5)", '"ab   "', "ab   "),
        ("character varying(50)", '"x 😀"', "x 😀"),
        ("text", '""', ""),
        ("enum", '"ok"', "ok"),
        ("uuid", '"123e4567-e89b-12d3-a456-426614174000"', "123e4567-e89b-12d3-a456-426614174000"),
        ("jsonb", r'"{\"f\": 1.10}"', '{"f": 1.10}'),
        ("xml", '"<a/>"', "<a/>"),
        ("hstore", r'"{\"a\":\"1\"}"', '{"a":"1"}'),
        ("inet", '"10.0.0.1/24"', "10.0.0.1/24"),
        ("int4range", '"[1,10)"', "[1,10)"),
        ("bytea", '"AP8="', "00FF"),
        ("bit(1)", "true", "true"),
        ("bit(10)", '"qgI="', "1010101010"),
        ("bit varying(12)", '"BQ=="', "101"),
        ("date", "20512", "2026-02-28"),
        ("time", "86400000000", "86400000000"),
        ("time(3)", "45296789", "45296789000"),
        ("timetz", '"10:34:56.789012Z"', "10:34:56.789012Z"),
        ("timestamp", "1772282096789012", "2026-02-28 12:34:56.789012"),
        ("timestamp(3)", "1772282096789", "2026-02-28 12:34:56.789"),
        ("timestamptz", '"2026-02-28T10:34:56.789012Z"', "2026-02-28 10:34:56.789012"),
        ("interval", "-86400000000", "-86400000000"),
        (
            "point",
            '{"x":1.0,"y":1.0,"wkb":"AQ==","srid":null}',
            '{"x":1.0,"y":1.0,"wkb":"AQ=="}',
        ),
        (
            "polygon",
            '{"wkb":"AQ==","srid":null,"extensions":{"closed":"true"}}',
            r'{"wkb":"AQ==","extensions":"{\"closed\":\"true\"}"}',
        ),
        ("geometry", '{"wkb":"AQI=","srid":4326}', '{"wkb":"AQI=","srid":4326}'),
        ("text[]", '["a",null]', '["a",null]'),
        ("date[]", "[20512,null]", '["2026-02-28",null]'),
        ("vector", "[1.0,0.1]", "[1.0,0.1]"),
        ("halfvec", "[1.0,0.5]", "[1.0,0.5]"),
    ],
    "vitess": [
        *MYSQL,
        ("bigint unsigned", '"18446744073709551615"', "18446744073709551615"),
        ("decimal(12,2)", '"12.30"', "12.30"),
        ("decimal(65,2)", '"12.30"', "12.30"),
        ("float", "0.1", "0.1"),
        ("bit(10)", '"Aqo="', "682"),
    ],
}
TITLES = {"mariadb": "MariaDB, MySQL", "postgresql": "PostgreSQL", "vitess": "Vitess"}


def cell(text: str) -> str:
    return f"`{text}`" if text else "(empty)"


def page() -> str:
    """The text of docs/types.md."""
    parts = [HEAD]
    for connector, examples in EXAMPLES.items():
        known = types.settings_of({"connector": connector})
        parts.append(f"## {TITLES[connector]}\n")
        parts.append("| Setting | Values |\n|---|---|\n")
        parts += [
            f"| `{name}` | {', '.join(values)}{', any text' * (name == types.PLACEHOLDER)} |\n"
            for name, values in types.SETTINGS[connector].items()
        ]
        parts.append("\n| Source type | In the lake | JSON | Value |\n|---|---|---|---|\n")
        for data_type, text, value in examples:
            lake = types.encoding(data_type, *known).lake
            parts.append(f"| `{data_type}` | {lake} | {cell(text)} | {cell(value)} |\n")
        parts.append(f"\nAll names: {', '.join(sorted(types.FAMILIES[connector]))}.\n\n")
    return "".join(parts).rstrip() + "\n" + RULES


if __name__ == "__main__":
    print(page(), end="")
