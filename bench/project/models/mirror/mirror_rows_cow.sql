{{ config(unique_key=var('key'), merge_mode='copy-on-write') }}

select * from {{ ref('stg_rows') }}
