{# all rows are from before these columns #}
{% macro fill_sql(target, columns) %}
    update {{ target }} set
        {% for column in columns -%}
            {{ quoted(column.name) }} = {{ column.expression }}{{ ',' if not loop.last }}
        {% endfor %}
{% endmacro %}
