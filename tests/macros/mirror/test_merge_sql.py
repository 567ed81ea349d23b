def test_only_a_newer_change_is_merged(macros, sql):
    newer = f"{macros.change_order('changes')} > {macros.change_order('target')}"
    remembered, staged = macros.change_order("tombstones"), macros.change_order("stage")
    assert sql(macros.merge_sql("mirror.o", "stage.s", "mirror.t", ["id"], ["id", "a`b"])) == sql(
        f"""
        merge into mirror.o as target
        using (
            select stage.`id`, stage.`a``b`
            from stage.s as stage
            left anti join mirror.t as tombstones
                on
                    stage.`id` = tombstones.`id`
                    and (
                        {remembered} > {staged}
                        or struct(tombstones._tx_epoch, tombstones._tx_rank, tombstones._tx_order)
                            = struct(stage._tx_epoch, stage._tx_rank, stage._tx_order)
                        and stage._op <> 'd'
                    )
            where stage._outcome = 'change'
        ) as changes
        on target.`id` = changes.`id`
        when matched and {newer} and changes._op = 'd' then delete
        when matched and {newer} then update set
            target.`id` = changes.`id`,
            target.`a``b` = changes.`a``b`
        when not matched and changes._op <> 'd' then insert
            (`id`, `a``b`)
            values (changes.`id`, changes.`a``b`)
        """
    )
