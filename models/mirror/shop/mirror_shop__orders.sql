{{
    config(
        unique_key=['id'],
        buckets=4,
    )
}}

select * from {{ ref('stg_shop__orders') }}
