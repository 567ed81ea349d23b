def test_what_a_remembered_delete_outdates(macros, sql):
    assert sql(macros.drop_outdated_sql("stage.s", "mirror.t", ["id"])) == sql(f"""
        merge into stage.s as stage
        using ( {macros.remembered_sql("mirror.t", ["id"])} ) as remembered
        on stage.`id` = remembered.`id` and stage._outcome = 'change'
        when matched and exists(
            remembered.deletes,
            tombstone -> {macros.outdates("tombstone", "stage")}
        ) then delete
    """)
