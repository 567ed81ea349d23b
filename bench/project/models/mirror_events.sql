{{ config(materialized='mirror', schema='mirror', unique_key=['id'], buckets=16) }}

select * from {{ ref('stg_events') }}
