with

orders as (

    select * from {{ ref('fct_orders') }}

),

by_day as (

    select
        cast(placed_at as date) as placed_on,
        count(*) as orders,
        count_if(status = 'cancelled') as cancelled_orders,
        coalesce(sum(total) filter (where status <> 'cancelled'), 0) as revenue
    from orders
    group by cast(placed_at as date)

)

select * from by_day
