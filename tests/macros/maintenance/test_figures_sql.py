from lakemirror.runs.policies import Policy
from lakemirror.runs.rewrite import Young

POLICY = Policy(target_file_mb=4)
SMALL = "content = 0 and file_size_in_bytes < 3145728"


def test_files_are_counted_by_partition(macros, sql):
    found = sql(macros.figures_sql("mirror.t", POLICY, True))
    assert f"count_if({SMALL}) as small_files" in found
    assert "sum(if(small_files >= 5, small_files, 0)) as small_files" in found
    assert "from mirror.t.files group by spec_id, partition ), manifests as" in found
    assert "from mirror.t.manifests" in found


def test_a_table_without_partitions(macros, sql):
    found = sql(macros.figures_sql("mirror.t", POLICY, False))
    assert "from mirror.t.files group by spec_id ), manifests as" in found


def test_small_files_with_young_rows(macros, sql):
    """One whose bounds are not known may have such rows."""
    found = sql(macros.figures_sql("mirror.t", POLICY, False, Young("a b", "date '2026-01-30'")))
    young = "coalesce(readable_metrics.`a b`.upper_bound >= date '2026-01-30', true)"
    assert f"count_if({SMALL} and {young}) as small_files" in found
    assert f"sum(if({SMALL} and {young}, file_size_in_bytes, 0)) as small_bytes" in found


def test_ages_are_seconds(macros, sql):
    assert sql(macros.ages_sql("mirror.t")) == sql("""
        select
            snapshot_id,
            (unix_micros(current_timestamp()) - unix_micros(committed_at)) / 1e6 as age
        from mirror.t.snapshots
    """)
    assert sql(macros.idle_sql("mirror.t")) == sql("""
        select (unix_micros(current_timestamp()) - unix_micros(max(timestamp))) / 1e6 as idle
        from mirror.t.metadata_log_entries
    """)


def test_what_waited_was_not_done(macros, sql):
    assert sql(macros.maintained_sql()) == sql("""
        select
            table_name,
            action,
            (unix_micros(current_timestamp()) - unix_micros(max(started_at))) / 1e6 as age
        from ops.maintenance
        where status in ('done', 'dry run')
        group by table_name, action
    """)
