with

changes as (

    select * from {{ changes(source('commerce', 'users')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('commerce', 'users')) | indent(8) }}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{ debezium_columns(source('commerce', 'users')) | indent(12) }}
        ) as typed
    from parsed

)

select
    typed.*,
    {{ debezium_losses(source('commerce', 'users')) | indent(4) }},
    {{ tx_rank(source('commerce', 'users')) | indent(4) }},
    {{ metadata_columns() | indent(4) }}
from decoded
