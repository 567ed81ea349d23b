{{ config(materialized='cut', schema='ops') }}

{{ at_cut(ref('mirror_rows'), ref('stg_rows'), ref('watermark_bench')) }}
