import pytest

SOURCE = object()  # a relation: what the adapter finds the connector by


@pytest.mark.parametrize("connector", ["mariadb", "mysql"])
def test_binlog_connectors_go_by_file_and_position(macros, sql, connector):
    macros.debezium = {"connector": connector}
    assert sql(macros.tx_rank(SOURCE)) == sql("""
        cast(nullif(event.source.server_id, 0) as string) as _tx_log,
        0L as _tx_epoch,
        case
            when event.source.pos between 0 and 4294967295
                then try_cast(regexp_extract(event.source.file, '([0-9]{1,9})[^0-9]*$', 1)
                    as bigint) * 4294967296 + event.source.pos
        end as _tx_rank,
        if(event.op = 'r', -1L, 2 * event.source.row + if(event.op = 'd', 0, 1)) as _tx_order
    """)


def test_vitess_goes_by_the_transactions_of_its_shard(macros, sql):
    count = macros.gtid_count(macros.shard_gtid("event.source.vgtid", "event.source.shard"))
    macros.debezium = {"connector": "vitess"}
    assert sql(macros.tx_rank(SOURCE)) == sql(f"""
        event.source.shard as _tx_log,
        event.transaction.transaction_epoch as _tx_epoch,
        coalesce(
            {count}, {macros.rank_number("event.transaction.transaction_rank")}
        ) as _tx_rank,
        if(event.source.ts_ms = 0, -1L, event.transaction.total_order) as _tx_order
    """)


def test_postgresql_goes_by_the_commit_and_the_place_in_the_log(macros, sql):
    macros.debezium = {"connector": "postgresql"}
    assert sql(macros.tx_rank(SOURCE)) == sql("""
        cast(null as string) as _tx_log,
        0L as _tx_epoch,
        try_cast(coalesce(
            nullif(get_json_object(event.source.sequence, '$[0]'), 'null'),
            get_json_object(event.source.sequence, '$[1]')
        ) as bigint) as _tx_rank,
        if(
            event.op = 'r',
            -1L,
            try_cast(get_json_object(event.source.sequence, '$[1]') as bigint)
        ) as _tx_order
    """)


def test_another_producer_names_its_columns(macros, sql):
    assert sql(macros.tx_rank("generic", rank="event.version")) == sql("""
        cast(null as string) as _tx_log,
        try_cast(0 as bigint) as _tx_epoch,
        try_cast(event.version as bigint) as _tx_rank,
        try_cast(0 as bigint) as _tx_order
    """)


@pytest.mark.parametrize("connector", ["mariadb", "generic"])
def test_a_connector_cannot_be_written(macros, connector):
    """The source's YAML says it, and a model that named another one would order by nothing."""
    assert macros.error("tx_rank", connector) == (
        "tx_rank takes the source whose connector it is, as in tx_rank(source('shop', 'orders')), "
        "or the expressions of another producer: tx_rank('generic', epoch=..., rank=..., order=...)"
    )
