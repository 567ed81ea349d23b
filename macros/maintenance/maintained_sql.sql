{# what has waited or failed was not done #}
{% macro maintained_sql() %}
    select
        table_name,
        action,
        (unix_micros(current_timestamp()) - unix_micros(max(started_at))) / 1e6 as age
    from {{ ops_table('maintenance') }}
    where status in ('done', 'dry run')
    group by table_name, action
{% endmacro %}
