{{
    config(
        materialized='mirror',
        schema='mirror',
        unique_key=var('key'),
        buckets=16,
        bucket_by='id',
    )
}}

select * from {{ ref('stg_rows') }}
