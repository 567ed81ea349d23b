{# dbt run-operation prune_tombstones --args '{model: mirror_shop__orders, dry_run: false}' #}
{% macro prune_tombstones(model=none, dry_run=true) %}
    {%- for node in nodes_of('mirror', model, 'prune_tombstones') -%}
        {%- do prune_mirror(node, dry_run) -%}
    {%- endfor -%}
{% endmacro %}
