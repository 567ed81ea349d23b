{% macro commit_plain(properties) %}
    {%- set settings = {} -%}
    {%- for name, value in properties.items() if value is not none -%}
        {%- do settings.update({'spark.sql.iceberg.snapshot-property.lakemirror.' ~ name: none}) -%}
    {%- endfor -%}
    {%- do adapter.set_session(settings) -%}
{% endmacro %}
