{{ config(unique_key=var('key'), stage_from=0) }}

select * from {{ ref('stg_rows') }}
