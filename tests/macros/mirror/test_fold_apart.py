def test_changes_fold_by_key_truncates_together_and_the_rest_not_at_all(macros, sql):
    assert sql(macros.fold_apart("row.")) == sql("""
        case
            when row._outcome in ('change', 'ignored', 'truncate') then ''
            else concat_ws(':', row._kfk_partition, row._kfk_offset)
        end
    """)
