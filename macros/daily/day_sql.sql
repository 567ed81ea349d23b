{% macro day_sql(target, query, names, day) %}
    insert overwrite {{ target }} partition (ds = date '{{ day }}') ({{ key_columns(names) }})
    select {{ key_columns(names) }} from (
        {{ query | indent(8) }}
    )
{% endmacro %}
