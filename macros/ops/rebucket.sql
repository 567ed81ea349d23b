{# dbt run-operation rebucket --args '{model: mirror_shop__orders}' #}
{% macro rebucket(model=none) %}
    {%- do adapter.operate('rebucket', context, model=model) -%}
{% endmacro %}
