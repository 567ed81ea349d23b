{{
    config(
        unique_key=['sku'],
    )
}}

select *
from {{
    midnight(
        ref('mirror_shop__products'),
        ref('stg_shop__products'),
        ref('watermark_shop'),
    )
}}
