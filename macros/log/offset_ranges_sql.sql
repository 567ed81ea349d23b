{% macro offset_ranges_sql(records) %}
    select
        _kfk_partition,
        min(_kfk_offset) as first_offset,
        max(_kfk_offset) as last_offset
    from {{ records }}
    group by _kfk_partition
{% endmacro %}
