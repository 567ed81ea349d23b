with

changes as (

    select * from {{ changes(source('shop', 'products')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('shop', 'products')) | indent(8) }} as event
    from changes

),

decoded as (

    select
        {{ debezium_columns(source('shop', 'products')) | indent(8) }},
        {{ tx_rank('mariadb') | indent(8) }},
        {{ metadata_columns() | indent(8) }}
    from parsed

)

select * from decoded
