from types import SimpleNamespace

import pytest


@pytest.mark.parametrize(("before", "now"), [(None, 7), (6, 7), (7, None)])
def test_another_runs_commit_is_seen(macros, before, now):
    """F34, F35: the bookmark never goes back."""
    dropped = []
    macros.context["run_query"] = dropped.append
    commit = {None: None, 6: SimpleNamespace(id=6), 7: SimpleNamespace(id=7)}
    macros.context["adapter"].newest_own_commit = lambda target, known: commit[now]
    assert "another run has merged into mirror.o" in macros.error(
        "refuse_overtaken", "mirror.o", commit[before], "b", "mirror_o"
    )
    assert dropped == ["alter table mirror.o drop branch b"]


def test_an_unchanged_mirror_is_not(macros):
    macros.context["adapter"].newest_own_commit = lambda target, known: SimpleNamespace(id=7)
    macros.refuse_overtaken("mirror.o", SimpleNamespace(id=7), "b", "mirror_o")
