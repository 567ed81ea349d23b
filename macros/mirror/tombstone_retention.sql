{% macro tombstone_retention(config) %}
    {{ return(config.get('tombstone_retention_days', 7)) }}
{% endmacro %}
