{{
    config(
        unique_key=['order_id', 'line_no'],
        buckets=4,
    )
}}

select * from {{ ref('stg_shop__order_items') }}
