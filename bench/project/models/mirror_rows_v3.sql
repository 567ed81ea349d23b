{{ config(materialized='mirror', schema='mirror', unique_key=['id'], buckets=16, format_version=3) }}

select * from {{ ref('stg_rows') }}
