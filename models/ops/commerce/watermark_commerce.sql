with

heartbeats as (

    select *
    from {{ landed(ref('stg_commerce__heartbeat')) }}
    where _op in ('c', 'u')

),

heard as (

    select min(_src_ts) as heard_from
    from heartbeats

),

live_shards as (

    select
        explode_outer(
            from_json(
                max_by(_src_vgtid, struct(_src_read_ts, _src_ts)), 'array<struct<shard: string>>'
            ).shard
        ) as shard
    from heartbeats

)

-- a live shard that was never heard is there, and holds up the source
select
    coalesce(live_shards.shard, '') as shard,
    (select heard_from from heard) as heard_from,
    max(heartbeats._src_ts) as heard_until,
    max(heartbeats._src_ts) - interval 2 seconds as complete_until,
    'heartbeats' as proof
from live_shards
left join heartbeats on live_shards.shard = heartbeats._src_shard
group by live_shards.shard
