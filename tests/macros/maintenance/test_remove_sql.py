import pytest


def test_snapshots_go_by_their_ids_alone(macros, sql):
    assert sql(macros.expire_sql("raw.`t`", [7, 9])) == sql("""
        call system.expire_snapshots(
            table => 'raw.`t`',
            older_than => timestamp '1970-01-01 00:00:00',
            snapshot_ids => array(7L, 9L)
        )
    """)


@pytest.mark.parametrize(("dry_run", "said"), [(True, "true"), (False, "false")])
def test_orphans(macros, sql, dry_run, said):
    """F38."""
    assert sql(macros.remove_orphans_sql("mirror.t", "2026-01-01 00:00:00", dry_run)) == sql(f"""
        call system.remove_orphan_files(
            table => 'mirror.t',
            older_than => timestamp '2026-01-01 00:00:00',
            dry_run => {said}
        )
    """)
