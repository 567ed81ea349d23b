with

changes as (

    select * from {{ changes(source('shop', 'products')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('shop', 'products')) | indent(8) }}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{ debezium_columns(source('shop', 'products')) | indent(12) }}
        ) as typed
    from parsed

)

select
    typed.*,
    {{ debezium_losses(source('shop', 'products')) | indent(4) }},
    {{ tx_rank(source('shop', 'products')) | indent(4) }},
    {{ metadata_columns() | indent(4) }}
from decoded
