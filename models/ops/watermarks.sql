with

shop_heartbeats as (

    select *
    from {{ ref('stg_shop__heartbeat') }}
    where _op in ('c', 'u')

),

commerce_heartbeats as (

    select *
    from {{ ref('stg_commerce__heartbeat') }}
    where _op in ('c', 'u')

),

commerce_live_shards as (

    select
        explode(
            from_json(
                max_by(_src_vgtid, struct(_src_read_ts, _src_ts)), 'array<struct<shard: string>>'
            ).shard
        ) as shard
    from commerce_heartbeats

),

commerce_shards as (

    select
        commerce_live_shards.shard,
        max(commerce_heartbeats._src_ts) as heard_until
    from commerce_live_shards
    left join commerce_heartbeats
        on commerce_live_shards.shard = commerce_heartbeats._src_shard
    group by commerce_live_shards.shard

),

heard as (

    select
        'shop' as source_name,
        (select min(_src_ts) from shop_heartbeats) as heard_from,
        (select max(_src_ts) from shop_heartbeats) as heard_until

    union all

    select
        'commerce' as source_name,
        (select min(_src_ts) from commerce_heartbeats) as heard_from,
        -- a live shard that was never heard makes it unknown
        (
            select if(count(*) = count(heard_until), min(heard_until), null)
            from commerce_shards
        ) as heard_until

)

-- source times have whole seconds, and one may go back by a second or two
select
    source_name,
    heard_from,
    heard_until,
    heard_until - interval 2 seconds as complete_until
from heard
