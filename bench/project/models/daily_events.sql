{{ config(materialized='daily', schema='daily', unique_key=['id']) }}

select * from {{ midnight(ref('mirror_events'), ref('stg_events'), ref('watermark_bench')) }}
