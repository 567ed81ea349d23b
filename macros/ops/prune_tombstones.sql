{# dbt run-operation prune_tombstones --args '{model: mirror_shop__orders, dry_run: false}' #}
{% macro prune_tombstones(model=none, dry_run=true) %}
    {%- do adapter.operate('prune_tombstones', context, model=model, dry_run=dry_run) -%}
{% endmacro %}
