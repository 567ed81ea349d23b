{{ config(materialized='daily', schema='daily', unique_key=var('key')) }}

select * from {{ midnight(ref('mirror_rows'), ref('stg_rows'), ref('watermark_bench')) }}
