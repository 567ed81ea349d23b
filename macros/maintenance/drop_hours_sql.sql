{% macro drop_hours_sql(raw, outlived) %}
    delete from {{ raw }}
    where
        {{ is_past(outlived) | indent(8) }}
{% endmacro %}
