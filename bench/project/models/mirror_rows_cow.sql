{{
    config(
        materialized='mirror',
        schema='mirror',
        unique_key=var('key'),
        buckets=16,
        bucket_by='id',
        merge_mode='copy-on-write',
    )
}}

select * from {{ ref('stg_rows') }}
