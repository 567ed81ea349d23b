with

changes as (

    select * from {{ changes(source('commerce', 'channels')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('commerce', 'channels')) | indent(8) }}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{ debezium_columns(source('commerce', 'channels')) | indent(12) }}
        ) as typed
    from parsed

)

select
    typed.*,
    {{ debezium_losses(source('commerce', 'channels')) | indent(4) }},
    {{ tx_rank(source('commerce', 'channels')) | indent(4) }},
    {{ metadata_columns() | indent(4) }}
from decoded
