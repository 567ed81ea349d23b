{{ config(materialized='ephemeral') }}

with

changes as (

    select * from {{ changes(source('raw', 'events')) }}

),

parsed as (

    select
        *,
        {{ debezium_event(source('raw', 'events')) | indent(8) }} as event
    from changes

)

select
    {{ debezium_columns(source('raw', 'events')) | indent(4) }},
    {{ tx_rank('mariadb') | indent(4) }},
    {{ metadata_columns([]) | indent(4) }}
from parsed
