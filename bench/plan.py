"""Which cases are measured, and with which systems."""

from dataclasses import dataclass, field

from bench.data import Case

OURS, HAND, STOCK = "lakemirror", "hand-written MERGE", "dbt-spark merge"
OURS_COMET, HAND_COMET, STOCK_COMET = (f"{name}, Comet" for name in (OURS, HAND, STOCK))
RELOAD, MERGED = "full reload of JSON", "decode and merge"
DAY, COPY, HAND_COPY = "daily model", "copy of the mirror by hand", "copy of a hand's table"


@dataclass(frozen=True)
class Part:
    """A case with its systems; the first one is what the others are compared with.

    Attributes:
        idle: the systems that also run when there is nothing to do.
        once: those that read the whole log anyway, and are measured by its last batch alone.
    """

    title: str
    case: Case
    systems: list[str]
    idle: list[str] = field(default_factory=list)
    once: list[str] = field(default_factory=list)


SMOKE = [
    Part(
        "A small batch",
        Case(500_000, 5_000),
        [OURS, OURS_COMET, STOCK, STOCK_COMET, HAND, HAND_COMET, "Delta Lake", "floor"],
        idle=[OURS, STOCK],
    )
]

FULL = [
    Part(
        "One percent of 8 million rows",
        Case(8_000_000, 80_000, rounds=2),
        [OURS, STOCK, HAND, "Delta Lake", "full reload", "floor"],
        idle=[OURS, STOCK],
    ),
    Part(
        "Every way, and skewed keys",
        Case(1_000_000, 10_000, choice="skewed", rounds=2),
        [
            *(OURS, "lakemirror, staged", "lakemirror, no buckets", "lakemirror, copy-on-write"),
            *(HAND, "hand-written MERGE, copy-on-write", "Delta Lake, no deletion vectors"),
        ],
    ),
    Part(
        "Newest keys, of text",
        Case(1_000_000, 10_000, key="string", choice="recent", rounds=2),
        [OURS, HAND],
    ),
    Part("Keys of two columns", Case(1_000_000, 10_000, key="composite", rounds=2), [OURS, HAND]),
    Part(
        "Growth: 4 million rows",
        Case(4_000_000, 40_000, rounds=2),
        [OURS, OURS_COMET, HAND, HAND_COMET],
    ),
    Part(
        "Growth: 16 million rows",
        Case(16_000_000, 40_000, rounds=2, memory="4g", last_keys=800_000, is_json=True),
        [OURS, HAND, RELOAD],
        once=[RELOAD],
    ),
    Part("Ten rounds", Case(1_000_000, 10_000, rounds=10), [OURS, "lakemirror, v3", HAND]),
    Part(
        "An audit",
        Case(1_000_000, 10_000, rounds=2),
        [OURS, "audit of a part", "audit of all keys"],
    ),
    Part("Fifty changes", Case(1_000_000, 50, rounds=5), [OURS, HAND]),
    Part(
        "Debezium's JSON",
        Case(400_000, 400_000, rounds=2, events=5, is_json=True),
        [MERGED, f"{MERGED}, Comet", "decode and fold", "decode", "one from_json"],
    ),
    Part(
        "A day",
        Case(1_000_000, 10_000, rounds=2),
        [DAY, "cut", COPY, HAND_COPY],
    ),
]

# a driver of 2 GB, and more than it holds: what spills is shown
MEMORY = [Part("Memory", Case(32_000_000, 5_000_000, rounds=1, memory="2g"), [OURS])]

PLANS = {"smoke": SMOKE, "full": FULL, "memory": MEMORY}
