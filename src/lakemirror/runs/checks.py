"""What a setting may be, and what is said of one that is not."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import field
from difflib import get_close_matches
from typing import Any

UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


def choice(*values: Any) -> Any:
    """A setting with a few values, the default first."""
    return field(default=values[0], metadata={"choices": values})


def number(default: int | None, least: int, of: str) -> Any:
    """A setting that is a whole number from ``least`` on; None only where that is its default."""
    return field(default=default, metadata={"least": least, "of": of})


def percent(default: float) -> Any:
    """A setting that is a number from 0 to 100."""
    return field(default=default, metadata={"percent": True})


def duration(default: str, least: str = "0s") -> Any:
    """A setting that is a text such as 90s, 15m, 2h or 3d, and none that is shorter."""
    return field(default=default, metadata={"duration": least})


def seconds_of(text: Any) -> int | None:
    """The seconds of a duration; None where it is none.

    >>> seconds_of("15m"), seconds_of("3 days")
    (900, None)
    """
    found = re.fullmatch(r"(\d{1,9})([smhd])", str(text))
    return int(found[1]) * UNITS[found[2]] if found else None


def duration_problems(name: str, value: Any, least: str) -> list[str]:
    """What is wrong with a duration."""
    seconds = seconds_of(value)
    if seconds is None:
        return [f"{name}: a duration such as 90s, 15m, 2h or 3d is expected, and not {value}"]
    if seconds < (seconds_of(least) or 0):
        return [f"{name}: {least} is the least, and not {value}"]
    return []


def problems_of(name: str, value: Any, default: Any, metadata: Mapping[str, Any]) -> list[str]:
    """What is wrong with the value of a setting."""
    choices, least = metadata.get("choices"), metadata.get("least")
    if choices and value not in choices:
        return [f"{name}: {' or '.join(map(str, choices))} is expected, and not {value}"]
    if metadata.get("percent"):
        is_percent = isinstance(value, int | float) and not isinstance(value, bool)
        is_right = is_percent and 0 <= value <= 100
        return [] if is_right else [f"{name}: a number from 0 to 100 is expected, and not {value}"]
    if "duration" in metadata:
        return duration_problems(name, value, metadata["duration"])
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if least is not None and value != default and not (is_number and value >= least):
        return [f"{name}: {metadata['of']} is expected, and not {value}"]
    return []


def unknown_problems(unknown: Iterable[str], known: Iterable[str], what: str) -> list[str]:
    """A problem for each name that nobody knows, with the one that may be meant.

    >>> unknown_problems(["bucket"], ["buckets"], "a mirror")
    ['bucket: a mirror has no such configuration; did you mean buckets?']
    """
    candidates = sorted(known)
    problems = []
    for name in sorted(unknown):
        close = get_close_matches(name, candidates, n=1)
        hint = f"did you mean {close[0]}?" if close else "what is no configuration goes under meta"
        problems.append(f"{name}: {what} has no such configuration; {hint}")
    return problems
