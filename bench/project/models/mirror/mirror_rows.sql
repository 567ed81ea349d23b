{{ config(unique_key=var('key')) }}

select * from {{ ref('stg_rows') }}
