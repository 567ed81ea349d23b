{{ config(unique_key=['id']) }}

select * from {{ ref('stg_events') }}
