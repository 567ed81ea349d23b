{# from_json leaves out in silence what it is not asked for. What has the name of a dropped column, and was
   sent after that had gone, is another one #}
{% macro undeclared(names, gone=[]) -%}
nullif(to_json(filter(
    {{ names_at("'$.after'") | indent(4) }},
    name -> name not in (
        {{ texts(names) }}
    )
    {%- for column in gone %}
    or name in ({{ texts(column.names) }}) and {{ is_behind(column.since) | indent(4) }}
    {%- endfor %}
)), '[]')
{%- endmacro %}
