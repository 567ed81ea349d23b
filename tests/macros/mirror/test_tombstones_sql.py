def test_the_deletes_of_every_log_are_remembered(macros, sql):
    columns = macros.key_columns(["id", "day", *macros.order_columns()])
    assert sql(macros.tombstones_sql("mirror.t", "stage.s", ["id", "day"])) == sql(f"""
        insert into mirror.t ({columns})
        select `id`, `day`, deleted.*
        from stage.s
        lateral view explode(_deletes) as deleted
        where _outcome = 'change'
    """)


def test_those_of_one_task_are_written_as_they_lie(macros, sql):
    moved = sql(macros.tombstones_sql("mirror.t", "stage.s", ["id"]))
    lying = sql(macros.tombstones_sql("mirror.t", "stage.s", ["id"], False))
    assert lying == moved.replace("mirror.t (", "mirror.t with ('distribution-mode' = 'none') (")
