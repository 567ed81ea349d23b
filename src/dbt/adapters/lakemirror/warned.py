"""What models have warned of in an invocation, until its end counts it."""

from collections import defaultdict


class Warned:
    """The warnings of each model. Threads run different models, so none writes another's list."""

    def __init__(self) -> None:
        self._lines: dict[str, list[str]] = defaultdict(list)

    def add(self, unique_id: str, line: str) -> None:
        """Keep a warning of a model; one that it repeats is one."""
        if line not in self._lines[unique_id]:
            self._lines[unique_id].append(line)

    def of(self, unique_id: str) -> list[str]:
        """What a model has warned of."""
        return self._lines.get(unique_id, [])
