{# what is set here is written in the summary of the session's next commits #}
{% macro commit_with(properties) %}
    {% for name, value in properties.items() if value is not none %}
        {% do run_query('set `spark.sql.iceberg.snapshot-property.lakemirror.' ~ name ~ '` = `' ~ value | string | replace('`', '``') ~ '`') %}
    {% endfor %}
{% endmacro %}
