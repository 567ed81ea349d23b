{{
    config(
        materialized='cut',
        source_names=['shop'],
    )
}}

{{ at_cut(ref('mirror_shop__orders'), ref('stg_shop__orders')) }}
union all
{{ at_cut(ref('mirror_shop__order_items'), ref('stg_shop__order_items')) }}
