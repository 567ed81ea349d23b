"""A mirror follows its source's schema, or says why not before it writes.

Cases 54-62, 65; F17, F52.
"""

import json
import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from pyiceberg.expressions import EqualTo

from support.changing_shop import MIRROR, ChangingShop
from support.deaths import DeathError, Hook, let_all_run
from support.depth import DEEP, deep_only, whole_only
from support.lake import Lake, messages
from support.source_state import lake_rows

DAY = 86_400_000
AT = datetime(2026, 1, 1, 0, 0, 0, 123456)
LOG = """
{{ config(materialized='log', schema='log') }}
select * from {{ ref('stg_shop__t') }}
"""


def death_before(beginning: str) -> Hook:
    """Die instead of a statement that begins so."""

    def die(statement: str, run: Callable[[], None]) -> None:
        if " ".join(statement.lower().split()).replace("`", "").startswith(beginning):
            raise DeathError("the process died here")
        run()

    return die


def conflicts(lake: Lake) -> list[dict[str, Any]]:
    return lake.catalog.load_table("ops.order_conflicts").scan().to_arrow().to_pylist()


def test_the_mirror_follows(lake: Lake) -> None:
    """Cases 54-56, 58, 60, 62: columns come, widen, go and move, in one run, in every format and
    merge mode; old rows stay, and late events are read as they were sent, all in one second.
    """
    shop = ChangingShop(lake)
    shop.step = 0
    mirrors = shop.write_variants()
    old = {"id": "INT", "n": "INT", "f": "FLOAT", "d": "DECIMAL(5,2)", "gone": "VARCHAR(9)"}
    old["at"] = "DATETIME(3)"
    shop.alter(old)
    row = {"n": 1, "f": 1.5, "d": "AJY=", "gone": "kept", "at": 1767225600123}
    shop.send("c", id=1, **row)
    shop.send("c", id=2, **row)
    shop.send("d", id=3, **row)
    shop.run()
    new = {"added": "VARCHAR(9)", "d": "DECIMAL(9,2)", "n": "BIGINT", "f": "DOUBLE"}
    shop.alter({**new, "id": "BIGINT", "at": "DATETIME(6)"}, added="new")
    micros = 1767225600123456
    shop.send("u", id=2, added=None, d="AJY=", n=2**40, f=1e300, at=micros)
    shop.send("c", id=2**40, added="x", d="AJY=", n=None, f=None, at=None)
    shop.send("c", place=3, id=3, **row)  # deleted since, and remembered by the wider key
    shop.send("c", place=3, id=4, **row)
    shop.run()
    types = {"id": "long", "n": "long", "f": "double", "d": "decimal(9, 2)", "gone": "string"}
    first = {"n": 1, "f": 1.5, "d": Decimal("1.50"), "gone": "kept", "added": "new"}
    first["at"] = datetime(2026, 1, 1, 0, 0, 0, 123000)
    then = {"d": Decimal("1.50"), "gone": None}
    for mirror in mirrors:
        assert shop.types(mirror) == types | {"at": "timestamp", "added": "string"}
        assert lake_rows(lake.catalog, mirror, ["id"]) == {
            (1,): {"id": 1, **first},
            (2,): {"id": 2, "n": 2**40, "f": 1e300, "added": None, "at": AT, **then},
            (4,): {"id": 4, **first},
            (2**40,): {"id": 2**40, "n": None, "f": None, "added": "x", "at": None, **then},
        }


@whole_only
def test_a_run_that_dies_in_between(lake: Lake, around: Callable[[Hook], None]) -> None:
    """F32: before each of the statements that change the mirror; old rows get their values once."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "v": "INT"})
    shop.send("c", id=1, v=1)
    shop.run()
    shop.alter({"id": "BIGINT", "v": "BIGINT", "s": "VARCHAR(9)"}, s="first")
    shop.send("c", id=2, v=2, s=None)
    for statement in (
        "alter table mirror.shop__t add",
        "update",
        "insert into mirror.shop__t.branch",
    ):
        around(death_before(statement))
        shop.run(fails=True)
    around(let_all_run)
    shop.run()
    rows = [{"id": 1, "v": 1, "s": "first"}, {"id": 2, "v": 2, "s": None}]
    assert shop.table() == rows
    shop.alter({"id": "BIGINT", "v": "BIGINT", "s": "VARCHAR(9)"}, s="other")
    shop.send("c", id=3, v=3, s=None)
    shop.run("--vars", "{replay: true}")
    assert shop.table() == [*rows, {"id": 3, "v": 3, "s": None}]
    assert conflicts(lake) == []


def test_a_refused_run_alters_nothing(lake: Lake) -> None:
    """Everything is decided before anything is written, for mirrors of both merge modes."""
    shop = ChangingShop(lake)
    mirrors = shop.write_variants()
    shop.alter({"id": "INT", "v": "INT"})
    shop.send("c", id=1, v=1)
    shop.run()
    types = [shop.types(mirror) for mirror in mirrors]
    wider = {"id": "BIGINT", "v": "BIGINT", "new": "INT"}
    shop.alter(wider)
    shop.send("c", id=2, v=2, new=2, later=2)
    assert "would be lost: later." in shop.run(fails=True)
    assert [shop.types(mirror) for mirror in mirrors] == types
    shop.alter(wider | {"later": "INT"})
    shop.run()
    for mirror in mirrors:
        assert lake_rows(lake.catalog, mirror, ["id"]) == {
            (1,): {"id": 1, "v": 1, "new": None, "later": None},
            (2,): {"id": 2, "v": 2, "new": 2, "later": 2},
        }


def test_a_key_that_the_mirror_does_not_have(lake: Lake) -> None:
    """Case 61: a rebuild compares nothing with the rows that it replaces."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT"})
    shop.send("c", id=1)
    shop.run()
    shop.alter({"id": "INT", "code": "VARCHAR(9)"}, key="code")
    shop.tables["t"][1][:] = ["code"]
    shop.write_mirror("t")
    shop.send("c", id=1, code="one")
    shop.run("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.rows("t") == {("one",): {"id": 1, "code": "one"}}


def test_another_key_is_refused(lake: Lake) -> None:
    """Case 61: in the model, and at the source; a rebuild takes the new one, with its deletes."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "part": "INT"})
    shop.send("c", id=1, part=1)
    shop.send("d", id=2, part=1)
    shop.run()
    commits = lake.snapshots(MIRROR)
    shop.alter({"id": "INT", "part": "INT"}, key="part")
    shop.send("c", id=1, part=2)
    assert "the source has another key: it was id and is part" in shop.run(fails=True)
    shop.tables["t"][1][:] = ["part"]
    shop.write_mirror("t")
    said = shop.run(fails=True)
    assert "unique_key has changed: it was id and is part" in said
    assert lake.snapshots(MIRROR) == commits
    shop.run("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.rows("t") == {(2,): {"id": 1, "part": 2}}
    shop.send("c", place=2, id=1, part=1)  # older than the delete of part 1
    shop.send("c", id=3, part=3)
    shop.run()
    assert {*shop.rows("t")} == {(2,), (3,)}


TESTED = """
models:
  - name: mirror_shop__t
    data_tests:
      - columns_of_source
"""
HOSTILE = ["select", "a`; drop table x; --", "a.b", "it's", 'with "quotes"', "#", "Ü {{ 1 }}"]


@pytest.mark.parametrize(("version", "default"), [(2, None), (3, 7)] if DEEP else [(3, 7)])
def test_names_are_only_names(lake: Lake, version: int, default: int | None) -> None:
    """Case 65, F52: reserved words and worse come, widen and go; another case is no change.

    Until the mirror has followed, its data test says what it lacks.
    """
    shop = ChangingShop(lake)
    shop.configure(f"buckets=2, format_version={version}")
    shop.write("models/mirror.yml", TESTED)
    shop.alter({"id": "INT", "Name": "VARCHAR(9)"})
    shop.send("c", id=1, Name="one")
    shop.run()
    given = dict.fromkeys(HOSTILE, str(default)) if default else {}
    shop.alter({"Name": "VARCHAR(9)", **dict.fromkeys(HOSTILE, "INT"), "id": "INT"}, **given)
    shop.send("c", id=2, Name="two", **dict.fromkeys(HOSTILE, 2))
    shop.run("--select", "landing")
    assert f"Got {len(HOSTILE)} results" in messages(shop.dbt("test", fails=True))
    shop.run()
    shop.dbt("test")
    shop.alter({"ID": "INT", "name": "VARCHAR(9)", **dict.fromkeys(HOSTILE[1:], "BIGINT")})
    shop.key = "ID"
    shop.send("c", ID=3, name="three", **dict.fromkeys(HOSTILE[1:], 2**40))
    shop.key = "id"
    shop.send("c", id=4, Name="late")
    shop.run()
    none = dict.fromkeys(HOSTILE)
    assert shop.table() == [
        {"id": 1, "Name": "one", **dict.fromkeys(HOSTILE, default)},
        {"id": 2, "Name": "two", **dict.fromkeys(HOSTILE, 2)},
        {"id": 3, "Name": "three", **none, **dict.fromkeys(HOSTILE[1:], 2**40)},
        {"id": 4, "Name": "late", **none, **dict.fromkeys(HOSTILE[1:], default)},
    ]


def test_a_column_that_nobody_declares(lake: Lake) -> None:
    """F17: an event may come before the statement that tells its column; the mirror waits for it.

    It may also go on without; its data test then fails until a rebuild has the lost values.
    """
    shop = ChangingShop(lake)
    shop.write("models/mirror.yml", TESTED)
    shop.write("models/log/log_shop__t.sql", LOG)
    shop.alter({"id": "INT"})
    shop.send("c", id=1)
    shop.run()
    commits = lake.snapshots(MIRROR), lake.snapshots("log.shop__t")
    shop.send("u", id=1, **{HOSTILE[1]: 1})
    shop.send("c", id=2)
    said = shop.run(fails=True)
    assert said.count(f"would be lost: {HOSTILE[1]}.") == 2
    assert (lake.snapshots(MIRROR), lake.snapshots("log.shop__t")) == commits
    shop.configure("buckets=2, on_undeclared='warn'")
    assert f"are lost: {HOSTILE[1]}." in shop.run(
        "--warn-error", "--select", "mirror_shop__t", fails=True
    )
    assert lake.snapshots(MIRROR) == commits[0]
    shop.run("--select", "mirror_shop__t")
    shop.alter({"id": "INT", HOSTILE[1]: "INT"})
    shop.send("c", id=3, **{HOSTILE[1]: 3})
    shop.run()
    assert shop.table() == [{"id": n, HOSTILE[1]: v} for n, v in ((1, None), (2, None), (3, 3))]
    assert "Got 1 result" in messages(shop.dbt("test", fails=True))
    shop.run("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.table()[0] == {"id": 1, HOSTILE[1]: 1}
    shop.dbt("test")


def test_columns_that_are_left_out(lake: Lake) -> None:
    """F17: by the source's YAML; and where the YAML alone knows columns, others are told."""
    shop = ChangingShop(lake)
    shop.declare(id={"data_type": "int"})
    shop.send("c", id=1, a=1)
    shop.send("d", id=1, b=1)
    shop.send("c", id=2, b=2)
    assert "are lost: b." in shop.run("--warn-error", fails=True)
    sources = json.loads((shop.folder / "models/sources.yml").read_text())
    sources["sources"][0]["tables"][0]["config"] = {"meta": {"ignored_columns": ["b"]}}
    shop.write("models/sources.yml", json.dumps(sources))
    shop.run("--warn-error")
    assert shop.table() == [{"id": 2}]


def test_a_known_column_is_left_out(lake: Lake) -> None:
    """F17: raw.schema_history knows it, and its name is a technical one."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "_op": "INT"})
    shop.send("c", id=1, _op=7)
    shop.run(fails=True)  # "ignored_columns of its YAML leaves it out"
    sources = json.loads((shop.folder / "models/sources.yml").read_text())
    sources["sources"][0]["tables"][0]["config"] = {"meta": {"ignored_columns": ["_op"]}}
    shop.write("models/sources.yml", json.dumps(sources))
    shop.run("--warn-error")
    assert shop.table() == [{"id": 1}]


@deep_only
def test_a_dropped_column_is_back_before_its_statement(lake: Lake) -> None:
    """Case 61, F17: it is another one, which nobody declares yet; the mirror waits for it."""
    shop = ChangingShop(lake)
    shop.configure("on_drop='drop'")
    shop.alter({"id": "INT", "v": "INT"})
    shop.send("c", id=1, v=1)
    shop.run()
    shop.alter({"id": "INT"})
    dropped = shop.offset
    shop.run()
    shop.send("c", place=dropped - 1, id=2, v=2)  # late, from before
    shop.run()
    commits = lake.snapshots(MIRROR)
    shop.send("c", place=dropped + 2, id=3, v="three")
    assert "would be lost: v." in shop.run(fails=True)
    assert lake.snapshots(MIRROR) == commits
    shop.alter({"id": "INT", "v": "VARCHAR(9)"})
    shop.run()
    assert shop.table() == [{"id": 1, "v": None}, {"id": 2, "v": None}, {"id": 3, "v": "three"}]


def test_a_dropped_column_may_go(lake: Lake) -> None:
    """Case 56: on_drop: drop; by default it stays, also in a mirror that is built later."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "gone": "INT"})
    shop.send("c", id=1, gone=1)
    shop.run()
    shop.alter({"id": "INT"})
    shop.send("c", id=2)
    shop.run()
    assert shop.table() == [{"id": 1, "gone": 1}, {"id": 2, "gone": None}]
    shop.configure("on_drop='drop'")
    shop.send("c", id=3)
    shop.run()
    assert shop.table() == [{"id": 1}, {"id": 2}, {"id": 3}]


def test_an_alter_has_the_time_when_it_began(lake: Lake) -> None:
    """Case 62: changes that ran beside it come before it, at later times."""
    shop = ChangingShop(lake)
    shop.step = 0
    shop.alter({"id": "INT", "at": "DATETIME(3)", "v": "INT"})
    shop.time += 600_000
    shop.send("c", id=1, at=1767225600123, v=1)
    shop.time -= 600_000
    shop.alter({"id": "INT", "at": "DATETIME(6)", "v": "VARCHAR(9)"})
    shop.time += 600_000
    shop.send("c", id=2, at=1767225600123456, v="two")
    shop.run()
    first = AT.replace(microsecond=123000)
    assert shop.table() == [{"id": 1, "at": first, "v": "1"}, {"id": 2, "at": AT, "v": "two"}]


STORY: list[Callable[[ChangingShop], None]] = [
    lambda shop: shop.alter({"id": "int", "v": "int"}),
    lambda shop: shop.send("c", id=1, v=10),
    lambda shop: shop.send("c", id=2, v=20),
    lambda shop: shop.alter(
        {"id": "int", "v": "int", "tier": "varchar(10)"}, tier="basic", ddl="alter table t ..."
    ),
    lambda shop: shop.send("u", id=2, v=21, tier=None),
    lambda shop: shop.send("c", id=3, v=30, tier="gold"),
    lambda shop: shop.send("u", place=3, id=2, v=19),
]


@pytest.mark.parametrize("cut", range(1, len(STORY)) if DEEP else (2, 5))
def test_a_column_that_is_declared_before_the_source_has_it(lake: Lake, cut: int) -> None:
    """G9: the rows of before get its default when the statement comes, wherever the runs cut."""
    shop = ChangingShop(lake)
    shop.configure(f"buckets=2, format_version={2 + cut % 2}")
    shop.declare(tier={"data_type": "varchar(10)"})
    for number, tell in enumerate(STORY, 1):
        tell(shop)
        if number in (cut, len(STORY)):
            shop.run()
    assert shop.table() == [
        {"id": 1, "v": 10, "tier": "basic"},
        {"id": 2, "v": 21, "tier": None},
        {"id": 3, "v": 30, "tier": "gold"},
    ]
    before = lake.snapshots(MIRROR)
    shop.send("u", id=1, v=11, tier=None)
    shop.run()
    assert shop.table()[0] == {"id": 1, "v": 11, "tier": None}
    assert lake.snapshots(MIRROR)[: len(before)] == before


@deep_only
def test_a_column_that_comes_back(lake: Lake, around: Callable[[Hook], None]) -> None:
    """Case 61, F32: rows from before have what the statement gave them, in each format and mode,
    and in days; a late event of the former column changes nothing.
    """
    shop = ChangingShop(lake)
    shop.step = 0
    mirrors = shop.write_variants()
    shop.write_daily("t", "2025-12-30", "2026-01-01")
    shop.alter({"id": "INT", "a": "INT", "b": "INT"})
    for number in (1, 2, 3):
        shop.send("c", id=number, a=number, b=number)
    shop.run()
    shop.alter({"id": "INT"})
    shop.send("u", id=2)
    shop.run()
    shop.alter({"id": "INT", "a": "INT", "b": "INT"}, b="7")
    shop.send("u", id=3, a=33, b=33)
    shop.send("c", place=4, id=4, a=4, b=4)
    shop.send("c", place=2, id=1, a=1, b=1)  # delivered again
    around(death_before("update"))
    shop.run(fails=True)
    around(let_all_run)
    shop.time += DAY  # so that the day starts from the commit before this one
    shop.send("c", id=5, a=5, b=5)
    shop.write_daily("t", "2025-12-30", "2026-01-02")
    shop.run()
    values = {1: (None, 7), 2: (None, 7), 3: (33, 33), 4: (None, 7)}
    wanted = {(n,): {"id": n, "a": a, "b": b} for n, (a, b) in values.items()}
    new = {(5,): {"id": 5, "a": 5, "b": 5}}
    for mirror in [MIRROR, *mirrors]:
        assert lake_rows(lake.catalog, mirror, ["id"]) == wanted | new, mirror
    day = EqualTo("ds", "2026-01-01")
    assert lake_rows(lake.catalog, "daily.shop__t", ["id"], day) == wanted
    shop.send("u", id=1, a=11, b=None)
    shop.alter({"id": "INT", "a": "INT", "b": "INT"}, b="7")  # with another index, say
    shop.send("u", id=5, a=5, b=6)
    shop.run("--exclude", "daily_shop__t")
    assert shop.table()[:2] == [{"id": 1, "a": 11, "b": None}, {"id": 2, "a": None, "b": 7}]
    assert conflicts(lake) == []


@whole_only
def test_a_column_that_comes_back_as_it_was(lake: Lake) -> None:
    """Case 61: a statement that says the same again tells no time, and takes no null away."""
    shop = ChangingShop(lake)
    columns = {"id": "INT", "v": "INT"}
    shop.alter(columns, v="5")
    shop.send("c", id=1, v=1)
    shop.run()
    shop.alter({"id": "INT"})
    shop.alter(columns, v="5")
    shop.send("c", id=2, v=None)
    shop.run()
    rows = [{"id": 1, "v": 5}, {"id": 2, "v": None}]
    assert shop.table() == rows
    shop.alter(columns, v="5")
    shop.send("c", id=3, v=3)
    shop.run()
    assert shop.table() == [*rows, {"id": 3, "v": 3}]


def test_a_renamed_column_keeps_its_identity(lake: Lake) -> None:
    """Cases 57, 62: events with the former name are decoded into it; the key is not renamed."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "old": "VARCHAR(9)"})
    shop.send("c", id=1, old="one")
    shop.send("c", id=2, old="two")
    shop.run()
    field = lake.catalog.load_table(MIRROR).schema().find_field("old").field_id
    shop.declare(new={"config": {"meta": {"renamed_from": "old"}}})
    shop.send("c", id=3, old="three")  # the project has heard of it, the history has not
    shop.run()
    shop.alter({"id": "INT", "new": "VARCHAR(9)"})
    shop.send("c", id=4, new="four")
    shop.send("c", id=5, old="late")
    shop.run()
    assert lake.catalog.load_table(MIRROR).schema().find_field("new").field_id == field
    words = ["one", "two", "three", "four", "late"]
    wanted = [{"id": n, "new": s} for n, s in enumerate(words, 1)]
    assert shop.table() == wanted


def test_a_statement_renames_a_column(lake: Lake) -> None:
    """Case 57: nobody has to say it; what is there, what comes late and a rebuild are the same."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT", "old": "INT", "n": "INT"})
    for n in (1, 2, 3):
        shop.send("c", id=n, old=n, n=n)
    shop.run()
    field = lake.catalog.load_table(MIRROR).schema().find_field("old").field_id
    columns = {"id": "INT", "new": "BIGINT", "n": "INT"}
    shop.alter(columns, ddl="ALTER TABLE t CHANGE COLUMN `old` `new` BIGINT")
    shop.send("u", id=2, new=2**40, n=2)
    shop.send("u", place=3, id=3, old=33, n=3)  # late, as it was sent
    shop.alter(
        {"id": "INT", "newer": "BIGINT", "n": "INT"}, ddl="alter table t rename column new to newer"
    )
    shop.send("c", id=4, newer=None, n=4)
    said = shop.run()
    assert lake.catalog.load_table(MIRROR).schema().find_field("newer").field_id == field
    values = {1: 1, 2: 2**40, 3: 3, 4: None}
    wanted = [{"id": n, "newer": value, "n": n} for n, value in values.items()]
    assert shop.table() == wanted
    shop.run("--full-refresh", "--vars", "{allow_full_refresh: true}")
    assert shop.table() == wanted
    assert "WARN" not in said.upper()
    shop.alter(
        {"id": "INT", "n": "BIGINT", "m": "INT"},
        ddl="alter table t rename column n to m, rename column newer to n",
    )
    shop.send("u", id=1, n=1, m=1)
    said = shop.run()
    assert "columns were renamed, and others have their former names: " in said


def test_a_table_that_is_dropped_or_renamed(lake: Lake) -> None:
    """Case 35: no event tells it, the statement does, and each run says so until it is known."""
    shop = ChangingShop(lake)
    shop.alter({"id": "INT"})
    shop.send("c", id=1)
    assert ": success" in shop.run()
    shop.end()
    said = shop.run()
    assert "mirror_shop__t: warn" in said
    assert "the source dropped the table of raw.shop__t at 2026-01-01" in said
    [known] = re.findall(r"known_ending: '(.*?)'", said)
    shop.know(known)
    assert "warn" not in shop.run()
    shop.end(to="shop.other")
    assert "gave the table of raw.shop__t the name shop.other at" in shop.run()
    shop.alter({"id": "INT"}, ddl="create table t (id int)")
    shop.send("c", id=2)
    assert "Its rows are kept beside those of the table that has its name now" in shop.run()


@pytest.mark.parametrize("version", [2, 3] if DEEP else [3])
def test_a_type_that_cannot_be_kept(lake: Lake, version: int) -> None:
    """Case 59: refused; or another column takes the new values; or all are text."""
    shop = ChangingShop(lake)
    shop.configure(f"buckets=2, format_version={version}")
    shop.alter({"id": "INT"})
    shop.send("c", id=3)
    shop.run()
    shop.alter({"id": "INT", "v": "INT"}, v="7")
    shop.send("c", id=1, v=1)
    shop.send("c", id=2, v=2)
    shop.run()
    commits = lake.snapshots(MIRROR)
    shop.alter({"id": "INT", "v": "VARCHAR(9)"}, v="7")
    shop.send("u", id=1, v="one")
    said = shop.run(fails=True)
    assert "v is int and would become string" in said
    assert "docs/schema-changes.md" in said
    assert (lake.snapshots(MIRROR), shop.types()) == (commits, {"id": "int", "v": "int"})
    shop.configure(f"buckets=2, format_version={version}, on_type_conflict='new_column'")
    shop.run()
    assert shop.table() == [
        {"id": 1, "v": None, "v__v2": "one"},
        {"id": 2, "v": 2, "v__v2": None},
        {"id": 3, "v": 7, "v__v2": None},
    ]
    fields = lake.catalog.load_table(MIRROR).schema().fields
    given = {field.name: field.write_default for field in fields if field.write_default}
    assert given == ({"v__v2": "7"} if version == 3 else {})
    shop.send("u", id=2, v="two")
    shop.run()
    assert shop.table()[1] == {"id": 2, "v": None, "v__v2": "two"}


def test_a_column_that_becomes_text(lake: Lake, around: Callable[[Hook], None]) -> None:
    """Case 59, F32: its old values too, also when the run died in between, and its days."""
    shop = ChangingShop(lake)
    shop.configure("buckets=2, on_type_conflict='string'")
    shop.write_daily("t", "2025-12-30", "2026-01-02")
    shop.alter({"id": "INT", "v": "DECIMAL(5,2)"})
    shop.send("c", id=1, v="AJY=")
    shop.send("c", id=2, v="AJY=")
    shop.run()
    shop.alter({"id": "INT", "v": "VARCHAR(9)"})
    shop.send("u", id=1, v="one")
    around(death_before("update"))
    shop.run(fails=True)
    around(let_all_run)
    shop.run()
    wanted = [
        {"id": 1, "v__v1": None, "v": "one"},
        {"id": 2, "v__v1": Decimal("1.50"), "v": "1.50"},
    ]
    assert shop.table() == wanted
    day = lake_rows(lake.catalog, "daily.shop__t", ["id"], EqualTo("ds", "2026-01-01"))
    assert [day[key] for key in sorted(day)] == wanted
    shop.alter({"id": "INT", "v": "INT"})
    shop.send("u", id=1, v=7)
    shop.run()
    assert shop.table()[0] == {"id": 1, "v__v1": None, "v": "7"}


@pytest.mark.parametrize("version", [2, 3] if DEEP else [2])
@whole_only
def test_days_and_logs_follow(lake: Lake, version: int) -> None:
    """Cases 54-58, 67, 74: a day that is written again starts from rows with other columns."""
    shop = ChangingShop(lake)
    shop.configure(f"format_version={version}")
    shop.write_daily("t", "2025-12-30", "2026-01-02")
    shop.write("models/log/log_shop__t.sql", LOG)
    shop.alter({"id": "INT", "n": "INT", "old": "VARCHAR(9)", "gone": "INT"})
    shop.send("c", id=1, n=1, old="one", gone=1)
    shop.send("c", id=2, n=2, old="two", gone=2)
    shop.run()
    shop.time += DAY
    shop.declare(new={"config": {"meta": {"renamed_from": "old"}}})
    shop.alter({"id": "BIGINT", "added": "INT", "new": "VARCHAR(9)", "n": "BIGINT"}, added="7")
    shop.send("u", id=2, added=None, new="2", n=2**40)
    shop.run()
    shop.time -= DAY
    shop.send("c", place=1, id=3, n=3, old="late", gone=3)
    shop.run()
    day = lake_rows(lake.catalog, "daily.shop__t", ["id"], EqualTo("ds", "2026-01-01"))
    assert [day[key] for key in sorted(day)] == [
        {"id": 1, "n": 1, "new": "one", "gone": 1, "added": 7},
        {"id": 2, "n": 2, "new": "two", "gone": 2, "added": 7},
        {"id": 3, "n": 3, "new": "late", "gone": 3, "added": 7},
    ]
    log = lake.catalog.load_table("log.shop__t").scan().to_arrow().to_pylist()
    names = ("id", "n", "new", "gone", "added")
    assert sorted((tuple(row[name] for name in names) for row in log), key=repr) == [
        (1, 1, "one", 1, None),
        (2, 1099511627776, "2", None, None),
        (2, 2, "two", 2, None),
        (3, 3, "late", 3, 7),
    ]
