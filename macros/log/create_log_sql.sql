{% macro create_log_sql(relation, columns, settings) %}
    create table if not exists {{ relation }} (
        {{ column_definitions(columns) | indent(8) }}
    )
    using iceberg
    {{ partition_clause(settings.partition_by) }}
    {{ properties_clause(settings.properties) }}
{% endmacro %}
