"""How deep a run of the tests goes: ``make converge`` sets LAKEMIRROR_DEPTH."""

import os

import pytest

DEEP = os.environ.get("LAKEMIRROR_DEPTH") == "deep"  # every variant and every number of batches
# few rows in many queries: it is interpreted each day, and compiled when it is deep
compiled_when_deep = [pytest.mark.compiled] if DEEP else []
# what another test proves too, by another way
deep_only = pytest.mark.skipif(not DEEP, reason="in make converge")
