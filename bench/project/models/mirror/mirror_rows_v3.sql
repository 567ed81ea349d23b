{{ config(unique_key=var('key'), format_version=3) }}

select * from {{ ref('stg_rows') }}
