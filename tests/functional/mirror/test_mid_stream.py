"""A recorded table whose schema changes seven times, with a run after each statement.

Cases 54-57, 61; F17. The source's state in between is not recorded: its statements are applied here
to the rows of its events. At the end the rows are the recorded final state.
"""

import base64
import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from support.depth import deep_only
from support.lake import Lake
from support.mirror_project import MirrorProject
from support.recordings import feed, read
from support.source_state import FIXTURES, assert_same, differences

CONFIG = "on_type_conflict='new_column'"
RENAMED = {"config": {"meta": {"renamed_from": "b"}}}
FINAL = {
    **{"nn": "varchar(8)", "id": "int", "c": "varchar(20)", "a": "bigint", "label": "varchar(10)"},
    "d": "decimal(20,4)",
}
Row = dict[str, Any]
Table = dict[int, Row]


def position(source: Row) -> tuple[str, int]:
    return source["file"], source["pos"]


def parts() -> Iterator[tuple[list[str], Row, list[Row]]]:
    """A statement with the changes that follow it, in the binlog's order: as sent, and read."""
    found = []
    for line in read(FIXTURES / "mariadb/plain.jsonl.gz"):
        record = json.loads(line)
        value = json.loads(record["value"] or "{}")
        if record["topic"] == "shop" and " evolve" in value["ddl"].replace("`", ""):
            tables = [change["table"] for change in value["tableChanges"] if change["table"]]
            found += [(position(value["source"]), 0, line, table) for table in tables]
        elif record["topic"] == "shop.shop.evolve":
            found.append((position(value["source"]), 1, line, value))
    part: tuple[list[str], Row, list[Row]] | None = None
    for _, is_change, line, value in sorted(found, key=lambda record: record[:2]):
        if not is_change:
            if part:
                yield part
            part = [], value, []
        assert part, "a statement comes first"
        part[0].append(line)
        if is_change:
            part[2].append(value)
    assert part
    yield part


def altered(rows: Table, before: Row, after: Row) -> Table:
    """What an ALTER does to the rows that are there."""
    old = {column["name"]: column for column in before.get("columns", [])}
    new = {column["name"]: column for column in after["columns"]}
    gone, come = [n for n in old if n not in new], [n for n in new if n not in old]
    renamed = dict(zip(come, gone, strict=True)) if len(gone) == len(come) else {}
    return {
        key: {
            name: row[renamed.get(name, name)]
            if renamed.get(name, name) in row
            else default(column)
            for name, column in new.items()
        }
        for key, row in rows.items()
    }


def default(column: Row) -> Any:
    text = column.get("defaultValueExpression")
    return int(text) if text and column["typeExpression"] == "INT" else text


@deep_only
def test_a_run_after_each_statement(lake: Lake) -> None:
    project = MirrorProject(lake, "shop", "mariadb", {"evolve": ("id int", ["id"])}, declares={})
    project.write_mirror("evolve", CONFIG)
    rows: Table = {}
    schema: Row = {}
    seen = 0
    for lines, table, changes in parts():
        rows, schema = altered(rows, schema, table), table
        if "label" in {column["name"] for column in table["columns"]}:
            project.declare(label=RENAMED)
        for change in changes:
            rows[change["after"]["id"]] = change["after"]
        feed(lake, lines)
        project.dbt("run")
        expected = {(key,): plain(row) for key, row in rows.items()}
        assert_same(f"after {seen} statements", differences(expected, mirrored(project, schema)))
        seen += 1
    assert seen == 8
    project.tables["evolve"] = FINAL, ["id"]
    [expected] = project.expected("mariadb/plain.state_final.jsonl.gz").values()
    expected[(5,)]["d"] = Decimal(5)  # a null, which the converter sent as the default
    assert_same("the end", differences(expected, mirrored(project, schema)))


def plain(row: Row) -> Row:
    """An event's row with its number as a decimal, which is sent as bytes."""
    number = row.get("d")
    if isinstance(number, str):
        number = Decimal(int.from_bytes(base64.b64decode(number), "big")).scaleb(-4)
    return row | ({"d": Decimal(number)} if number is not None else {})


def mirrored(project: MirrorProject, schema: Row) -> dict[tuple[int], Row]:
    """The mirror's rows, by the columns that the source has now.

    A column that has another type now has two: a value is in the newer one if its row was written
    since. Of one that went and came back, only the newer one counts.
    """
    found = {}
    for key, row in project.rows("evolve").items():
        newer = {"c": row.get("c__v2", row.get("c")), "d": row.get("d__v2")}
        row |= {"c": newer["c"], "d": row.get("d") if newer["d"] is None else newer["d"]}
        found[key] = plain({column["name"]: row[column["name"]] for column in schema["columns"]})
    return found


def assert_final(project: MirrorProject, columns: dict[str, str], dump: str) -> None:
    """The mirror has the recorded final state; columns beside it are of former types."""
    project.tables["evolve"] = columns, ["id"]
    [expected] = project.expected(dump).values()
    expected[(5,)]["d"] = Decimal("5.0000")  # a null, which the converter sent as the default
    found = {k: {n: row[n] for n in columns} for k, row in project.rows("evolve").items()}
    assert_same("the end", differences(expected, found))


def test_one_run_after_all_statements(lake: Lake) -> None:
    """Rows that were never written again have what the statements made of them."""
    project = MirrorProject(lake, "shop", "mariadb", {"evolve": ("id int", ["id"])}, declares={})
    project.declare(label=RENAMED)
    feed(lake, [line for lines, _, _ in parts() for line in lines])
    project.dbt("run")
    assert_final(project, FINAL, "mariadb/plain.state_final.jsonl.gz")


def test_one_run_by_connect_schemas(lake: Lake) -> None:
    """PostgreSQL tells no statements: each record has its own schema."""
    table = {"evolve": ("id int", ["id"])}
    project = MirrorProject(lake, "public", "postgresql", table, declares={})
    project.declare(label=RENAMED)
    records = read(FIXTURES / "postgres/schemas.jsonl.gz")
    feed(lake, [line for line in records if json.loads(line)["topic"].endswith(".evolve")])
    project.dbt("run")
    columns = FINAL | {"d": "numeric(20,4)"}
    assert_final(project, columns, "postgres/schemas.state_final.jsonl.gz")
