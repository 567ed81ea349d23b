NEEDED = (
    "if(value is null, 'tombstone', event.op) as _op, _src_ts, "
    "event.source.snapshot as _src_snapshot, _kfk_partition, _kfk_offset"
)


def test_the_var_says_which(macros, sql):
    assert sql(macros.metadata_columns()) == sql(f"""
        {NEEDED},
        timestamp_micros(try_multiply(event.ts_ms, 1000L)) as _src_read_ts,
        event.transaction.id as _tsc_id
    """)


def test_a_model_may_ask_for_others(macros, sql):
    assert sql(macros.metadata_columns(["_src_db", "_kfk_topic"])) == sql(f"""
        {NEEDED},
        coalesce(nullif(event.source.db, ''), event.source.keyspace) as _src_db,
        _kfk_topic as _kfk_topic
    """)


def test_a_model_may_ask_for_none(macros, sql):
    assert sql(macros.metadata_columns([])) == NEEDED


def test_an_unknown_name_is_an_error(macros):
    assert macros.error("metadata_columns", ["_src_dbs"]) == (
        "There is no metadata column _src_dbs. There are: _src_name, _src_db, _src_table, "
        "_src_shard, _src_server_id, _src_file, _src_pos, _src_vgtid, _src_read_ts, _tsc_id, "
        "_tsc_total_order, _tsc_data_collection_order, _kfk_topic, _kfk_timestamp"
    )
