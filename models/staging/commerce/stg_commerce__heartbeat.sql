with

changes as (

    select * from {{ changes(source('commerce', 'heartbeat')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('commerce', 'heartbeat')) | indent(8) }} as event
    from changes

),

decoded as (

    select
        {{ debezium_columns(source('commerce', 'heartbeat')) | indent(8) }},
        {{ tx_rank('vitess') | indent(8) }},
        {{ metadata_columns(
            ['_src_read_ts', '_src_shard', '_src_vgtid', '_kfk_topic']
        ) | indent(8) }}
    from parsed

)

select * from decoded
