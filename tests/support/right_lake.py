"""The status of a lake with one of each thing, in which nothing is wrong."""

from dataclasses import replace
from datetime import UTC, date, datetime
from typing import Any

from lakemirror.cli.proven import Proof
from lakemirror.cli.status import Daily, Mirror, Source, Status
from lakemirror.state.commits import Events

NOW = datetime(2026, 2, 1, tzinfo=UTC)
DAY = (date(2026, 1, 30), date(2026, 1, 30))
PROVEN = Proof(16, 16, NOW, NOW)
MIRROR = Mirror(
    *("mirror.shop__t", "mirror_shop__t", 7, NOW, 60.0, Events(), None, None, 0),
    audit=PROVEN,
)
SOURCE = Source("shop", 1, NOW, 60.0, "heartbeats", 0)
DAILY = Daily("daily.shop__t", [DAY], [])
WELL = Status(NOW, [SOURCE], [MIRROR], [DAILY], [], [], {})


def with_mirror(**changes: Any) -> Status:
    """It with another mirror."""
    return replace(WELL, mirrors=[replace(MIRROR, **changes)])


def with_audit(**changes: Any) -> Status:
    """It with other audits of its mirror."""
    return with_mirror(audit=replace(PROVEN, **changes))
