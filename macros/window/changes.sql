{# execute is false while dbt reads the project: then the model learns that landing comes first #}
{% macro changes(raw) -%}
    {%- if not execute %}{% do ref('landing') %}{% endif -%}
    {%- set mark = '/* changes(' ~ raw ~ ') */' -%}
    {{ mark }}{{ adapter.records_sql(raw) }}{{ mark }}
{%- endmacro %}
