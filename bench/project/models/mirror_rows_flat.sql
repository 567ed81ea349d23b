{{ config(materialized='mirror', schema='mirror', unique_key=['id']) }}

select * from {{ ref('stg_rows') }}
