"""The facts of a lake with one of each thing, as its page has them."""

from dataclasses import replace
from datetime import UTC, date, datetime

from lakemirror.cli.proven import Proof
from lakemirror.cli.report import (
    DailyFacts,
    Day,
    Heard,
    Held,
    MirrorFacts,
    Report,
    RunOf,
    Size,
    SourceFacts,
    Spent,
)
from lakemirror.cli.status import Daily, Mirror, Run, Source, Status
from lakemirror.state.commits import Events

NOW = datetime(2026, 2, 1, 12, tzinfo=UTC)
RUNS = [
    RunOf(NOW, "success", 1.5, 2.25, 20, 11, 2, 3, 4, 0),
    RunOf(NOW, "error", 2.5, None, 0, 0, 0, 0, 0, 0),
    RunOf(NOW, "warn", 3.5, 6.5, 10, 9, 0, 0, 0, 1),
]
HEARD = [Heard(NOW, None, None), Heard(NOW, NOW, 30.0), Heard(NOW, NOW, 60.0)]
DAYS = [Day(date(2026, 1, 30), "published", 0), Day(date(2026, 1, 31), "restated", 17)]
DAYS += [Day(date(2026, 2, 1), "late", 0), Day(date(2026, 2, 2), "missing", 0)]


def lake(name="shop__orders"):
    """A report of a lake with one of each thing, of a name."""
    mirror = Mirror(
        *(f"mirror.{name}", f"mirror_{name}", 123_457, NOW, 61.0),
        *(Events(30_001, 20_002, 2_003, 3_004, 4_005, 987), None, Run(NOW, 3.5, "warn"), 1),
        *(None, "mirror", Proof(16, 9, None, NOW, 41, 5), 6),
    )
    daily = Daily(f"daily.{name}", [(date(2026, 1, 30), date(2026, 1, 31))], [])
    status = Status(
        *(NOW, [Source(name, 23, NOW, 61.0, "heartbeats", 1)], [mirror], [daily]),
        *([f"log_{name}"], [f"raw.{name}"], {f"mirror_{name}": 8}, {f"mirror_{name}": 7}),
    )
    held = Held(f"mirror_{name}", f"reason {name}", 8, NOW, NOW, [f"value {name}"])
    return Report(
        status,
        [SourceFacts(status.sources[0], HEARD)],
        [
            MirrorFacts(
                mirror, Size(1_500, 2_500_000, 96, 12, 61, NOW), RUNS, [Spent(NOW.date(), 7, 8.75)]
            )
        ],
        [DailyFacts(daily, DAYS)],
        [held],
        [replace(held, records=7)],
    )
