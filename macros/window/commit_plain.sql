{% macro commit_plain(properties) %}
    {% for name, value in properties.items() if value is not none %}
        {% do adapter.execute('reset `spark.sql.iceberg.snapshot-property.lakemirror.' ~ name ~ '`') %}
    {% endfor %}
{% endmacro %}
