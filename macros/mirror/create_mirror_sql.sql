{% macro create_mirror_sql(relation, columns, settings) %}
    create table if not exists {{ relation }} (
        {%- for column in columns %}
        {{ quoted(column.name) }} {{ column.data_type }}{{ ',' if not loop.last }}
        {%- endfor %}
        {%- if settings.deletes == 'soft' %},
        _is_deleted boolean,
        _deleted_at timestamp
        {%- endif %}
    )
    using iceberg
    {{ bucket_clause(settings.buckets, settings.bucket_by) }}
    {{ properties_clause(settings.properties) }}
{% endmacro %}
