"""Random examples of a strategy, as a list."""

from typing import TypeVar

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

T = TypeVar("T")


def drawn(strategy: SearchStrategy[T], how_many: int, number: int) -> list[T]:
    """At most so many examples; the same ones for the same seed ``number``."""
    found: list[T] = []

    @seed(number)
    @settings(
        max_examples=how_many,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: T) -> None:
        found.append(example)

    collect()
    return found
