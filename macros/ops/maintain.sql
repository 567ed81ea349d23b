{# dbt run-operation maintain --args '{select: [mirror_shop__orders], dry_run: true}'; lakemirror maintain does it #}
{% macro maintain(select=none, dry_run=false, budget=none, budget_bytes=none, until_done=false) %}
    {%- do adapter.operate(
        'maintain',
        context,
        select=select,
        dry_run=dry_run,
        budget=budget,
        budget_bytes=budget_bytes,
        until_done=until_done
    ) -%}
{% endmacro %}
