with

products as (

    select * from {{ ref('mirror_shop__products') }}

),

order_items as (

    select * from {{ ref('mirror_shop__order_items') }}

),

orders as (

    select * from {{ ref('mirror_shop__orders') }}

),

sold as (

    select
        order_items.sku,
        sum(order_items.quantity) as units_sold
    from order_items
    inner join orders on order_items.order_id = orders.id
    where orders.status <> 'cancelled'
    group by order_items.sku

),

joined as (

    select
        products.sku,
        products.title,
        products.price,
        products.stock,
        coalesce(sold.units_sold, 0) as units_sold
    from products
    left join sold on products.sku = sold.sku

)

select * from joined
