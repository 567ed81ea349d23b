from types import SimpleNamespace

TIME = "2026-01-31 12:00:00.5"


def test_until_when_several_sources_are_complete(macros, sql):
    """Case 76, F22: the shard that is furthest behind counts, and one that was never heard."""
    text = sql(macros.cut_time_sql(["ops.watermark_shop", "ops.watermark_till"]))
    assert "count(*) = count(complete_until), cast(min(complete_until) as string), null" in text
    columns = "as watermark, heard_from, complete_until from"
    assert text.endswith(
        f"select 'ops.watermark_shop' {columns} ops.watermark_shop union all "
        f"select 'ops.watermark_till' {columns} ops.watermark_till )"
    )


def test_what_lies_before_a_time(macros, sql):
    text = sql(macros.changed_before_sql("stg", ["id"], TIME))
    assert text.startswith("select `id`, _outcome, max(")
    assert sql(macros.timed_changes_sql("stg", ["id"], TIME)) in text
    assert text.endswith(
        "where _outcome = 'change' "
        "or (_outcome = 'truncate' and _src_ts is not null) group by `id`, _outcome"
    )
    assert "select changes, floor._tx_epoch" in sql(macros.changed_counts_sql("touched"))


def test_what_a_branch_lets_go_of(macros, sql):
    deleted = sql(macros.remove_deleted_sql("m.t.branch_b", "m.d", ["id"], TIME))
    assert f"from m.d where _src_ts < timestamp '{TIME}'" in deleted
    assert sql(macros.is_newer("tombstones", "target")) in deleted


def test_a_mart_reads_the_snapshot_of_the_cut(macros, sql):
    macros.context["ref"] = lambda name: f"ops.{name}"
    macros.context["load_relation"] = lambda relation: relation
    macros.context["flags"] = SimpleNamespace(WHICH="run")
    macros.context["model"] = SimpleNamespace(name="fct")
    macros.context["adapter"] = SimpleNamespace(cut_snapshots=lambda _: {"m.t": 7})
    assert sql(macros.as_of_cut("m.t")) == "m.t version as of 7"
    assert "ops.consistent_cut has no snapshot of m.u" in macros.error("as_of_cut", "m.u")
    macros.context["flags"] = SimpleNamespace(WHICH="generate")
    assert sql(macros.as_of_cut("m.u")) == "m.u"


def test_a_mirror_of_a_cut(macros, sql):
    macros.context["execute"] = True
    assert sql(macros.at_cut("m.t", "stg", "w")) == "select 1 from stg /* at_cut(m.t, stg, w) */"
