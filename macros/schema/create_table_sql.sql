{% macro create_table_sql(relation, columns, partition_by=[], properties={}, comment=none) %}
    create table if not exists {{ relation }} (
        {{ column_definitions(columns) | indent(8) }}
    )
    using iceberg
    {{ partition_clause(partition_by) }}
    {{ 'comment ' ~ lakemirror_string(comment) if comment }}
    {{ properties_clause(properties) }}
{% endmacro %}
