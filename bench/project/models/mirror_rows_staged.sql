{{ config(materialized='mirror', schema='mirror', unique_key=['id'], buckets=16, stage_from=0) }}

select * from {{ ref('stg_rows') }}
