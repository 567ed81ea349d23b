def test_only_a_newer_change_is_merged(macros, sql):
    newer = f"{macros.change_order('changes')} > {macros.change_order('target')}"
    assert sql(macros.merge_sql("mirror.o", "stage.s", ["id", "day"], ["id", "a`b"])) == sql(f"""
        merge into mirror.o as target
        using (
            select `id`, `a``b` from stage.s where _outcome = 'change'
        ) as changes
        on target.`id` = changes.`id` and target.`day` = changes.`day`
        when matched and {newer} and changes._op = 'd' then delete
        when matched and {newer} then update set
            target.`id` = changes.`id`,
            target.`a``b` = changes.`a``b`
        when not matched and changes._op <> 'd' then insert
            (`id`, `a``b`)
            values (changes.`id`, changes.`a``b`)
    """)
