{{ config(materialized='cut') }}

{{ at_cut(ref('mirror_shop__orders'), ref('stg_shop__orders'), ref('watermark_shop')) }}
union all
{{ at_cut(ref('mirror_shop__order_items'), ref('stg_shop__order_items'), ref('watermark_shop')) }}
