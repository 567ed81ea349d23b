{% macro create_mirror_sql(relation, columns, settings, properties, create='create table if not exists') %}
    {{ create }} {{ relation }} (
        {{ column_definitions(columns) | indent(8) }}
    )
    using iceberg
    {{ partition_clause([bucket_key(settings.buckets, settings.bucket_by)] if settings.buckets) }}
    {{ properties_clause(properties) }}
{% endmacro %}
