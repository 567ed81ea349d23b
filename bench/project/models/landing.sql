{{ config(materialized='view') }}

select
    '' as topic,
    0 as partition,
    0L as to_offset,
    0L as rows,
    '' as raw_table
where false
