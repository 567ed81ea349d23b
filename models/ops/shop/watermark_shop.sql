-- source times have whole seconds, and one may go back by a second or two
select
    '' as shard,
    min(_src_ts) as heard_from,
    max(_src_ts) as heard_until,
    max(_src_ts) - interval 2 seconds as complete_until,
    'heartbeats' as proof
from {{ landed(ref('stg_shop__heartbeat')) }}
where _op in ('c', 'u')
