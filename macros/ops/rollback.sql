{# dbt run-operation rollback --args '{model: mirror_shop__orders, to: 2026-01-31T12:00:00, apply: true}' #}
{% macro rollback(model=none, to=none, apply=false) %}
    {%- do adapter.operate('rollback', context, model=model, to=to, apply=apply) -%}
{% endmacro %}
