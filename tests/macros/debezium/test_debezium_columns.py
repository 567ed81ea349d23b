ROW = "coalesce(event.after, event.before)"


def test_every_declared_column_is_decoded(macros, sql):
    macros.columns = [
        {"name": "order_id", "data_type": "bigint"},
        {"name": "ordered_at", "data_type": "time(6)"},
    ]
    columns = sql(macros.debezium_columns("raw.`shop__orders`"))
    assert columns.startswith(
        f"{ROW}.`order_id` as `order_id`, {ROW}.`ordered_at` as `ordered_at`, concat_ws( ', ', "
    )
    undeclared = sql(macros.undeclared(["order_id", "ordered_at"]))
    assert columns.endswith(f" as _undecodable, {undeclared} as _undeclared")


def test_what_nobody_declares_is_named(macros, sql):
    """F17: from_json leaves it out in silence."""
    keys = sql(f"json_object_keys(get_json_object({macros.event_text('value')}, '$.after'))")
    assert sql(macros.undeclared(["id", "a'b"])) == (
        rf"nullif(to_json(filter( {keys}, name -> name not in ( 'id', 'a\'b' ) )), '[]')"
    )


def test_what_has_the_name_of_a_dropped_column_is_named(macros, sql):
    """Case 61: after that had gone, it is another column that nobody declares yet."""
    since = {"server_id": "1", "file": "binlog.000002", "pos": 7}
    there = macros.binlog_place(macros.lakemirror_string(since["file"]), 7)
    behind = sql(macros.is_behind(since))
    assert behind == sql(
        "coalesce( cast(event.source.server_id as string) = '1' "
        f"and {macros.event_place()} > {there}, false )"
    )
    undeclared = sql(macros.undeclared(["id", "gone"], [{"names": ["gone"], "since": since}]))
    assert undeclared.endswith(
        f"not in ( 'id', 'gone' ) or name in ('gone') and {behind} )), '[]')"
    )


def test_a_hostile_name_is_escaped(macros, sql):
    macros.columns = [{"name": "a`b'c", "data_type": "int"}]
    columns = macros.debezium_columns("raw.t")
    assert columns.startswith(f"{ROW}.`a``b'c` as `a``b'c`,")
    assert r"is null, 'a`b\'c', null)" in sql(columns)


def test_postgresql_names_what_it_did_not_send(macros, sql):
    macros.debezium = {"connector": "postgresql"}
    macros.columns = [{"name": "id", "data_type": "int"}, {"name": "big", "data_type": "text"}]
    text = sql(macros.debezium_columns("raw.t"))
    missing = sql(macros.is_unavailable(f"{ROW}.`big`", macros.declared()[1]))
    assert f"if({missing}, null, {ROW}.`big`) as `big`" in text
    assert (
        "event.op = 'd', array( 'id', 'big' ), array_compact(array( if(false, 'id', null)," in text
    )
    assert text.endswith("as _unsent")
