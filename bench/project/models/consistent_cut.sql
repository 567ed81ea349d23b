{{ config(materialized='cut', schema='ops', source_names=['bench']) }}

{{ at_cut(ref('mirror_rows'), ref('stg_rows')) }}
