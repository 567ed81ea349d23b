"""What the audits of a mirror say together, and which of their findings stand."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from lakemirror.cli.proven import proof_of
from lakemirror.state.audits import Audited, Finding

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)


def audited(hour, part=0, parts=1, findings=0, audit_id=None, keys=9, unjudged=0):
    at = NOON + timedelta(hours=hour)
    return Audited(
        *(audit_id or f"a{hour}", "mirror_shop__t", at, 1, 1, part, parts, keys),
        *(findings, unjudged, None, 1.0),
    )


def of_source(*arguments, **keywords):
    return replace(audited(*arguments, **keywords), against="source")


def found(audit_id, key=1):
    return Finding(audit_id, "mirror_shop__t", "changed", f'{{"id":{key}}}', "0,1,1", "v", "1", "2")


def test_all_parts_are_needed():
    half = proof_of([audited(0, 0, 2)], [])
    assert (half.parts, half.parts_covered, half.covered_since) == (2, 1, None)
    both = proof_of([audited(0, 0, 2), audited(2, 1, 2), audited(4, 0, 2)], [])
    assert (both.parts_covered, both.covered_since) == (2, NOON + timedelta(hours=2))
    assert both.last_audited_at == NOON + timedelta(hours=4)


def test_another_number_of_parts_begins_anew_but_forgets_nothing():
    proof = proof_of([audited(0), audited(1, 0, 4)], [])
    assert (proof.parts, proof.parts_covered, proof.covered_since) == (4, 1, NOON)


def test_an_audit_that_could_judge_nothing_covers_nothing():
    proof = proof_of([audited(0, keys=None, unjudged=3)], [])
    assert (proof.parts_covered, proof.covered_since, proof.unjudged) == (0, None, 3)
    assert proof.problem == "it does not say why"
    assert proof_of([audited(0, keys=None), audited(1)], []).problem is None


def test_what_one_part_could_not_judge_stays_until_it_is_judged():
    audits = [audited(0, 0, 2, unjudged=5), audited(1, 1, 2)]
    assert proof_of(audits, []).unjudged == 5
    assert proof_of([*audits, audited(2, 0, 2)], []).unjudged == 0


@pytest.mark.parametrize(
    ("later", "standing"),
    [
        ([], 2),
        ([audited(1, 1, 4)], 2),  # of other keys
        ([audited(1, 0, 4)], 0),  # of the same keys
        ([audited(1, 0, 4, findings=1)], 1),
        ([audited(1)], 0),  # of all
        ([audited(1, 0, 4, keys=None)], 2),
        ([audited(1, 0, 4, unjudged=1)], 2),  # nobody knows of which
        ([audited(1, unjudged=1)], 2),
        ([audited(1, 0, 2), audited(2, 1, 2)], 0),  # of all, in other parts
        ([audited(1, 0, 2)], 2),
        ([audited(1, None, None, audit_id="r", findings=1)], 2),  # a dry run of a repair
    ],
)
def test_a_finding_stands_until_its_keys_are_audited_again(later, standing):
    first = audited(0, 0, 4, findings=2)
    findings = [found("a0", 1), found("a0", 2)]
    findings += [found(each.audit_id, 1) for each in later if each.findings]
    proof = proof_of([first, *later], findings)
    assert proof.open_findings == standing


def test_a_repair_settles_its_keys_only():
    """It audits them before and after."""
    audits = [
        audited(0, 0, 4, findings=2),
        audited(1, None, None, 1, "r"),
        audited(2, None, None, 0, "r_after"),
    ]
    assert proof_of(audits, [found("a0", 1), found("a0", 2), found("r", 1)]).open_findings == 1
    left = [*audits[:2], audited(2, None, None, 1, "r_after")]
    findings = [found("a0", 1), found("a0", 2), found("r", 1), found("r_after", 1)]
    assert proof_of(left, findings).open_findings == 2


def test_what_the_log_says_is_no_word_about_the_source():
    findings = [found("a0")]
    first = of_source(0, findings=1)
    proof = proof_of([first, audited(1)], findings)
    assert (proof.open_findings, proof.of_source) == (1, 1)
    assert proof_of([first, of_source(1)], findings).open_findings == 0
    of_log = audited(0, findings=1)
    assert proof_of([of_log, of_source(1)], findings).open_findings == 1
    assert proof_of([of_log], findings).of_source == 0
    assert proof_of([of_source(0)], []).covered_since is None
