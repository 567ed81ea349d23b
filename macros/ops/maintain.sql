{# dbt run-operation maintain --args '{select: [mirror_shop__orders], dry_run: true}'; lakemirror maintain does it #}
{% macro maintain(select=none, dry_run=false, budget=none) %}
    {%- do adapter.operate('maintain', context, select=select, dry_run=dry_run, budget=budget) -%}
{% endmacro %}
