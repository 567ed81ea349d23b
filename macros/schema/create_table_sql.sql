{% macro create_table_sql(relation, columns, partition_by=[], properties={}) %}
    create table if not exists {{ relation }} (
        {{ column_definitions(columns) | indent(8) }}
    )
    using iceberg
    {{ partition_clause(partition_by) }}
    {{ properties_clause(properties) }}
{% endmacro %}
