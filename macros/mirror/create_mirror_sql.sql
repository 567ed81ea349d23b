{% macro create_mirror_sql(relation, columns, settings, create='create table if not exists') %}
    {{ create }} {{ relation }} (
        {{ column_definitions(columns) | indent(8) }}
    )
    using iceberg
    {{ bucket_clause(settings.buckets, settings.bucket_by) }}
    {{ properties_clause(settings.properties) }}
{% endmacro %}
