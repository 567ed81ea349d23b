import pytest


@pytest.mark.parametrize("connector", ["mariadb", "mysql"])
def test_binlog_connectors_go_by_file_and_position(macros, sql, connector):
    assert sql(macros.tx_rank(connector)) == sql("""
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
    assert sql(macros.tx_rank("vitess")) == sql(f"""
        event.transaction.transaction_epoch as _tx_epoch,
        {count} as _tx_rank,
        event.transaction.total_order as _tx_order
    """)


def test_another_connector_is_an_error(macros):
    assert macros.error("tx_rank", "oracle") == (
        "tx_rank: there is no order for the connector oracle; "
        "there is one for mariadb, mysql and vitess."
    )
