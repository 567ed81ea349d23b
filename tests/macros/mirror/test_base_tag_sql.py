from types import SimpleNamespace

import pytest


def test_a_base_is_kept_for_a_week(macros, sql):
    commit = SimpleNamespace(id=7)
    assert sql(macros.base_tag_sql("mirror.t", commit, "2026-01-31")) == (
        "alter table mirror.t create or replace tag `lakemirror_base_2026_01_31` "
        "as of version 7 retain 7 days"
    )


@pytest.mark.parametrize(
    ("before", "newest", "daily", "is_kept"),
    [
        ("2026-01-31 23:59:59", "2026-02-02 00:00:00", "model.p.mirror_t", True),
        ("2026-01-31 00:00:00", "2026-01-31 23:59:59", "model.p.mirror_t", False),
        ("2026-01-31 23:59:59", "2026-02-02 00:00:00", "model.p.mirror_u", False),
        ("2026-01-31 23:59:59", None, "model.p.mirror_t", False),
        (None, "2026-01-31 23:59:59", "model.p.mirror_t", False),
    ],
)
def test_when_a_base_is_kept(macros, before, newest, daily, is_kept):
    """F49: where the first change of another day comes, and there are days to publish."""
    run = []
    nodes = [
        {"config": {"materialized": "daily"}, "depends_on": {"nodes": [daily]}},
        {"config": {"materialized": "view"}, "depends_on": {"nodes": ["model.p.mirror_t"]}},
    ]
    macros.context["graph"] = {"nodes": dict(enumerate(nodes))}
    macros.context["model"] = SimpleNamespace(unique_id="model.p.mirror_t")
    macros.context["adapter"] = SimpleNamespace(execute_until_committed=run.append)
    commit = SimpleNamespace(id=7, summary={"lakemirror.max-src-ts": before} if before else {})
    macros.keep_base("mirror.t", {"previous": commit}, newest)
    wanted = [macros.base_tag_sql("mirror.t", commit, "2026-01-31")] if is_kept else []
    assert run == wanted
