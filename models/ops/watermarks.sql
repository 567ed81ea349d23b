with

shop_heartbeats as (

    select *
    from {{ landed(ref('stg_shop__heartbeat')) }}
    where _op in ('c', 'u')

),

commerce_heartbeats as (

    select *
    from {{ landed(ref('stg_commerce__heartbeat')) }}
    where _op in ('c', 'u')

),

commerce_heard as (

    select min(_src_ts) as heard_from
    from commerce_heartbeats

),

commerce_live_shards as (

    select
        explode_outer(
            from_json(
                max_by(_src_vgtid, struct(_src_read_ts, _src_ts)), 'array<struct<shard: string>>'
            ).shard
        ) as shard
    from commerce_heartbeats

),

heard as (

    select
        'shop' as source_name,
        '' as shard,
        min(_src_ts) as heard_from,
        max(_src_ts) as heard_until
    from shop_heartbeats

    union all

    -- a live shard that was never heard is there, and holds up the source
    select
        'commerce' as source_name,
        coalesce(commerce_live_shards.shard, '') as shard,
        (select heard_from from commerce_heard) as heard_from,
        max(commerce_heartbeats._src_ts) as heard_until
    from commerce_live_shards
    left join commerce_heartbeats
        on commerce_live_shards.shard = commerce_heartbeats._src_shard
    group by commerce_live_shards.shard

)

-- source times have whole seconds, and one may go back by a second or two
select
    source_name,
    shard,
    heard_from,
    heard_until,
    heard_until - interval 2 seconds as complete_until,
    'heartbeats' as proof
from heard
