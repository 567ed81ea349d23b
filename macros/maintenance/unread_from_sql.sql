{% macro unread_from_sql(records) %}
    select
        unix_micros(min(_src_ts)) as source_micros,
        unix_micros(min(_landed_at) filter (where _src_ts is null)) as landed_micros
    from {{ records }}
{% endmacro %}
