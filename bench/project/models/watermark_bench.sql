{{ config(materialized='view') }}

select
    '' as shard,
    timestamp '2026-01-01 00:00:00' as heard_from,
    timestamp '2026-01-31 00:00:00' as heard_until,
    {{ var('until') }} as complete_until,
    'clock' as proof
