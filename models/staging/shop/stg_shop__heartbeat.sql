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
        {{ metadata_columns() | indent(8) }}
    from parsed

)

select * from decoded
