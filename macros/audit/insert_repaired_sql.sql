{% macro insert_repaired_sql(target, stage, columns) %}
    insert into {{ target }} ({{ key_columns(columns) }})
    select {{ key_columns(columns) }}
    from {{ stage }}
    where _audit_live
{% endmacro %}
