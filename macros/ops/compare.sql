{# dbt run-operation compare --args '{relations: [mirror_shop__orders, legacy.orders], key: [id]}' #}
{% macro compare(relations, key, tolerances={}, audit_id=none, fail=true) %}
    {%- do adapter.operate(
        'compare', context, relations=relations, key=key, tolerances=tolerances, audit_id=audit_id, fail=fail
    ) -%}
{% endmacro %}
