{% macro rebuild_command(model_name) -%}
    dbt run --full-refresh --select {{ model_name }} --vars '{allow_full_refresh: true}'
{%- endmacro %}
