with

orders as (

    select * from {{ ref('fct_orders') }}

),

countries as (

    select * from {{ ref('countries') }}

),

by_country as (

    select
        orders.customer_country as country,
        countries.name as country_name,
        count(*) as orders,
        coalesce(sum(orders.total) filter (where orders.status <> 'cancelled'), 0) as revenue
    from orders
    left join countries on orders.customer_country = countries.code
    group by orders.customer_country, countries.name

)

select * from by_country
