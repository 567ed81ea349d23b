"""A column that comes with a default: rows that are there read it, and no file is written (v3).

Cases 41, 55.
"""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from pyiceberg.expressions import BooleanExpression, EqualTo, In, IsNull, NotNull
from pyspark.sql import SparkSession

from dbt.adapters.lakemirror import table_schema
from dbt.adapters.lakemirror.runs import DbtWarehouse
from lakemirror.state.table_schema import Default, SchemaChange
from support.changing_shop import MIRROR, ChangingShop
from support.deaths import DeathError
from support.depth import DEEP, deep_only, whole_only
from support.lake import Lake
from support.one_table import DAY
from support.source_state import lake_rows

# type at the source, default as the statement has it, what rows read
COLUMNS: dict[str, tuple[str, str, Any]] = {
    "word": ("VARCHAR(9)", "it's", "it's"),
    "digits": ("VARCHAR(9)", "007", "007"),
    "nothing": ("VARCHAR(9)", "", ""),
    "yes": ("BIT(1)", "b'1'", True),
    "whole": ("INT", "7", 7),
    "large": ("BIGINT", "-9000000000", -9_000_000_000),
    "beyond": ("BIGINT UNSIGNED", "18446744073709551615", Decimal(18446744073709551615)),
    "half": ("FLOAT", "1.5", 1.5),
    "quarter": ("DOUBLE", "-0.25", -0.25),
    "price": ("DECIMAL(9,2)", "7.255", Decimal("7.26")),
    "day": ("DATE", "2026-01-31", date(2026, 1, 31)),
    "moment": ("DATETIME(6)", "2026-01-31 01:02:03.000456", datetime(2026, 1, 31, 1, 2, 3, 456)),
    "clock": ("TIME", "-01:02:03", -3_723_000_000),
}
VALUES = {name: value for name, (_, _, value) in COLUMNS.items()}
CUT = """
{{ config(materialized='cut', schema='ops') }}
{{ at_cut(ref('mirror_shop__t'), ref('stg_shop__t'), ref('watermark_shop')) }}
"""
MART = """
{{ config(materialized='table', schema='marts') }}
select * from {{ as_of_cut(ref('mirror_shop__t')) }}
"""
TIMES = ("day", "moment")
PLAIN = tuple(name for name in COLUMNS if name not in TIMES)


def literal(value: Any) -> str:
    """A value in Spark's SQL."""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return "'" + value.replace("'", "\\'") + "'"
    if isinstance(value, datetime):
        return f"timestamp_ntz '{value}'"
    return f"date '{value}'" if isinstance(value, date) else f"{value}"


def written(spark: SparkSession, mirror: str) -> int:
    """The bytes of all data and delete files that were ever written to a table."""
    rows = spark.sql(f"select summary from {mirror}.snapshots").collect()
    return sum(int(row.summary.get("added-files-size", 0)) for row in rows)


def size_of(spark: SparkSession, mirror: str, number: int) -> int:
    """The bytes of the file that has a row."""
    [row] = spark.sql(f"""
        select sum(file_size_in_bytes) as size from {mirror}.files
        where file_path in (select _file from {mirror} where id = {number})
    """).collect()
    return row.size


@pytest.fixture
def shop(lake: Lake) -> ChangingShop:
    """Three rows, and a mirror of each format and merge mode."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT"})
    for number in (1, 2, 3):
        shop.send("c", id=number)
    return shop


def add(shop: ChangingShop, *names: str) -> None:
    """Columns with their defaults, beside the key."""
    kinds = {name: COLUMNS[name][0] for name in names}
    shop.alter({"id": "INT", **kinds}, **{name: COLUMNS[name][1] for name in names})


def test_no_file_is_written(shop: ChangingShop, spark: SparkSession) -> None:
    """But for that of a new row: the rest is what the defaults need."""
    mirrors = shop.write_variants()
    shop.run()
    for number, names in ((4, PLAIN), (5, (*PLAIN, *TIMES))):
        before = {mirror: written(spark, mirror) for mirror in mirrors}
        add(shop, *names)
        shop.send("c", id=number, **dict.fromkeys(names))
        shop.run()
        for mirror in mirrors:
            rows = lake_rows(shop.lake.catalog, mirror, ["id"])
            assert rows.pop((number,)) == {"id": number, **dict.fromkeys(names)}, mirror
            expected = {name: VALUES[name] for name in names}
            assert rows[3,] == {"id": 3, **expected}, mirror
            more = written(spark, mirror) - before[mirror] - size_of(spark, mirror, number)
            assert (more == 0) == (mirror.endswith("3") and names == PLAIN), mirror


@pytest.mark.parametrize("names", [pytest.param(PLAIN, marks=whole_only), TIMES])
def test_queries_find_what_rows_read(
    shop: ChangingShop, spark: SparkSession, names: Sequence[str]
) -> None:
    """By Spark and by PyIceberg, with each filter on the column; also once the files are rewritten
    by a compaction, and a row has a value of its own; and as it was before the change."""
    shop.configure("format_version=3, merge_mode='merge-on-read', buckets=2")
    shop.run()
    old = shop.lake.catalog.load_table(MIRROR).current_snapshot().snapshot_id
    add(shop, *names)
    shop.send("u", id=2, **dict.fromkeys(names))
    shop.run()
    check_queries(shop, spark, names)
    options = "map('rewrite-all', 'true')"
    spark.sql(f"call system.rewrite_data_files(table => '{MIRROR}', options => {options})")
    check_queries(shop, spark, names)
    then = spark.sql(f"select * from {MIRROR} version as of {old}")
    assert then.count() == 3
    assert not {*names} & {*then.columns}


def check_queries(shop: ChangingShop, spark: SparkSession, names: Sequence[str]) -> None:
    """Rows 1 and 3 have the default, and 2 has null."""
    table = shop.lake.catalog.load_table(MIRROR)
    for name in names:
        text = literal(VALUES[name])
        query = f"select count_if({name} = {text}), count_if({name} is null) from {MIRROR}"
        assert spark.sql(query).first() == (2, 1), name
        for condition, found in {
            f"= {text}": {1, 3},
            "is null": {2},
            "is not null": {1, 3},
            f"in ({text})": {1, 3},
            f">= {text}": {1, 3},
            f"< {text}": set(),
            f"<> {text}": set(),
        }.items():
            rows = spark.sql(f"select id from {MIRROR} where {name} {condition}").collect()
            assert {row.id for row in rows} == found, f"{name} {condition}"
        for predicate, ids in filters(name):
            scanned = table.scan(row_filter=predicate, selected_fields=("id",)).to_arrow()
            assert sorted(scanned["id"].to_pylist()) == ids, predicate


def filters(name: str) -> list[tuple[BooleanExpression, list[int]]]:
    value = VALUES[name]
    given = value.isoformat() if isinstance(value, date) else value
    return [
        (EqualTo(name, given), [1, 3]),
        (In(name, [given]), [1, 3]),
        (NotNull(name), [1, 3]),
        (IsNull(name), [2]),
    ]


def test_why_rows_get_times_by_an_update(lake: Lake, spark: SparkSession) -> None:
    """PyIceberg finds no row by a filter on an initial default of these types. Where this test
    fails, PyIceberg does, and lakemirror.state.table_schema.UNFILTERED has no use any more."""
    spark.sql("create namespace if not exists other")
    spark.sql("create table other.t (id int) using iceberg tblproperties ('format-version' = '3')")
    spark.sql("insert into other.t values (1), (3)")
    added = [
        ("day", "date", Default("date", "2026-01-31")),
        ("moment", "timestamp_ntz", Default("timestamp_ntz", "2026-01-31T01:02:03.000456")),
    ]
    table_schema.commit(spark, "other.t", SchemaChange(added=added))
    table = lake.catalog.load_table("other.t")
    for name in TIMES:
        assert {row[name] for row in table.scan().to_arrow().to_pylist()} == {VALUES[name]}
        predicate, _ = filters(name)[0]
        assert table.scan(row_filter=predicate).to_arrow().num_rows == 0


@whole_only
def test_a_default_that_changes_or_goes(shop: ChangingShop) -> None:
    """Rows read what the column came with; who writes, what the source gives now. What is no
    literal is named."""
    shop.configure("format_version=3")
    shop.run()
    kinds = {"id": "INT", "v": "INT", "w": "INT", "x": "VARCHAR(36)"}
    shop.alter(kinds, v="7", w="1")
    shop.send("c", id=4, v=0, w=0)
    shop.run("--warn-error")
    assert defaults(shop) == {"v": (7, 7), "w": (1, 1)}
    shop.alter(kinds, v="8", x="uuid()")
    shop.send("c", id=5, v=0, w=0)
    said = shop.run("--warn-error", fails=True)
    assert "no default of columns whose default at the source is no literal: x: uuid() is a" in said
    shop.run()
    assert defaults(shop) == {"v": (7, 8), "w": (1, None)}
    shop.send("c", id=6, v=0, w=0)
    shop.run("--warn-error")
    rows = {row["id"]: (row["v"], row["w"], row["x"]) for row in shop.table()}
    assert rows == dict.fromkeys((1, 2, 3), (7, 1, None)) | dict.fromkeys((4, 5, 6), (0, 0, None))


@whole_only
def test_the_time_of_the_statement(shop: ChangingShop) -> None:
    """Rows get what the source gave them where its statement says so; for the next row it is no
    literal. MariaDB's connector describes both columns with 1970-01-01."""
    mirrors = shop.write_variants()
    shop.run()
    kinds = {"id": "INT", "since": "TIMESTAMP", "fine": "TIMESTAMP(6)"}
    ddl = (
        "alter table t add since timestamp not null default current_timestamp, "
        "add fine timestamp(6) not null default current_timestamp(6)"
    )
    zero = "1970-01-01 00:00:00"
    shop.alter(kinds, ddl=ddl, since=zero, fine=zero)
    statement = datetime.fromtimestamp((shop.time + shop.step * shop.offset) / 1000, UTC)
    shop.send("c", id=4, since="2026-02-01T00:00:00Z", fine="2026-02-01T00:00:00Z")
    said = shop.run("--warn-error", fails=True)
    assert "the default of the new column fine is not known" in said
    assert "the new column since" not in said
    shop.run()
    later = datetime(2026, 2, 1, tzinfo=UTC)
    expected = {(n,): {"id": n, "since": statement, "fine": None} for n in (1, 2, 3)}
    expected[4,] = {"id": 4, "since": later, "fine": later}
    for mirror in mirrors:
        assert lake_rows(shop.lake.catalog, mirror, ["id"]) == expected, mirror


@pytest.mark.parametrize(
    ("publish", "version"),
    [
        pytest.param("copy", 3, marks=whole_only),
        ("branch", 3),
        pytest.param("branch", 2, marks=deep_only),
    ],
)
def test_days_cuts_and_time_travel(
    shop: ChangingShop, spark: SparkSession, publish: str, version: int
) -> None:
    """Rows of a day and of a cut read the default; a snapshot from before has no such column."""
    shop.configure(f"format_version={version}")
    shop.write("models/ops/consistent_cut.sql", CUT)
    shop.write("models/marts/at_cut.sql", MART)
    shop.write_daily("t", "2025-12-30", "2026-01-01", publish=publish)
    shop.run("--exclude", "at_cut", "consistent_cut")
    before = shop.lake.catalog.load_table(MIRROR).metadata.current_snapshot_id
    add(shop, *COLUMNS)
    shop.send("c", id=4, **dict.fromkeys(COLUMNS))
    shop.time += DAY
    shop.send("u", id=1, **dict.fromkeys(COLUMNS))
    shop.send("d", id=2, **dict.fromkeys(COLUMNS))
    shop.write_daily("t", "2025-12-30", "2026-01-02", publish=publish)
    shop.run()
    nothing = dict.fromkeys(COLUMNS)
    assert shop.rows("t")[3,] == {"id": 3, **VALUES}
    at_midnight = {(n,): {"id": n, **VALUES} for n in (1, 2, 3)} | {(4,): {"id": 4, **nothing}}
    assert lake_rows(shop.lake.catalog, "marts.at_cut", ["id"]) == at_midnight
    if publish == "copy":
        day = lake_rows(shop.lake.catalog, "daily.shop__t", ["id"], EqualTo("ds", "2026-01-01"))
        assert day == at_midnight
    else:
        query = "select * from mirror.shop__t version as of 'ds_2026_01_01' order by id"
        rows = [row.asDict() for row in spark.sql(query).collect()]
        assert [row["id"] for row in rows] == [1, 2, 3, 4]
        assert [row["whole"] for row in rows] == [7, 7, 7, None]
        assert [row["day"] for row in rows] == [VALUES["day"]] * 3 + [None]
    old = spark.sql(f"select * from {MIRROR} version as of {before}")
    assert "word" not in old.columns
    assert old.count() == 3


@whole_only
def test_a_table_that_is_new(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its columns have what the source gives now; so does a mirror that is built anew. Where a
    warning is an error it stays as it is, and where the process dies the next run goes on."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "v": "INT", "x": "VARCHAR(36)"}, required={"v"}, v="7", x="uuid()")
    shop.send("c", id=4, v=0, x="")
    shop.configure("format_version=3")
    shop.run()
    assert defaults(shop) == {"v": (None, 7)}
    rebuild = ("--full-refresh", "--vars", "{allow_full_refresh: true}")
    before = lake.snapshots(MIRROR)
    assert "x: uuid() is a" in shop.run(*rebuild, "--warn-error", fails=True)
    assert lake.snapshots(MIRROR) == before
    with monkeypatch.context() as dying:
        dying.setattr(DbtWarehouse, "change_schema", die)
        shop.run(*rebuild, fails=True)
    assert (defaults(shop), identifiers(shop)) == ({}, [])
    shop.run()
    assert (identifiers(shop), required_columns(shop, MIRROR)) == (["id"], {"id", "v"})
    shop.send("c", id=5, v=0, x="")
    shop.run()
    assert defaults(shop) == {"v": (None, 7)}
    shop.run(*rebuild)
    assert (identifiers(shop), required_columns(shop, MIRROR)) == (["id"], {"id", "v"})
    assert defaults(shop) == {"v": (None, 7)}


def die(*arguments: object) -> None:
    raise DeathError("the process died here")


@pytest.mark.parametrize("version", [2, 3] if DEEP else [3])
def test_a_column_that_is_new_in_the_project(shop: ChangingShop, version: int) -> None:
    """Rows from before its statement have its default; what is in later ones nobody knows."""
    shop.configure(f"format_version={version}")
    shop.run()
    shop.write(
        "models/mirror/mirror_shop__t.sql",
        f"{{{{ config(unique_key=['id'], format_version={version}) }}}}\n"
        "select * except (v) from {{ ref('stg_shop__t') }}",
    )
    shop.alter({"id": "INT", "v": "INT"}, v="7")
    shop.send("c", id=9, v=5)
    shop.run()
    shop.configure(f"format_version={version}")
    shop.send("c", id=10, v=6)
    shop.run()
    assert {row["id"]: row["v"] for row in shop.table()} == {1: 7, 2: 7, 3: 7, 9: None, 10: 6}


def test_another_case_of_a_name(lake: Lake) -> None:
    """The key and the defaults are those of the mirror's columns, as it spells them."""
    shop = ChangingShop(lake)
    shop.configure("format_version=3")
    shop.alter({"id": "INT", "Tier": "VARCHAR(9)"}, required={"Tier"}, Tier="basic")
    shop.send("c", id=1, Tier="gold")
    shop.run()
    shop.alter({"ID": "INT", "tier": "VARCHAR(9)"}, required={"ID", "tier"}, tier="basic")
    shop.key = "ID"
    shop.send("c", ID=2, tier="gold")
    shop.run()
    assert (identifiers(shop), required_columns(shop, MIRROR)) == (["id"], {"id", "Tier"})
    assert defaults(shop) == {"Tier": (None, "basic")}


@pytest.mark.parametrize("version", [2, 3] if DEEP else [3])
def test_a_null_of_before_in_a_required_column(
    lake: Lake, spark: SparkSession, version: int
) -> None:
    """A day and a cut have it, though no row of now has; so has a day that is written again."""
    shop = ChangingShop(lake)
    shop.configure(f"format_version={version}")
    shop.write("models/ops/consistent_cut.sql", CUT)
    kinds = dict.fromkeys(("id", "v", "w", "x"), "INT")
    shop.alter(kinds)
    shop.send("c", id=1, v=None, w=0, x=0)
    shop.offset += 9
    late = shop.offset
    shop.time += DAY
    shop.send("u", id=1, v=0, w=0, x=0)
    shop.alter(kinds, required={"v", "w", "x"})
    shop.write_daily("t", "2025-12-30", "2026-01-01", publish="branch")
    shop.run("--exclude", "daily_shop__t", "consistent_cut")
    assert required_columns(shop, MIRROR) == {"id", "v", "w", "x"}
    shop.hear("2025-12-30", "2026-01-02")
    shop.run("--exclude", "consistent_cut")
    day = f"select v, w, x from {MIRROR} version as of"
    assert spark.sql(f"{day} 'ds_2026_01_01'").collect() == [(None, 0, 0)]
    assert required_columns(shop, MIRROR) == {"id", "w", "x"}
    shop.send("u", id=1, v=0, w=None, x=0)
    shop.time += DAY
    shop.send("u", id=1, v=0, w=1, x=0)
    shop.hear("2025-12-30", "2026-01-03")
    shop.run("--exclude", "daily_shop__t")
    [cut] = lake.catalog.load_table("ops.consistent_cut").scan().to_arrow().to_pylist()
    assert spark.sql(f"{day} {cut['snapshot_id']}").collect() == [(0, None, 0)]
    assert required_columns(shop, MIRROR) == {"id", "x"}
    shop.time -= 2 * DAY
    shop.send("u", place=late, id=1, v=1, w=1, x=None)
    shop.run()
    assert spark.sql(f"{day} 'ds_2026_01_01'").collect() == [(1, 1, None)]
    assert required_columns(shop, MIRROR) == {"id"}
    assert shop.table() == [{"id": 1, "v": 0, "w": 1, "x": 0}]


def test_the_key_is_known_to_others(lake: Lake) -> None:
    """In each format; not where Iceberg cannot have a column's type in it."""
    shop = ChangingShop(lake)
    mirrors = shop.write_variants()
    shop.alter({"id": "INT"})
    shop.send("c", id=1)
    shop.run()
    shop.alter({"id": "BIGINT"})
    shop.send("c", id=2**40)
    shop.run()
    for mirror in mirrors:
        assert identifiers(shop, mirror) == ["id"]
    assert {row["id"] for row in shop.table()} == {1, 2**40}


def defaults(shop: ChangingShop) -> dict[str, tuple[Any, Any]]:
    """The initial and the write default of each column that has one."""
    fields = shop.lake.catalog.load_table(MIRROR).schema().fields
    found = {field.name: (field.initial_default, field.write_default) for field in fields}
    return {name: values for name, values in found.items() if values != (None, None)}


def identifiers(shop: ChangingShop, relation: str = MIRROR) -> list[str]:
    schema = shop.lake.catalog.load_table(relation).schema()
    return sorted(schema.identifier_field_names())


@whole_only
def test_columns_without_a_null(lake: Lake) -> None:
    """They are required from the first rows on, until the source or a row says otherwise."""
    shop = ChangingShop(lake)
    mirrors = shop.write_variants()
    columns = {"id": "INT", "v": "INT", "w": "INT", "n": "INT", "gone": "INT", "back": "INT"}
    required = {"v", "w", "n", "gone", "back"}
    shop.alter(columns, required=required)
    row = dict.fromkeys(columns, 0)
    shop.send("c", **row | {"id": 1, "n": None})
    shop.send("d", **row | {"id": 2})
    shop.run()
    expected = {"id", "v", "w", "gone", "back"}
    assert [required_columns(shop, mirror) for mirror in mirrors] == [expected] * len(mirrors)
    shop.send("c", **row | {"id": 3})
    shop.run()
    assert [required_columns(shop, mirror) for mirror in mirrors] == [expected] * len(mirrors)
    del columns["gone"], columns["back"]
    shop.alter(columns, required=required)
    columns["back"] = "INT"
    shop.alter(columns, required={"v", "n", "back"})
    shop.send("u", id=3, v=None, w=None, n=1, back=1)
    shop.run()
    assert [required_columns(shop, mirror) for mirror in mirrors] == [{"id"}] * len(mirrors)
    rows = {row["id"]: (row["v"], row["w"], row["gone"], row["back"]) for row in shop.table()}
    assert rows == {1: (0, 0, 0, None), 3: (None, None, None, 1)}


def required_columns(shop: ChangingShop, relation: str) -> set[str]:
    fields = shop.lake.catalog.load_table(relation).schema().fields
    return {field.name for field in fields if field.required}
