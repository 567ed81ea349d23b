{# dbt run-operation repair --args '{audit: 1b2c3d4e, dry_run: false}', or --args '{model: mirror_shop__orders, keys:
   [{id: 7}], dry_run: false}'; lakemirror repair does it, and shows what differs #}
{% macro repair(audit=none, model=none, keys=none, dry_run=true, repair_id=none) %}
    {%- do adapter.operate(
        'repair', context, audit=audit, model=model, keys=keys, dry_run=dry_run, repair_id=repair_id
    ) -%}
{% endmacro %}
