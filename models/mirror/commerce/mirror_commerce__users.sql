{{
    config(
        unique_key=['id'],
        buckets=4,
    )
}}

select * from {{ ref('stg_commerce__users') }}
