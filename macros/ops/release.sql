{# dbt run-operation release --args '{model: mirror_shop__orders}' #}
{% macro release(model=none) %}
    {%- do adapter.operate('release', context, model=model) -%}
{% endmacro %}
