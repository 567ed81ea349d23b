{{ config(materialized='daily', schema='daily', unique_key=var('key'), source_name='bench') }}

select * from {{ midnight(ref('mirror_rows'), ref('stg_rows')) }}
