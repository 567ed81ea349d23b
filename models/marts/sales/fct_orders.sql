with

orders as (

    select * from {{ ref('mirror_shop__orders') }}

),

customers as (

    select * from {{ ref('mirror_shop__customers') }}

),

order_items as (

    select * from {{ ref('mirror_shop__order_items') }}

),

items_of_orders as (

    select
        order_id,
        count(*) as item_count,
        sum(quantity * unit_price) as items_total
    from order_items
    group by order_id

),

joined as (

    select
        orders.id as order_id,
        orders.customer_id,
        customers.name as customer_name,
        customers.country as customer_country,
        customers.loyalty_tier as customer_loyalty_tier,
        coalesce(items_of_orders.item_count, 0) as item_count,
        coalesce(items_of_orders.items_total, 0) as items_total,
        orders.status,
        orders.total,
        orders.placed_at
    from orders
    left join customers on orders.customer_id = customers.id
    left join items_of_orders on orders.id = items_of_orders.order_id

)

select * from joined
