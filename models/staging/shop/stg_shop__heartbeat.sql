with

changes as (

    select * from {{ changes(source('shop', 'heartbeat')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('shop', 'heartbeat')) | indent(8) }}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{ debezium_columns(source('shop', 'heartbeat')) | indent(12) }}
        ) as typed
    from parsed

)

select
    typed.*,
    {{ debezium_losses(source('shop', 'heartbeat')) | indent(4) }},
    {{ tx_rank(source('shop', 'heartbeat')) | indent(4) }},
    {{ metadata_columns(['_src_read_ts', '_tsc_id', '_kfk_topic']) | indent(4) }}
from decoded
