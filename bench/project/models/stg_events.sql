{{ config(materialized='ephemeral') }}

with

changes as (

    select * from {{ changes(source('raw', 'events')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('raw', 'events')) | indent(8) }}
    from changes

),

decoded as (

    select
        *,
        struct(
            {{ debezium_columns(source('raw', 'events')) | indent(12) }}
        ) as typed
    from parsed

)

select
    typed.*,
    {{ debezium_losses(source('raw', 'events')) | indent(4) }},
    {{ tx_rank(source('raw', 'events')) | indent(4) }},
    {{ metadata_columns([]) | indent(4) }}
from decoded
