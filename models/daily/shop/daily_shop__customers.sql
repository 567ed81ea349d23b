{{
    config(
        unique_key=['id'],
    )
}}

select *
from {{
    midnight(
        ref('mirror_shop__customers'),
        ref('stg_shop__customers'),
        ref('watermark_shop'),
    )
}}
