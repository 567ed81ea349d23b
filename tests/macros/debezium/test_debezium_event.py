def test_the_declared_columns_are_the_row(macros, sql):
    macros.columns = [
        {"name": "order_id", "data_type": "bigint"},
        {"name": "amount", "data_type": "numeric(12,2)"},
        {"name": "day", "data_type": "date"},
    ]
    row = "`order_id`: bigint, `amount`: binary, `day`: int"
    assert sql(macros.debezium_event("raw.`shop__orders`")) == sql(
        f"{macros.event_text()} as event_text, "
        f"from_json( event_text, '{macros.debezium_schema(row)}' ) as event, "
        "coalesce(event.after, event.before) as image"
    )


def test_a_hostile_name_stays_inside_the_literal(macros, sql):
    macros.columns = [{"name": "a`b'c\\d", "data_type": "int"}]
    event = sql(macros.debezium_event("raw.t"))
    assert event.count(r"struct<`a``b\'c\\d`: int>") == 2
    literal = event.split("struct<", 1)[1]
    assert literal.count("'") - literal.count(r"\'") == 1
