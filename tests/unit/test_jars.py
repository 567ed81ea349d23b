"""Jars, named as Maven does."""

import doctest

import pytest

from lakemirror import jars
from lakemirror.jars import CoordinateError, joined


def test_examples():
    assert doctest.testmod(jars).failed == 0


@pytest.mark.parametrize(
    "given",
    ["a:b", "a:b:1:2", "a b:c:1", "a:b:[1,2)", "a:b:1+", "a:b:latest.release", "a:b:1-SNAPSHOT"],
)
def test_what_is_no_pinned_jar(given):
    with pytest.raises(CoordinateError, match="is not group:artifact:version, with one version"):
        joined((), (given,))


def test_another_version_of_what_is_there():
    with pytest.raises(CoordinateError, match="a:b:2: a:b is there as 1 already"):
        joined(("a:b:1",), ("c:d:1", "a:b:2"))
