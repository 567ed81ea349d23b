{% macro append_sql(target, stage, columns) %}
    insert into {{ target }} ({{ key_columns(columns) }})
    {{ new_records_sql(stage, columns) | indent(4) }}
{% endmacro %}
