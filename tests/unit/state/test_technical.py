"""Which names of columns no source may have."""

import doctest
import re
from pathlib import Path

from lakemirror.state import technical
from lakemirror.state.technical import is_technical

MACROS = Path(__file__).parents[3] / "macros"


def test_the_examples():
    assert doctest.testmod(technical).failed == 0


def test_every_name_that_macros_make_is_technical():
    text = "".join(path.read_text(encoding="utf-8") for path in MACROS.rglob("*.sql"))
    made = {*re.findall(r"\bas `?(_\w+)", text)}
    assert len(made) > 20
    assert [name for name in sorted(made) if not is_technical(name)] == []
