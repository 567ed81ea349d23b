{# a row that a snapshot lists has been merged from it, and has its order or a newer one #}
{% macro absent_count_sql(target, snapshot) %}
    select count(*) as absent
    from {{ target }} as target
    where
        {{ before_snapshot('target', snapshot) | indent(8) }}
{% endmacro %}
