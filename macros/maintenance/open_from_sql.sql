{% macro open_from_sql(raw, models) %}
    select
        unix_micros(min(records._src_ts)) as source_micros,
        unix_micros(min(records._landed_at) filter (where records._src_ts is null)) as landed_micros
    from {{ raw }} as records
    left semi join {{ ops_table('quarantine') }} as open
        on
            records._kfk_partition = open._kfk_partition
            and records._kfk_offset = open._kfk_offset
            and open.settled_at is null
            and open.model in ({{ texts(models) }})
{% endmacro %}
