{{
    config(
        materialized='incremental',
        incremental_strategy='merge',
        file_format='iceberg',
        unique_key=var('key'),
    )
}}

select * except (place, _kfk_topic, _kfk_partition, _kfk_offset)
from (
    select *, row_number() over (partition by {{ var('key') | join(', ') }} order by rank desc) as place
    from {{ source('folded', 'rows') }}
    where _src_ts = timestamp_seconds({{ 1767225600 + 3600 * var('batch') }})
)
where place = 1
