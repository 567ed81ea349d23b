"""Whether a lake is right: one colour and one sentence, which say what is wrong, if anything is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from lakemirror.cli.errors import some

if TYPE_CHECKING:
    from lakemirror.cli.status import Status

RED, YELLOW, GREEN, GREY = "red", "yellow", "green", "grey"
STALE = timedelta(days=2)  # as the sources' files that generate writes warn
NAMED = 3  # reasons that the sentence names


@dataclass(frozen=True)
class Reason:
    """Why a light is not green: its colour, and what is wrong as a part of a sentence."""

    colour: str
    text: str


@dataclass(frozen=True)
class Light:
    """What a lake is like as a whole.

    Attributes:
        colour: red where something is wrong, yellow where somebody has to look, green where
            nothing is known to be wrong, grey where there is nothing yet.
        sentence: names the colour, and what is wrong.
        reasons: all of them, the worst first.
    """

    colour: str
    sentence: str
    reasons: Sequence[Reason] = ()


def light_of(status: "Status") -> Light:
    """The light of a lake: one red reason makes it red."""
    reasons = [*reds(status), *yellows(status)]
    if reasons:
        colour = reasons[0].colour
        texts = [reason.text for reason in reasons if reason.colour == colour]
        named, rest = texts[:NAMED], len(reasons) - min(len(texts), NAMED)
        more = [f"{rest} more"] if rest else []
        return Light(colour, f"{colour.capitalize()}: {'; '.join([*named, *more])}.", reasons)
    if not status.mirrors:
        return Light(GREY, "Grey: there is no mirror yet.")
    return Light(GREEN, f"Green: {'; '.join(rights(status))}.")


def reds(status: "Status") -> Iterator[Reason]:
    """What is wrong: a table that nobody can read, a wrong row, a failed run, a missing day."""
    for problem in status.problems:
        yield Reason(RED, problem)
    for table, count in status.unlanded.items():
        yield Reason(RED, f"changes of {numbered(count, 'transaction')} have not landed ({table})")
    for mirror in status.mirrors:
        of_source = mirror.audit.of_source
        for count, other in (
            (mirror.audit.open_findings - of_source, "the log"),
            (of_source, "its source"),
        ):
            if count:
                said = numbered(count, "difference")
                yield Reason(RED, f"{mirror.table} differs from {other} ({said})")
    for model, said in status.failed.items():
        became = "was skipped" if said == "skipped" else "has failed"
        yield Reason(RED, f"the last run of {model} {became}")
    for daily in status.daily:
        if daily.missing:
            days = sum((last - first).days + 1 for first, last in daily.missing)
            since = daily.missing[0][0]
            yield Reason(RED, f"{daily.table} lacks {numbered(days, 'day')} ({since} first)")


def yellows(status: "Status") -> Iterator[Reason]:
    """What somebody has to look at."""
    for source in status.sources:
        if source.proof and source.complete_until is None:
            yield Reason(YELLOW, f"a shard of {source.source} was never heard")
        if source.lag_seconds is not None and source.lag_seconds > STALE.total_seconds():
            days = int(source.lag_seconds // 86_400)
            yield Reason(YELLOW, f"{source.source} was heard {numbered(days, 'day')} ago")
    for daily in status.daily:
        for first, last in daily.late:
            days = (last - first).days + 1
            yield Reason(YELLOW, f"{daily.table} is late by {numbered(days, 'day')}")
    for model, count in status.quarantine.items():
        yield Reason(YELLOW, f"{numbered(count, 'record')} of {model} in quarantine")
    for model, count in status.conflicts.items():
        yield Reason(YELLOW, f"{numbered(count, 'new order conflict')} of {model}")
    for mirror in status.mirrors:
        if mirror.held is not None:
            yield Reason(YELLOW, f"{mirror.table} is held at {mirror.held} since a rollback")
        if mirror.waiting_since and status.at - mirror.waiting_since > STALE:
            days = (status.at - mirror.waiting_since).days
            said = f"{mirror.table} has not read what landed {numbered(days, 'day')} ago"
            yield Reason(YELLOW, said)
        if mirror.audit.problem:
            said = f"the last audit of {mirror.table} has judged nothing ({mirror.audit.problem})"
            yield Reason(YELLOW, said)
        if mirror.foreign_commits:
            commits = numbered(mirror.foreign_commits, "commit")
            yield Reason(YELLOW, f"{commits} of others on {mirror.table}, not audited since")
        if mirror.audit.unjudged:
            keys = numbered(mirror.audit.unjudged, "key")
            yield Reason(YELLOW, f"the audit could not judge {keys} of {mirror.table}")


def rights(status: "Status") -> Iterator[str]:
    """What a green light stands on, and what it does not know."""
    yield f"{numbered(len(status.mirrors), 'mirror or log', 'mirrors and logs')}"
    heard = [source.complete_until for source in status.sources if source.complete_until]
    if heard:
        yield f"complete until {min(heard):%F %T} UTC"
    unheard = [source.source for source in status.sources if not source.proof]
    if unheard:
        yield f"nobody hears how far these are: {some(unheard)}"
    mirrors = [mirror for mirror in status.mirrors if mirror.kind == "mirror"]
    unproven = [mirror.table for mirror in mirrors if mirror.audit.covered_since is None]
    if unproven:
        yield f"not audited as a whole: {some(unproven)}"
    elif mirrors:
        yield "all mirrors equal the log"


def numbered(count: int, one: str, many: str = "") -> str:
    """A number with what it counts.

    >>> numbered(1, "day"), numbered(2_000, "day")
    ('1 day', '2,000 days')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"
