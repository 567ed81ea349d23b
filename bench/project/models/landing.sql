{{ config(materialized='view') }}

select 1 as one
