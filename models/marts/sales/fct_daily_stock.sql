with

products as (

    select * from {{ ref('daily_shop__products') }}

),

valued as (

    select
        ds,
        sku,
        title,
        stock,
        stock * price as stock_value
    from products

)

select * from valued
