{% macro offset_ranges_sql(raw, clause) %}
    select
        _kfk_partition,
        min(_kfk_offset) as first_offset,
        max(_kfk_offset) as last_offset
    from {{ adapter.records_sql(raw, clause) }}
    group by _kfk_partition
{% endmacro %}
