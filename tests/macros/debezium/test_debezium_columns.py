def test_every_declared_column_is_decoded(macros, sql):
    macros.columns = [
        {"name": "order_id", "data_type": "bigint"},
        {"name": "ordered_at", "data_type": "time(6)"},
    ]
    assert sql(macros.debezium_columns("raw.`shop__orders`")) == (
        "image.`order_id` as `order_id`, image.`ordered_at` as `ordered_at`"
    )
    undeclared = sql(macros.undeclared(["order_id", "ordered_at"]))
    losses = sql(macros.debezium_losses("raw.`shop__orders`"))
    assert losses.startswith("concat_ws( ', ', ")
    assert losses.endswith(f" as _undecodable, {undeclared} as _undeclared")


def test_what_nobody_declares_is_named(macros, sql):
    """F17: from_json leaves it out in silence."""
    keys = "json_object_keys(get_json_object(event_text, '$.after'))"
    assert sql(macros.undeclared(["id", "a'b"])) == (
        rf"nullif(to_json(filter( {keys}, name -> name not in ( 'id', 'a\'b' ) )), '[]')"
    )


def test_names_are_asked_where_the_row_is_not_as_it_was_read(macros, sql):
    """It is as Debezium writes it where it is the text before the source; a delete has none."""
    macros.columns = [{"name": "id", "data_type": "int"}, {"name": "a`b", "data_type": "text"}]
    macros.sent = ["id", "a`b"]
    row = sql(macros.row_text(macros.sent))
    assert row.startswith("to_json( struct( event.after.`id`, event.after.`a``b` ), map(")
    names = sql(macros.undeclared(["id", "a`b"]))
    assert sql(macros.debezium_losses("raw.t")).endswith(
        "if( event.after is null and event._corrupt_record is null or contains(event_text, "
        f"concat('\"after\":', {row}, ',\"source\":{{')), null, {names} ) as _undeclared"
    )


def test_what_has_the_name_of_a_dropped_column_is_named(macros, sql):
    """Case 61: after that had gone, it is another column that nobody declares yet."""
    since = {"server_id": "1", "file": "binlog.000002", "pos": 7}
    there = macros.binlog_place(macros.lakemirror_string(since["file"]), 7)
    undeclared = sql(macros.undeclared(["id", "gone"], [{"names": ["gone"], "since": since}]))
    behind = sql(
        "coalesce( cast(event.source.server_id as string) = '1' "
        f"and {macros.event_place()} > {there}, false )"
    )
    assert undeclared.endswith(
        f"not in ( 'id', 'gone' ) or name in ('gone') and {behind} )), '[]')"
    )


def test_a_hostile_name_is_escaped(macros, sql):
    macros.columns = [{"name": "a`b'c", "data_type": "int"}]
    assert macros.debezium_columns("raw.t") == "image.`a``b'c` as `a``b'c`"
    assert r"is null, 'a`b\'c', null)" in sql(macros.debezium_losses("raw.t"))


def test_postgresql_names_what_it_did_not_send(macros, sql):
    macros.debezium = {"connector": "postgresql"}
    macros.columns = [{"name": "id", "data_type": "int"}, {"name": "big", "data_type": "text"}]
    missing = sql(macros.is_unavailable("image.`big`", macros.declared()[1]))
    assert f"if({missing}, null, image.`big`) as `big`" in sql(macros.debezium_columns("raw.t"))
    text = sql(macros.debezium_losses("raw.t"))
    assert (
        "event.op = 'd', array( 'id', 'big' ), array_compact(array( if(false, 'id', null)," in text
    )
    assert text.endswith("as _unsent")
