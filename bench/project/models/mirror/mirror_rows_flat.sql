{{ config(unique_key=var('key'), buckets=none) }}

select * from {{ ref('stg_rows') }}
