{{
    config(
        materialized='mirror',
        schema='mirror',
        unique_key=var('key'),
        buckets=16,
        bucket_by='id',
        format_version=3,
    )
}}

select * from {{ ref('stg_rows') }}
