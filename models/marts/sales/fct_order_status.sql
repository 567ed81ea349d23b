with

orders as (

    select * from {{ as_of_cut(ref('mirror_shop__orders')) }}

),

order_items as (

    select * from {{ as_of_cut(ref('mirror_shop__order_items')) }}

),

lines_of_orders as (

    select
        order_id,
        count(*) as line_count
    from order_items
    group by order_id

),

by_status as (

    select
        orders.status,
        count(*) as orders,
        coalesce(sum(lines_of_orders.line_count), 0) as order_lines
    from orders
    left join lines_of_orders on orders.id = lines_of_orders.order_id
    group by orders.status

)

select * from by_status
