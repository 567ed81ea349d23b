"""Which light a lake has, and what its sentence names."""

from dataclasses import replace
from datetime import timedelta

import pytest

from lakemirror.cli.light import GREEN, GREY, RED, YELLOW, light_of
from lakemirror.cli.proven import Proof
from lakemirror.cli.status import Status
from support.right_lake import DAILY, DAY, NOW, SOURCE, WELL, with_audit, with_mirror

STATES = {
    "unreadable": (with_mirror(problem="The table t is gone"), RED, "The table t is gone"),
    "unreadable source": (
        replace(WELL, sources=[replace(SOURCE, problem="The watermark is gone")]),
        *(RED, "The watermark is gone"),
    ),
    "differs": (with_audit(open_findings=2), RED, "mirror.shop__t differs from the log (2 differ"),
    "differs from the source": (
        with_audit(open_findings=2, of_source=2),
        *(RED, "mirror.shop__t differs from its source (2 differences)"),
    ),
    "unlanded": (
        replace(WELL, unlanded={"raw.shop__connector_transaction": 2}),
        *(RED, "changes of 2 transactions have not landed (raw.shop__connector_transaction)"),
    ),
    "failed": (
        replace(WELL, failed={"mirror_shop__t": "error"}),
        *(RED, "the last run of mirror_shop__t has failed"),
    ),
    "skipped": (
        replace(WELL, failed={"mirror_shop__t": "skipped"}),
        *(RED, "the last run of mirror_shop__t was skipped"),
    ),
    "held": (
        with_mirror(held=7),
        *(YELLOW, "mirror.shop__t is held at 7 since a rollback"),
    ),
    "waiting": (
        with_mirror(waiting_since=NOW - timedelta(days=3)),
        *(YELLOW, "mirror.shop__t has not read what landed 3 days ago"),
    ),
    "judges nothing": (
        with_audit(problem="its bookmark has expired"),
        *(YELLOW, "the last audit of mirror.shop__t has judged nothing (its bookmark has expired)"),
    ),
    "missing": (
        replace(WELL, daily=[replace(DAILY, missing=[DAY])]),
        *(RED, "daily.shop__t lacks 1 day (2026-01-30 first)"),
    ),
    "late": (
        replace(WELL, daily=[replace(DAILY, late=[DAY])]),
        *(YELLOW, "daily.shop__t is late by 1 day"),
    ),
    "stale": (
        replace(WELL, sources=[replace(SOURCE, lag_seconds=3 * 86_400.0)]),
        *(YELLOW, "shop was heard 3 days ago"),
    ),
    "unheard": (
        replace(WELL, sources=[replace(SOURCE, complete_until=None, lag_seconds=None)]),
        *(YELLOW, "a shard of shop was never heard"),
    ),
    "quarantine": (
        replace(WELL, quarantine={"mirror_shop__t": 1}),
        *(YELLOW, "1 record of mirror_shop__t in quarantine"),
    ),
    "conflict": (
        replace(WELL, conflicts={"mirror_shop__t": 2}),
        *(YELLOW, "2 new order conflicts of mirror_shop__t"),
    ),
    "foreign": (
        with_mirror(foreign_commits=1),
        *(YELLOW, "1 commit of others on mirror.shop__t, not audited since"),
    ),
    "unjudged": (
        with_audit(unjudged=4),
        *(YELLOW, "the audit could not judge 4 keys of mirror.shop__t"),
    ),
}


@pytest.mark.parametrize("state", STATES)
def test_a_state_has_its_colour_and_its_name(state):
    status, colour, named = STATES[state]
    light = light_of(status)
    assert (light.colour, [reason.colour for reason in light.reasons]) == (colour, [colour])
    assert light.sentence.startswith(f"{colour.capitalize()}: {named}")
    assert light.sentence.endswith(".")
    assert status.code == (colour == RED)


@pytest.mark.parametrize("state", [state for state in STATES if STATES[state][1] == RED])
def test_red_wins(state):
    """Whatever else is yellow: the sentence names the red one, and counts the other."""
    red, _, named = STATES[state]
    light = light_of(replace(red, quarantine={"landing": 9}))
    assert light.colour == RED
    assert light.sentence.startswith(f"Red: {named}")
    assert light.sentence.endswith("; 1 more.")
    assert [reason.colour for reason in light.reasons] == [RED, YELLOW]


def test_many_reasons_are_counted():
    light = light_of(replace(WELL, quarantine=dict.fromkeys("abcde", 1)))
    assert light.sentence == (
        "Yellow: 1 record of a in quarantine; 1 record of b in quarantine; 1 record of c in "
        "quarantine; 2 more."
    )


def test_green_says_what_it_stands_on():
    light = light_of(WELL)
    assert (light.colour, light.sentence) == (
        GREEN,
        "Green: 1 mirror or log; complete until 2026-02-01 00:00:00 UTC; all mirrors equal the "
        "log.",
    )
    unheard = replace(WELL, sources=[replace(SOURCE, proof=None, complete_until=None)])
    assert "; nobody hears how far these are: shop; " in light_of(unheard).sentence
    assert light_of(with_mirror(waiting_since=NOW - timedelta(days=1))).colour == GREEN
    assert light_of(with_mirror(audit=Proof())).sentence.endswith(
        "; not audited as a whole: mirror.shop__t."
    )


def test_nothing_is_neither_right_nor_wrong():
    light = light_of(Status(NOW, [], [], [], [], [], {}))
    assert (light.colour, light.sentence) == (GREY, "Grey: there is no mirror yet.")
