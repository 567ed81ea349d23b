{# a call that died in between is made good: the same folder is written anew #}
{% macro archive_sql(raw, outlived, day, folder) %}
    insert overwrite directory {{ lakemirror_string(folder) }}
    using parquet
    options (compression 'zstd')
    select * from {{ raw }}
    where
        {{ is_past(outlived) | indent(8) }}
        and cast(coalesce(_src_ts, _landed_at) as date) = date '{{ day }}'
{% endmacro %}
