{{
    config(
        unique_key=['sku'],
    )
}}

select * from {{ ref('stg_shop__products') }}
