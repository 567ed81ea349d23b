{% macro create_mirror_sql(relation, columns, settings) %}
    create table if not exists {{ relation }} (
        {%- for column in columns %}
        {{ quoted(column.name) }} {{ column.data_type }}{{ ',' if not loop.last }}
        {%- endfor %}
    )
    using iceberg
    {{ bucket_clause(settings.buckets, settings.bucket_by) }}
    {{ properties_clause(settings.properties) }}
{% endmacro %}
