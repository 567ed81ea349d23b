def test_every_declared_column_is_decoded(macros, sql):
    macros.columns = [
        {"name": "order_id", "data_type": "bigint"},
        {"name": "ordered_at", "data_type": "datetime(6)"},
    ]
    assert sql(macros.debezium_columns("raw.`shop__orders`")) == sql("""
        coalesce(event.after, event.before).`order_id` as `order_id`,
        cast(timestamp_micros(coalesce(event.after, event.before).`ordered_at`) as timestamp_ntz)
            as `ordered_at`,
        event._corrupt_record is not null
        or value is not null and event is null as _is_undecodable
    """)


def test_a_value_that_decoding_loses_is_undecodable(macros, sql):
    macros.columns = [{"name": "paid_at", "data_type": "timestamp"}]
    assert sql(macros.debezium_columns("raw.`shop__orders`")) == sql("""
        try_cast(coalesce(event.after, event.before).`paid_at` as timestamp) as `paid_at`,
        event._corrupt_record is not null
        or value is not null and event is null
        or coalesce(event.after, event.before).`paid_at` is not null
            and try_cast(coalesce(event.after, event.before).`paid_at` as timestamp) is null
            as _is_undecodable
    """)


def test_a_hostile_name_is_escaped(macros, sql):
    macros.columns = [{"name": "a`b'c", "data_type": "int"}]
    assert sql(macros.debezium_columns("raw.t")).startswith(
        "coalesce(event.after, event.before).`a``b'c` as `a``b'c`, event."
    )


def test_postgresql_names_what_it_did_not_send(macros, sql):
    macros.columns = [{"name": "id", "data_type": "int"}, {"name": "big", "data_type": "text"}]
    text = sql(macros.debezium_columns("raw.t", "postgresql"))
    value = "coalesce(event.after, event.before).`big`"
    missing = sql(macros.is_unavailable(value, "text"))
    assert f"if({missing}, null, {value}) as `big`" in text
    assert (
        "event.op = 'd', array( 'id', 'big' ), array_compact(array( if(false, 'id', null)," in text
    )
    assert text.endswith("as _unsent")
