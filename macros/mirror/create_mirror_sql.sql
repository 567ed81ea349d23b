{% macro create_mirror_sql(relation, columns, settings, properties, create='create table if not exists') %}
    {{ create }} {{ relation }} (
        {{ column_definitions(columns) | indent(8) }}
    )
    using iceberg
    {{ bucket_clause(settings) }}
    {{ properties_clause(properties) }}
{% endmacro %}
