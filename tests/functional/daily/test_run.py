"""A run of a daily table: what it asks, a death in the middle of it, and another run's commits.

Cases 69, 74; F35, F48.
"""

from collections.abc import Callable

import pytest

from support.deaths import DEATHS, Hook, death_after, let_all_run
from support.depth import whole_only
from support.lake import Lake, messages
from support.one_table import Shop
from support.statements import Statements
from support.templates import copied

DAILY = "daily.shop__t"
NAMES = r"(?:daily|mirror|raw|ops)[.]\w+(?:[.]\w+)?"

READ = ["metadata mirror.shop__t", "metadata raw.shop__t", "select ops.watermark_shop"]
TOMBSTONES = ["metadata mirror.shop__t__tombstones"]
BRANCH = "alter table daily.shop__t"
DAY = ["insert daily.shop__t.branch_of_run", "call daily.shop__t"]
FIRST = [
    *(*READ, "with raw.shop__t", "with raw.shop__t"),
    *("create table daily.shop__t", *TOMBSTONES, "select mirror.shop__t", "select raw.shop__t"),
    *(BRANCH, "metadata daily.shop__t", *DAY, *DAY, *DAY, BRANCH),
]
PLANNED = [
    *("metadata daily.shop__t", *READ),
    *("select daily.shop__t.partitions", "select raw.shop__t", *TOMBSTONES),
    *("select mirror.shop__t", "with raw.shop__t", "select raw.shop__t"),
]
TOLD = ["with daily.shop__t.branch_of_run", "insert ops.late_events"]


def four_days(lake: Lake) -> Shop:
    """A mirror with a commit for each of four days in January."""
    made = Shop(lake)
    made.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-04")
    for day in range(1, 5):
        made.deliver((10 * day, day, "c", day))
    return made


@pytest.fixture
def shop(lake: Lake) -> Shop:
    return copied(lake, four_days)


def publish(shop: Shop, fails: bool | None = False) -> str:
    return messages(shop.dbt("run", "--select", "watermark_shop", "daily_shop__t", fails=fails))


def days(lake: Lake) -> dict[str, list[int]]:
    rows = lake.catalog.load_table(DAILY).scan().to_arrow().to_pylist()
    found: dict[str, list[int]] = {}
    for row in sorted(rows, key=lambda row: (row["ds"], row["id"])):
        found.setdefault(row["ds"].isoformat(), []).append(row["id"])
    return found


def test_three_days_are_planned_at_once(
    shop: Shop, statements: Statements, record_property: Callable[[str, object], None]
) -> None:
    """Each has a base of its own in the mirror, and adds its own commit alone."""
    model = ("daily_shop__t", NAMES)
    statements.clear()
    publish(shop)
    first = statements.of_model(*model)
    assert first == FIRST
    assert len(first) <= 19

    for day in (5, 6, 7):
        shop.deliver((10 * day, day, "c", day))
    shop.write_daily("t", heard_from="2026-01-01", complete_until="2026-01-07")
    statements.clear()
    publish(shop)
    later = statements.of_model(*model)
    assert later == [*PLANNED, BRANCH, *DAY, *DAY, *DAY, BRANCH]
    record_property("statements of three days of one daily table", len(later))
    assert len(later) <= 19

    shop.deliver((41, 4, "c", 41))
    statements.clear()
    publish(shop)
    again = [*DAY, *TOLD]
    assert statements.of_model(*model) == [
        *(*PLANNED, "create table ops.late_events", BRANCH),
        *(*DAY, "select daily.shop__t", *TOLD, *again, *again, BRANCH),
    ]
    assert [days(shop.lake)[f"2026-01-0{day}"] for day in (3, 4, 6)] == [
        [1, 2, 3],
        [1, 2, 3, 4, 41],
        [1, 2, 3, 4, 5, 6, 41],
    ]


@pytest.mark.parametrize(
    ("moment", "published"),
    [
        ("create or replace branch", []),
        pytest.param("ds = date '2026-01-02'", ["2026-01-01"], marks=whole_only),
    ],
)
def test_another_run_commits_meanwhile(
    shop: Shop,
    around: Callable[[Hook], None],
    sql: Callable[[str], None],
    moment: str,
    published: list[str],
) -> None:
    """F35: it may know of later changes. What is planned already is refused, from then on."""
    for is_new in (True, False):
        others: list[str] = []

        def commit(statement: str, run: Callable[[], None], others: list[str] = others) -> None:
            if moment in statement and DAILY in statement and not others:
                others.append(statement)
                sql(f"insert into {DAILY} select * from {DAILY} where false")
            run()

        around(commit)
        assert "another run has committed" in publish(shop, fails=True)
        assert len(others) == 1
        around(let_all_run)
        if is_new:
            assert list(days(shop.lake)) == published
            publish(shop)
            shop.deliver((5, 1, "c", 9))  # late for all of them
    expected = {"2026-01-01": [1], "2026-01-02": [1, 2], "2026-01-03": [1, 2, 3]}
    written = {day: [*keys, 9] if day in published else keys for day, keys in expected.items()}
    assert days(shop.lake) == written
    publish(shop)
    assert days(shop.lake) == {day: [*keys, 9] for day, keys in expected.items()}
    refs = shop.lake.catalog.load_table(DAILY).metadata.refs
    assert [*refs] == ["main"]


def test_a_run_may_die_after_any_statement(shop: Shop, around: Callable[[Hook], None]) -> None:
    """F32: what is published stays, and no day lacks what the bookmark says that it has."""
    publish(shop)
    expected = days(shop.lake)
    deaths = 0
    for point in DEATHS:
        shop.deliver((11 + point, 1, "c", 10 + point))
        expected = {day: [*keys, 10 + point] for day, keys in expected.items()}
        written: list[str] = []
        around(death_after(point, written))
        publish(shop, fails=None)
        around(let_all_run)
        if len(written) < point:
            break
        deaths += 1
        publish(shop)
        assert days(shop.lake) == expected, f"after a death behind {written[-1:]}"
    assert deaths > 8 / DEATHS.step
    assert days(shop.lake) == expected
