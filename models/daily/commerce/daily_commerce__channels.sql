{{
    config(
        unique_key=['id'],
    )
}}

select *
from {{
    midnight(
        ref('mirror_commerce__channels'),
        ref('stg_commerce__channels'),
        ref('watermark_commerce'),
    )
}}
