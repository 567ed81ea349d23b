{# what is set here is written in the summary of the session's next commits #}
{% macro commit_with(properties) %}
    {%- set settings = {} -%}
    {%- for name, value in properties.items() if value is not none -%}
        {%- do settings.update({'spark.sql.iceberg.snapshot-property.lakemirror.' ~ name: value}) -%}
    {%- endfor -%}
    {%- do adapter.set_session(settings) -%}
{% endmacro %}
