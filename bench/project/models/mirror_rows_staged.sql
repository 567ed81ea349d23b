{{
    config(
        materialized='mirror',
        schema='mirror',
        unique_key=var('key'),
        buckets=16,
        bucket_by='id',
        stage_from=0,
    )
}}

select * from {{ ref('stg_rows') }}
