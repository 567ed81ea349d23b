{{
    config(
        unique_key=['team_id', 'ts'],
    )
}}

select *
from {{
    midnight(
        ref('mirror_commerce__messages'),
        ref('stg_commerce__messages'),
        ref('watermark_commerce'),
    )
}}
