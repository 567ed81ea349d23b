{% macro idle_sql(relation) %}
    select (unix_micros(current_timestamp()) - unix_micros(max(timestamp))) / 1e6 as idle
    from {{ relation }}.metadata_log_entries
{% endmacro %}
