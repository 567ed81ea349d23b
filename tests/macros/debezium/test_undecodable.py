def test_the_columns_are_named(macros, sql):
    macros.columns = [
        {"name": "id", "data_type": "int"},
        {"name": "day", "data_type": "date"},
    ]
    columns = macros.declared()
    assert sql(macros.undecodable(columns)) == sql(f"""
        concat_ws(
            ', ',
            if(
                event._corrupt_record is not null or value is not null and event is null,
                {macros.unread(columns)},
                null
            ),
            if(typed.`day` is null and image.`day` is not null, 'day', null)
        )""")


def test_what_was_not_read_is_read_again(macros, sql):
    macros.columns = [{"name": "id", "data_type": "int"}, {"name": "n", "data_type": "int"}]
    unread = sql(macros.unread(macros.declared()))
    assert unread.startswith(
        "get(filter(array( array_join(array_intersect( array( if(image.`id` is null, 'id', null), "
        "if(image.`n` is null, 'n', null) ), map_keys(map_filter(get(transform( array(from_json("
    )
    assert unread.endswith("'the event' ), names -> names <> ''), 0)")


def test_a_column_that_was_not_sent_is_not_lost(macros, sql):
    """Case 39: the placeholder of a list of dates is no date."""
    macros.debezium = {"connector": "postgresql"}
    macros.columns = [{"name": "days", "data_type": "date[]"}]
    columns = macros.declared()
    missing = sql(macros.is_unavailable("image.`days`", columns[0]))
    assert f"and not ({missing}), 'days', null)" in sql(macros.undecodable(columns))
