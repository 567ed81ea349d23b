"""What Prometheus is told of a lake."""

import re
from dataclasses import replace

from lakemirror.cli.monitor import exposition
from support.right_lake import DAILY, DAY, WELL, with_audit, with_mirror

SAMPLE = (
    r'lakemirror_[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? \S+'
)


def samples(status):
    text = exposition(status)
    assert text.endswith("\n")
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_each_line_is_a_sample_of_a_gauge():
    status = with_mirror(table='t"\n\\')
    assert [line for line in samples(status) if not re.fullmatch(SAMPLE, line)] == []
    assert 'lakemirror_rows{table="t\\"\\n\\\\"} 7' in samples(status)
    names = re.findall(r"# TYPE (\S+) gauge\n", exposition(status))
    assert len(names) == len({*names})
    assert {line.partition("{")[0].partition(" ")[0] for line in samples(status)} == {*names}


def test_the_light_is_one_of_its_colours():
    red = [line for line in samples(with_audit(open_findings=2)) if "light" in line]
    assert red == [
        'lakemirror_light{colour="red"} 1',
        'lakemirror_light{colour="yellow"} 0',
        'lakemirror_light{colour="green"} 0',
        'lakemirror_light{colour="grey"} 0',
    ]


def test_days_and_what_nobody_knows():
    """A value that is not known has no sample: no gauge says 0 for it."""
    found = samples(replace(WELL, daily=[replace(DAILY, missing=[DAY])]))
    assert 'lakemirror_days{table="daily.shop__t",state="missing"} 1' in found
    assert 'lakemirror_days{table="daily.shop__t",state="late"} 0' in found
    unread = samples(with_mirror(rows=None, problem="gone"))
    assert 'lakemirror_unreadable{table="mirror.shop__t"} 1' in unread
    assert not any(line.startswith("lakemirror_rows") for line in unread)
