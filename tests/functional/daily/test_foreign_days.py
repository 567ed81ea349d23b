"""Others have changed a daily table: each run says so, until it is right. G3."""

import json
from typing import Any

from pyiceberg.expressions import And, EqualTo

from support.lake import Lake, messages
from support.one_table import Shop

DAILY = "daily.shop__t"
SAID = f"others have changed {DAILY}"


def test_a_hand_that_changed_a_day(lake: Lake) -> None:
    shop = Shop(lake)

    def until(day: str, **config: Any) -> None:
        shop.write_daily("t", heard_from="2026-01-01", complete_until=day, keep_days=2, **config)

    def run(*arguments: str, fails: bool = False) -> str:
        models = ("watermark_shop", "daily_shop__t")
        return messages(shop.dbt("run", "--select", *models, *arguments, fails=fails)).replace(
            "`", ""
        )

    until("2026-01-04")
    shop.deliver((101, 1, "c", 1), (201, 2, "c", 2), (301, 3, "c", 3))
    assert SAID not in run("--vars", "{ds: 2026-01-01, ds_to: 2026-01-03}")
    given = {"model": "daily_shop__t", "dry_run": False}
    shop.dbt("run-operation", "prune_days", "--args", json.dumps(given))
    right = {"2026-01-02": [1, 2], "2026-01-03": [1, 2, 3]}
    assert shop.days() == right
    # what was pruned was nobody's foreign hand
    assert SAID not in run()

    hand = And(EqualTo("id", 1), EqualTo("ds", "2026-01-03"))
    lake.catalog.load_table(DAILY).delete(hand)
    until("2026-01-05", on_foreign_commit="fail")
    assert SAID in run(fails=True)
    assert "2026-01-04" not in shop.days()
    until("2026-01-05")
    assert SAID in run()
    assert shop.days()["2026-01-04"] == [1, 2, 3]
    assert "1 of before" in run()
    until("2026-01-05", on_foreign_commit="ignore")
    assert SAID not in run()
    until("2026-01-05")
    assert SAID not in run("--vars", "{replay: true}")
    assert shop.days()["2026-01-03"] == [1, 2, 3]
    assert SAID not in run()
