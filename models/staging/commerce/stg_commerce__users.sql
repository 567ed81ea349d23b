with

changes as (

    select * from {{ changes(source('commerce', 'users')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('commerce', 'users')) | indent(8) }} as event
    from changes

),

decoded as (

    select
        {{ debezium_columns(source('commerce', 'users')) | indent(8) }},
        {{ tx_rank('vitess') | indent(8) }},
        {{ metadata_columns() | indent(8) }}
    from parsed

)

select * from decoded
