import re

from lakemirror.runs.batch import NUMBERS, Batch
from lakemirror.runs.mirror_plan import Shape


def counts(macros, pruned_until=None, *, undeclared=False, snapshot=False, filled=(), required=()):
    """The counts of a judged batch, whose query and table have what is said."""
    batch = Batch("raw.t", None, (), undeclared, snapshot, None, False, False)
    shape = Shape(["id"], ["id", "v"], filled, "hard")
    return " ".join(macros.batch_counts(batch, shape, required, pruned_until).split())


def test_every_outcome_is_counted(macros):
    query = counts(macros)
    for name in ("read", "applied", "stale", "duplicate", "ignored", "quarantined", "max_src_ts"):
        assert f"as {name}" in query


def test_each_count_is_read(macros):
    """What Counts has no name for would be left out in silence."""
    columns = re.split(r" as (\w+)(?:,|$)", counts(macros, "2026-01-13", snapshot=True))[1::2]
    assert {*columns} == {*NUMBERS} - {"others"} | {"undeclared", "snapshot", "max_src_ts"}


def test_undeclared_columns_of_rows_that_count(macros, sql):
    names = sql(macros.undeclared_names("_outcome = 'change' and _is_applied", True))
    assert counts(macros, undeclared=True).startswith(f"{names} as undeclared, ")
    assert (
        "filter ( where _undeclared is not null and (_outcome = 'change' and _is_applied "
        "or _outcome like 'cannot be decoded: %') )"
    ) in names
    assert macros.undeclared_names("true", False) == "'[]'"
    assert "'[]' as undeclared" in counts(macros)


def test_new_rows_from_before_the_horizon_are_unguarded(macros):
    """F06: with the horizon of a prune, and without one."""
    assert (
        "_is_new_row and _op <> 'd' and _src_ts < timestamp '2026-01-13' ) as unguarded"
    ) in counts(macros, "2026-01-13")
    assert "0 as unguarded" in counts(macros)


def test_rows_that_are_to_be_completed(macros):
    assert "0 as partial" in counts(macros)
    partial = counts(macros, filled=["v"])
    assert "count_if(_outcome = 'change' and _is_partial) as partial" in partial


def test_rows_that_lack_what_the_table_requires(macros):
    assert "0 as incomplete" in counts(macros)
    assert (
        "count_if(_outcome = 'change' and _is_applied and ( `a``b` is null or `c` is null ))"
        " as incomplete,"
    ) in counts(macros, required=["a`b", "c"])


def test_the_end_of_a_snapshot_is_asked_where_it_is_told(macros):
    assert "as snapshot" not in counts(macros)
    told = counts(macros, snapshot=True)
    assert "to_json(max(_snapshot_end), map('ignoreNullFields', 'false')) as snapshot," in told
