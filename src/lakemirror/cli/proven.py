"""How proven a mirror is: what its audits have covered, and which of their findings stand."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from lakemirror.state.audits import Audited, Finding, all_audits, all_findings

AFTER = "_after"  # what the id of a repair's second audit ends with


@dataclass(frozen=True)
class Proof:
    """What the audits of a mirror say together.

    Attributes:
        parts: of how many parts its keys are, by the newest audit; None where it has none.
        parts_covered: how many of them were audited.
        covered_since: each key was audited at this time (UTC) or later; None where not all were.
        last_audited_at: UTC.
        open_findings: differences that no later audit of the same keys has found to be gone.
        of_source: those of them that were found against the source, and not against the log.
        unjudged: keys that the newest audit of each part could not judge.
        problem: why the newest audit against the log could judge nothing; None where it could.
    """

    parts: int | None = None
    parts_covered: int = 0
    covered_since: datetime | None = None
    last_audited_at: datetime | None = None
    open_findings: int = 0
    of_source: int = 0
    unjudged: int = 0
    problem: str | None = None


UNPROVEN = Proof()


def proofs(catalog: Any) -> dict[str, Proof]:
    """How proven each model is that was audited. What was not published is nothing of it."""
    audits, findings = defaultdict[str, list[Audited]](list), defaultdict[str, list[Finding]](list)
    for audit in all_audits(catalog):
        if not audit.is_of_branch:
            audits[audit.model].append(audit)
    if any(audit.findings for found in audits.values() for audit in found):
        for finding in all_findings(catalog):
            findings[finding.model].append(finding)
    return {model: proof_of(found, findings[model]) for model, found in audits.items()}


def unlanded(catalog: Any) -> dict[str, int]:
    """Of how many ended transactions changes are lacking, by raw table: what its newest audit has
    found, if it has."""
    of_transactions = [audit for audit in all_audits(catalog) if audit.is_of_transactions]
    ordered = sorted(of_transactions, key=lambda audit: audit.audited_at)
    newest = {audit.model: audit.findings for audit in ordered}
    return {table: number for table, number in sorted(newest.items()) if number}


def proof_of(audits: Iterable[Audited], findings: Sequence[Finding]) -> Proof:
    """How proven a mirror is.

    Args:
        audits: all of one mirror.
        findings: what is kept of their findings.
    """
    ordered = sorted(audits, key=lambda audit: audit.audited_at)
    of_log = [audit for audit in ordered if not audit.is_of_source]
    whole = [audit for audit in of_log if audit.parts and audit.keys is not None]
    newest = whole[-1].parts if whole else None
    covered = covered_at(whole)
    standings = [
        standing(audit, alike(audit, ordered[n + 1 :]), findings) for n, audit in enumerate(ordered)
    ]
    return Proof(
        parts=newest,
        parts_covered=len({audit.part for audit in whole if audit.parts == newest}),
        covered_since=covered,
        last_audited_at=ordered[-1].audited_at,
        open_findings=sum(standings),
        of_source=sum(
            count for audit, count in zip(ordered, standings, strict=True) if audit.is_of_source
        ),
        unjudged=sum(newest_of_parts(whole).values()) if whole else ordered[-1].unjudged,
        problem=problem_of(of_log),
    )


def newest_of_parts(whole: Sequence[Audited]) -> dict[int | None, int]:
    """How many keys could not be judged, by the part; by the newest audit of each."""
    return {audit.part: audit.unjudged for audit in whole if audit.parts == whole[-1].parts}


def problem_of(of_log: Sequence[Audited]) -> str | None:
    """Why the newest audit of keys of a mirror has judged nothing."""
    if not of_log or not of_log[-1].proves_nothing:
        return None
    return of_log[-1].notes or "it does not say why"


def covered_at(audits: Sequence[Audited]) -> datetime | None:
    """Since when each key was audited: the newest such time of any number of parts."""
    newest: dict[int, dict[int, datetime]] = defaultdict(dict)
    for audit in audits:
        if audit.parts is not None and audit.part is not None:
            newest[audit.parts][audit.part] = audit.audited_at
    whole = [min(times.values()) for parts, times in newest.items() if len(times) == parts]
    return max(whole, default=None)


def standing(audit: Audited, later: Sequence[Audited], findings: Sequence[Finding]) -> int:
    """How many findings of an audit stand by it alone: a later one of the same keys finds again
    what is still there, as a repair does with the keys that it puts right."""
    is_over = any(is_covering(other, audit) for other in later)
    if not audit.findings or is_over or covered_at(comparing(later)) is not None:
        return 0
    mine = [each for each in findings if each.audit_id == audit.audit_id]
    ids = {other.audit_id for other in later}
    again = {each.unique_key for each in findings if each.audit_id in ids}
    return audit.findings - sum(each.unique_key in again for each in mine)


def alike(audit: Audited, later: Sequence[Audited]) -> list[Audited]:
    """The later audits against the same: what the log tells is no word about the source."""
    return [other for other in later if other.against == audit.against]


def comparing(audits: Sequence[Audited]) -> list[Audited]:
    """Those that have judged all keys of theirs."""
    return [audit for audit in audits if audit.keys is not None and not audit.unjudged]


def is_covering(later: Audited, audit: Audited) -> bool:
    """Whether a later audit has judged all keys that one has: all, or the same part. Of what it
    could not judge nobody knows whether it is right again."""
    is_same = later.part is not None and (later.part, later.parts) == (audit.part, audit.parts)
    is_second = later.audit_id == audit.audit_id + AFTER
    is_whole = later.keys is not None and not later.unjudged
    return is_whole and (is_same or later.parts == 1 or is_second)
