{{
    config(
        unique_key=['id'],
    )
}}

select *
from {{
    midnight(
        ref('mirror_shop__orders'),
        ref('stg_shop__orders'),
        ref('watermark_shop'),
    )
}}
