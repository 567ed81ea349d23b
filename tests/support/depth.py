"""How deep a run of the tests goes: LAKEMIRROR_DEPTH is ``whole`` in ``make whole``, and ``deep``
in ``make converge``."""

import os

import pytest

DEEP = os.environ.get("LAKEMIRROR_DEPTH") == "deep"  # every variant and every number of batches
WHOLE = DEEP or os.environ.get("LAKEMIRROR_DEPTH") == "whole"  # every test, of a few variants
# few rows in many queries: it is interpreted each day, and compiled when it is deep
compiled_when_deep = [pytest.mark.compiled] if DEEP else []
# what another test proves too, by another way
deep_only = pytest.mark.skipif(not DEEP, reason="in make converge")
# what takes long, and whose parts have tests of their own
whole_only = pytest.mark.skipif(not WHOLE, reason="in make whole")
