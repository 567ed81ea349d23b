{# dbt run-operation prune_days --args '{model: daily_shop__orders, dry_run: false}'; all: true in place of a model #}
{% macro prune_days(model=none, dry_run=true, all=false) %}
    {%- do adapter.operate('prune_days', context, model=model, dry_run=dry_run, everything=all) -%}
{% endmacro %}
