{# dbt run-operation prune_tombstones --args '{model: mirror_shop__orders, dry_run: false}'; all: true in place of a model #}
{% macro prune_tombstones(model=none, dry_run=true, all=false) %}
    {%- do adapter.operate('prune_tombstones', context, model=model, dry_run=dry_run, everything=all) -%}
{% endmacro %}
