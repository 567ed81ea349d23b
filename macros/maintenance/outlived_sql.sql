{# by metadata alone: the files of hours that have ended, in one row, and each file of records without a time #}
{% macro outlived_sql(raw, hours) %}
    select
        true as has_time,
        cast(null as bigint) as first_landed,
        cast(null as bigint) as last_landed,
        sum(record_count) as records,
        sum(file_size_in_bytes) as bytes
    from {{ raw | replace(' version as of', '.files version as of') }}
    where content = 0 and partition._src_ts_hour < {{ hours }}
    union all
    select
        false as has_time,
        unix_micros(readable_metrics._landed_at.lower_bound) as first_landed,
        unix_micros(readable_metrics._landed_at.upper_bound) as last_landed,
        record_count as records,
        file_size_in_bytes as bytes
    from {{ raw | replace(' version as of', '.files version as of') }}
    where content = 0 and partition._src_ts_hour is null
{% endmacro %}
