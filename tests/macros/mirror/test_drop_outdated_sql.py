def test_what_a_remembered_delete_outdates(macros, sql):
    assert sql(macros.drop_outdated_sql("stage.s", "mirror.t", ["id"])) == sql(f"""
        delete from stage.s as stage
        where exists (
            select 1
            from mirror.t as tombstones
            where
                stage.`id` = tombstones.`id`
                and (
                    {macros.change_order("tombstones")} > {macros.change_order("stage")}
                    or {macros.source_order("tombstones")} = {macros.source_order("stage")}
                    and stage._op <> 'd'
                )
        )
    """)
