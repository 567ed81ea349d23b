{{ config(materialized='view') }}

select
    topic,
    partition,
    max(to_offset) + 1 as landed_offset,
    max_by(end_offset, landed_at) as end_offset,
    max(newest_src_ts) as newest_src_ts,
    max(landed_at) as landed_at
from {{ ref('landing') }}
where topic is not null
group by topic, partition
