with

changes as (

    select * from {{ changes(source('shop', 'heartbeat')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('shop', 'heartbeat')) | indent(8) }} as event
    from changes

),

decoded as (

    select
        {{ debezium_columns(source('shop', 'heartbeat')) | indent(8) }},
        {{ tx_rank('mariadb') | indent(8) }},
        {{ metadata_columns(['_src_read_ts', '_tsc_id', '_kfk_topic']) | indent(8) }}
    from parsed

)

select * from decoded
