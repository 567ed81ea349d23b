"""What an audit says of a finding."""

import pytest

from lakemirror.cli.audit import finding_line
from lakemirror.state.audits import Finding

SIDES = ("the mirror", "the source")


@pytest.mark.parametrize(
    ("kind", "column", "values", "said"),
    [
        ("lost", None, (None, '{"id":5}'), 'lost: the mirror has nothing, the source {"id":5}'),
        ("added", None, ('{"id":5}', None), 'added: the mirror has {"id":5}, the source nothing'),
        ("changed", "v", ("", " "), 'changed v: the mirror has "", the source " "'),
        ("lost", None, ("2", "3"), "2 of 3 changes have landed"),  # of a transaction
    ],
)
def test_a_finding_is_a_line(kind, column, values, said):
    found = Finding("a1", "mirror_t", kind, '{"id":5}', "", column, *values)
    assert finding_line(found, SIDES) == f'mirror_t {{"id":5}}: {said}'
