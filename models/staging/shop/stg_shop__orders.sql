with

changes as (

    select * from {{ changes(source('shop', 'orders')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('shop', 'orders')) | indent(8) }}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{ debezium_columns(source('shop', 'orders')) | indent(12) }}
        ) as typed
    from parsed

)

select
    typed.*,
    {{ debezium_losses(source('shop', 'orders')) | indent(4) }},
    {{ tx_rank(source('shop', 'orders')) | indent(4) }},
    {{ metadata_columns() | indent(4) }}
from decoded
