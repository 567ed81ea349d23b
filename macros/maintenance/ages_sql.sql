{% macro ages_sql(relation) %}
    select
        snapshot_id,
        (unix_micros(current_timestamp()) - unix_micros(committed_at)) / 1e6 as age
    from {{ relation }}.snapshots
{% endmacro %}
