{{
    config(
        unique_key=['order_id', 'line_no'],
    )
}}

select *
from {{
    midnight(
        ref('mirror_shop__order_items'),
        ref('stg_shop__order_items'),
        ref('watermark_shop'),
    )
}}
