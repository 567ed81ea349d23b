with

changes as (

    select * from {{ changes(source('commerce', 'heartbeat')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('commerce', 'heartbeat')) | indent(8) }}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{ debezium_columns(source('commerce', 'heartbeat')) | indent(12) }}
        ) as typed
    from parsed

)

select
    typed.*,
    {{ debezium_losses(source('commerce', 'heartbeat')) | indent(4) }},
    {{ tx_rank(source('commerce', 'heartbeat')) | indent(4) }},
    {{ metadata_columns(['_src_read_ts', '_src_shard', '_src_vgtid', '_kfk_topic']) | indent(4) }}
from decoded
