from lakemirror.runs.policies import Policy, policy_of
from lakemirror.runs.rewrite import Rewrite, Young

POLICY = Policy(target_file_mb=4, min_input_files=3)
OPTIONS = """
    'target-file-size-bytes', '4194304',
    'min-file-size-bytes', '3145728',
    'min-input-files', '3',
"""


def test_files_are_put_together_as_they_are(macros, sql):
    assert sql(macros.rewrite_data_files_sql("raw.`t`", Rewrite(POLICY, [], "small"))) == sql(f"""
        call system.rewrite_data_files(
            table => 'raw.`t`',
            options => map(
                {OPTIONS}
                'remove-dangling-deletes', 'true'
            )
        )
    """)


def test_on_a_branch_sorted_without_deleted_rows_in_parts(macros, sql):
    rewrite = Rewrite(POLICY, ["id", "a`b"], "deleted", 7, branch="b")
    assert sql(macros.rewrite_data_files_sql("mirror.t", rewrite)) == sql(f"""
        call system.rewrite_data_files(
            table => 'mirror.t',
            branch => 'b',
            strategy => 'sort',
            sort_order => '`id`, `a``b`',
            options => map(
                {OPTIONS}
                'delete-file-threshold', '1',
                'partial-progress.enabled', 'true',
                'partial-progress.max-commits', '7',
                'partial-progress.max-failed-commits', '0',
                'remove-dangling-deletes', 'true'
            )
        )
    """)


def test_an_order_of_several_columns(macros, sql):
    policy = policy_of("table", {"z_order_by": ["a", "b`c"]})
    rewrite = Rewrite(policy, ("a", "b`c"), "all")
    found = sql(macros.rewrite_data_files_sql("marts.t", rewrite))
    assert "strategy => 'sort', sort_order => 'zorder(`a`, `b``c`)', options => map(" in found
    assert "'rewrite-all', 'true'" in found


def test_files_with_young_rows_alone(macros, sql):
    rewrite = Rewrite(POLICY, [], "small", young=Young("a`b", "date '2026-01-30'"))
    found = sql(macros.rewrite_data_files_sql("marts.t", rewrite))
    assert r"where => '`a``b` >= date \'2026-01-30\'', options => map(" in found


def test_files_of_deletes_and_manifests(macros, sql):
    assert sql(macros.rewrite_deletes_sql("mirror.t", POLICY)) == sql("""
        call system.rewrite_position_delete_files(
            table => 'mirror.t',
            options => map('min-input-files', '3')
        )
    """)
    assert sql(macros.rewrite_manifests_sql("mirror.t", POLICY)) == sql("""
        call system.rewrite_manifests(table => 'mirror.t')
    """)


def test_all_files(macros, sql):
    found = sql(macros.rewrite_data_files_sql("mirror.t", Rewrite(POLICY, ["id"], "all")))
    assert "'min-input-files', '3', 'rewrite-all', 'true', 'remove-dangling" in found
