{# dbt run-operation undo --args '{model: mirror_shop__orders, apply: true}' #}
{% macro undo(model=none, apply=false) %}
    {%- do adapter.operate('undo', context, model=model, apply=apply) -%}
{% endmacro %}
