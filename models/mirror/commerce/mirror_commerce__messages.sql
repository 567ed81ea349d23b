{{
    config(
        unique_key=['team_id', 'ts'],
    )
}}

select * from {{ ref('stg_commerce__messages') }}
