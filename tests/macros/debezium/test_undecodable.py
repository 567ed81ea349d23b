def test_the_columns_are_named(macros, sql):
    macros.columns = [
        {"name": "id", "data_type": "int"},
        {"name": "day", "data_type": "date"},
    ]
    day = "if(row.`day` >= -2440588, date_from_unix_date(row.`day`), null)"
    columns = macros.declared()
    assert sql(macros.undecodable("row", columns)) == sql(f"""
        concat_ws(
            ', ',
            if(
                event._corrupt_record is not null or value is not null and event is null,
                {macros.unread("row", columns)},
                null
            ),
            if( {day} is null and row.`day` is not null, 'day', null )
        )""")


def test_what_was_not_read_is_read_again(macros, sql):
    macros.columns = [{"name": "id", "data_type": "int"}, {"name": "n", "data_type": "int"}]
    unread = sql(macros.unread("row", macros.declared()))
    assert unread.startswith(
        "transform( array(array_join( filter( array( if(row.`id` is null, 'id', null), "
        "if(row.`n` is null, 'n', null) ), name -> exists("
    )
    assert unread.endswith("names -> if(names = '', 'the event', names) )[0]")


def test_a_column_that_was_not_sent_is_not_lost(macros, sql):
    """Case 39: the placeholder of a list of dates is no date."""
    macros.debezium = {"connector": "postgresql"}
    macros.columns = [{"name": "days", "data_type": "date[]"}]
    columns = macros.declared()
    missing = sql(macros.is_unavailable("row.`days`", columns[0]))
    assert f"and not ({missing}), 'days', null )" in sql(macros.undecodable("row", columns))
