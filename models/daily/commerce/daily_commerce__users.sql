{{
    config(
        unique_key=['id'],
    )
}}

select *
from {{
    midnight(
        ref('mirror_commerce__users'),
        ref('stg_commerce__users'),
        ref('watermark_commerce'),
    )
}}
