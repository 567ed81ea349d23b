{# dbt run-operation prune_days --args '{model: daily_shop__orders, dry_run: false}' #}
{% macro prune_days(model=none, dry_run=true) %}
    {%- do adapter.operate('prune_days', context, model=model, dry_run=dry_run) -%}
{% endmacro %}
