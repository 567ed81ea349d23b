{{ config(materialized='mirror', schema='mirror', unique_key=['id'], buckets=16, merge_mode='copy-on-write') }}

select * from {{ ref('stg_rows') }}
