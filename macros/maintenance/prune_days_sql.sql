{# whole partitions: a commit that writes no file #}
{% macro prune_days_sql(target, days) %}
    delete from {{ target }}
    where ds in (date '{{ days | join("', date '") }}')
{% endmacro %}
